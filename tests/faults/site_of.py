# SPDX-License-Identifier: BSD-3-Clause
"""Where campaigns run: simulated, or real jobs under an MPI library. A site makes commands and environments and knows the
profile of an undisturbed campaign."""
import os
import pathlib
import resource
import shutil
import sqlite3
import subprocess
import time

import sample
from mini_cluster import MiniCluster

OPENMPI = "mpirun.openmpi --oversubscribe --mca btl vader,self"
MPICH = "mpirun.mpich -launcher fork"

# What runs in place of colltree's measuring program or launcher: as the file `fault` beside it says, once.
WRAPPER = """#!/bin/bash
command=({command})
if [ -s {folder}/fault ] && {is_job}; then
  mv {folder}/fault {folder}/fault.taken
  source {folder}/fault.taken
fi
exec "${{command[@]}}"
"""


class Site:
    def __init__(self, build, scratch):
        self.build = pathlib.Path(build)
        self.folder = pathlib.Path(scratch) / self.name
        (self.folder / "bin").mkdir(parents=True)
        self.bin = self.folder / "bin"
        self.colltree = self.bin / "colltree"
        try:
            os.link(self.build / "colltree", self.colltree)  # no link: it looks for its programs beside its real place
        except OSError:
            shutil.copy(self.build / "colltree", self.colltree)
        for program in self.build.glob("colltree-measure-*"):
            (self.bin / program.name).symlink_to(program)
        self.fault_library = self.build / "tests" / "fault.so"
        self.db = self.folder / "p.db"
        self.make_wrapper()
        self.wants = {}
        self.kind = "short"

    def close(self):
        """What it made beside its folder goes."""

    def choose(self, campaign):
        """`campaign`: "short", or "long" for faults at any moment."""
        self.kind = campaign

    def write_wrapper(self, path, **words):
        path.write_text(WRAPPER.format(folder=self.folder, **words))
        path.chmod(0o755)

    def at_next_job(self, text):
        """bash that the next job's wrapper reads before it starts `command`."""
        (self.folder / "fault").write_text(text)

    def clean(self):
        """A new try: no profile, nothing beside it."""
        for path in self.folder.glob("p.db*"):
            path.unlink()
        for name in ("fault", "fault.taken"):
            (self.folder / name).unlink(missing_ok=True)

    def environment(self, preload, settings):
        environment = dict(os.environ)
        environment["ASAN_OPTIONS"] = "detect_leaks=0:verify_asan_link_order=0:allocator_may_return_null=1"
        for key in ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"):
            environment[key] = "1"
        if preload:
            environment["LD_PRELOAD"] = str(self.fault_library)
            environment["FAULT_PROGRAM"] = "colltree"
            environment["FAULT_PATH"] = "/p.db"
        environment.update(settings)
        return environment

    def start(self, extra=(), settings=None, silence_s=1000000, limits=None):
        command = [str(self.colltree), "measure", *self.campaigns[self.kind], *extra, "--silence-limit", str(silence_s), "-o", "p.db"]
        return subprocess.Popen(command, cwd=self.folder, env=self.environment(settings is not None, settings or {}),
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                preexec_fn=lambda: [resource.setrlimit(what, (n, n)) for what, n in (limits or {}).items()])

    def run(self, extra=(), settings=None, silence_s=1000000):
        return self.ended(self.start(extra, settings, silence_s))

    def ended(self, process):
        return ended(process)

    def undisturbed(self):
        """Cells, exported text and seconds of a campaign without a fault; measured once."""
        if self.kind not in self.wants:
            self.clean()
            began = time.monotonic()
            run = self.run()
            seconds = time.monotonic() - began
            if "--retry failed" in run.out:
                run = self.run(["--retry", "failed"])
            assert run.code == 0 and not self.failures(), run
            self.wants[self.kind] = (self.cells(), self.exported(), seconds)
        return self.wants[self.kind]

    def cells(self):
        """By (system, collective, ranks, bytes, algorithm, segment): status and samples."""
        if not self.db.exists() or self.db.stat().st_size == 0:
            return {}
        connection = sqlite3.connect(self.db, timeout=30)
        try:
            cells = {}
            ids = {}
            for cell_id, system, *key, status in connection.execute(
                    "SELECT cells.id, s.name || ' ' || s.mpi, collective, communicator_size, message_size, algorithm, "
                    "segment_size, status FROM cells JOIN campaigns c ON c.id = campaign JOIN systems s ON s.id = c.system"):
                ids[cell_id] = (system, *key)
                assert ids[cell_id] not in cells, "a cell twice: %s" % (ids[cell_id],)
                cells[ids[cell_id]] = [status]
            for cell_id, rep, time_us in connection.execute("SELECT cell, rep, time_us FROM samples ORDER BY 1, 2, 3"):
                cells[ids[cell_id]].append((rep, time_us))
            return {key: tuple(value) for key, value in cells.items()}
        except sqlite3.OperationalError as error:
            if "no such table" in str(error):
                return {}  # killed before there were tables
            raise
        finally:
            connection.close()

    def failures(self):
        """Cells that failed, but for those that found no common start on a machine that others use."""
        connection = sqlite3.connect(self.db, timeout=30)
        rows = connection.execute("SELECT collective, communicator_size, message_size, algorithm, reason FROM cells WHERE "
                                  "status = 'failed' AND reason NOT LIKE 'no repetition met%'").fetchall()
        connection.close()
        return rows

    def exported(self):
        text = subprocess.run([self.colltree, "export", "p.db", "-o", "/dev/stdout"], cwd=self.folder, capture_output=True,
                              text=True, env=self.environment(False, {}))
        return text.stdout if text.returncode == 0 else "export: " + text.stderr


class Ended:
    def __init__(self, process, out, err):
        self.code, self.out = process.returncode, out
        self.errors = [line for line in err.splitlines() if line.strip() and not line.startswith("measuring ")]

    @property
    def message(self):
        own = [line for line in self.errors if line.startswith("colltree: ")]
        return own[-1] if own else ""

    def __repr__(self):
        return f"code {self.code}, {self.out!r}, {self.errors}"


# A campaign that others keep from the cores is no hang: where all is tried it has half an hour.
LIMIT_S = 1800 if sample.SHARE > 100 else 300


def ended(process, limit_s=LIMIT_S):
    try:
        out, err = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        err += f"\nFAULTS: no end after {limit_s} s"
    return Ended(process, out, err)


class Simulated(Site):
    name = "simulated"
    grid = ["--platform", "grig", "--methods", "papers", "--collective", "bcast,reduce", "--jobs", "2"]
    campaigns = {"short": [*grid, "--communicator-sizes", "2,3", "--message-sizes", "1,20K"],
                 "long": [*grid, "--communicator-sizes", "2..9", "--message-sizes", "1..64K:x4"]}
    rank_program = "colltree-simula"

    def make_wrapper(self):
        self.write_wrapper(self.bin / "colltree-simulate", command=f'"{self.build}/colltree-simulate" "$@"',
                           is_job="[ $# -eq 3 ]")


class Real(Site):
    rank_program = "colltree-measur"
    most = []  # options that make a campaign smaller

    def make_wrapper(self):
        self.write_wrapper(self.folder / "job", command=f'{self.launch_with(None)} -np "$@"',
                           is_job='[[ "$*" != *--layout ]]')  # which measures nothing and comes first
        grid = [*self.most, "--mpi", self.flavour, "--launcher", "./job {ranks}", "--samples", "2..4",
                "--cell-budget", "0.05", "--foreign-load", "0"]
        self.campaigns = {"short": [*grid, "--system", "here", "--collective", "bcast", "--communicator-sizes", self.sizes,
                                    "--message-sizes", "1,4K", "--segment-sizes", "0,1K"],
                          "long": [*grid, "--system", "here", "--collective", "bcast,reduce,alltoall", "--communicator-sizes", self.sizes,
                                   "--message-sizes", "1,4K,64K", "--segment-sizes", "0,1K"],
                          "unnamed": [*grid, "--collective", "bcast", "--communicator-sizes", self.sizes,
                                      "--message-sizes", "1,4K,64K", "--segment-sizes", "0,1K"]}


class OpenMpi(Real):
    name = flavour = "openmpi"
    sizes = "2..4"

    def launch_with(self, library):
        return OPENMPI + (f" -x FAULT_MPI -x LD_PRELOAD={library}" if library else "")


class Mpich(Real):
    name = flavour = "mpich"
    sizes = "2"  # on two cores more of its ranks spin for seconds

    def launch_with(self, library):
        # MPICH spins; on few cores its ranks must yield (tests/algorithms/yield_preload.c).
        libraries = [str(path) for path in (next(self.build.glob("tests/algorithms/*yield*.so"), None), library) if path]
        return MPICH + (f" -genv LD_PRELOAD {':'.join(libraries)}" if libraries else "")


class Nodes(Real):
    """Open MPI on two nodes of two ranks; not in the ordinary test: a job's start alone takes seconds."""
    name = "nodes"
    sizes = "3,4"
    flavour = "openmpi"
    most = ["--methods", "linear,default"]

    def __init__(self, build, scratch):
        self.cluster = MiniCluster(pathlib.Path(scratch))
        super().__init__(build, scratch)

    def launch_with(self, library):
        return self.cluster.launch() + (f" -x FAULT_MPI -x LD_PRELOAD={library}" if library else "")

    def close(self):
        self.cluster.end()


SITES = {site.name: site for site in (Simulated, OpenMpi, Mpich, Nodes)}
