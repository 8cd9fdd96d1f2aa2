#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""sweep.py BUILD SOURCE PART PARTS: commands x odd data (odd_profiles.sh) x hostile surroundings. Whatever is asked, the command
ends by itself, says in one line what is wrong, and loses no result with exit code 0. The last line begins with "ok: ".
Every command meets every data set; of the surroundings one in turn, each at COLLTREE_TEST_SHARE above 100. PART of PARTS (from 0): the
data sets are divided, so that several run side by side; PART alone: the commands that ask no profile."""
import hashlib
import os
import pathlib
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import odd_inputs
import sample
from commands import examples, kinds
from good_end import command_line, faults_of

# Beside the examples. P: the profile. M: a model of it where there is one, else of another. C: its collective. O: a file that is made.
COMMANDS = """
show P --json
show P --map --penalty --collective C
show P --parameters
show P --map --collective C --json
show P --map --collective C -o O
fit c45 P --collective C --details -o O
fit optimal P --collective C --parameters leaves=auto -o O
evaluate M --on P --json
evaluate compare P --collective C
evaluate compare P --collective C --fit quadtree -o -
show P M --penalty --tree --collective C
export P -o -
import P -o O
show M
explain C 8 1024 --json --model M
emit cdt M -o O
emit openmpi-4.1 M -o O
emit mpich-4.0 M -o O
emit rules-json M -o O
check P --for openmpi-4.1
colltree-c45 -f P
"""
# Commands that ask no profile, each in every surrounding. D: a folder that is made, with a profile, a plan or models.
ALONE = """
import good.csv -o O
import osu.txt --mpi openmpi-4.1.5 --communicator-sizes 8 --system s -o O
import imb.txt --mpi openmpi-4.1.5 --system s -o O
import nccl.txt --collective allreduce --communicator-sizes 8 --system s -o O
import reprompi.txt --mpi openmpi-4.1.5 --system s -o O
import pico.csv --mpi openmpi-4.1.5 --system s -o O
import good.db -o O
tune --dry-run --batch='slurm -N4' --mpi openmpi --communicator-sizes 2..8 --message-sizes 1..1K:x4 --system s -o D
measure kit --communicator-sizes 2 --message-sizes 1 -o O
measure methods --source mpich --json
colltree-c45 -f p01_bcast_small
colltree-c45 -f p01_bcast_small --rules
run --model good.cdt --mpi openmpi --dry-run -- true
verify doctor --model good.cdt --launcher false --communicator-sizes 2 --message-sizes 1
verify doctor --model good.cdt --launcher ./none --communicator-sizes 2 --message-sizes 1
verify program --mpi openmpi --a false --b true
verify --rules good.rules --launcher false --communicator-sizes 2 --message-sizes 1
tune --batch='slurm -N2' --launcher false --mpi openmpi --collective bcast --communicator-sizes 2 --message-sizes 1 --system s -o D
tune --batch none.batch --launcher false --mpi openmpi --collective bcast --communicator-sizes 2 --message-sizes 1 --system s -o D
"""
SIMULATED = """
measure --platform grig --collective bcast --communicator-sizes 2,3 --message-sizes 1,1K --methods linear,binomial --jobs 1 -o O
tune --platform grig --collective bcast --communicator-sizes 2,3 --message-sizes 1,1K --methods linear,binomial --jobs 1 -o D
"""
IMPORTED = {"osu.txt": "osu/v5.6_allreduce.txt", "imb.txt": "imb/v3.2_pingpong_allreduce.txt", "nccl.txt": "nccl-tests/v2.13_all_reduce.txt",
            "reprompi.txt": "reprompi/raw.txt", "pico.csv": "pico/mare_nostrum.csv"}

IN_READ_ONLY = ["unshare", "-m", "sh", "-c", 'mount --bind "$PWD" "$PWD" && mount -o remount,bind,ro "$PWD" && cd "$PWD" && exec "$@"', "sh"]
SECONDS = 600


def lines_of(text):
    return [shlex.split(line) for line in text.splitlines() if line]


def asking(profiles):
    """The examples of commands that ask a profile or a model, or of the others."""
    lines = [words for _, words in examples({".db": "P", ".json": "M", ".cdt": "good.cdt", ".rules": "good.rules"}, "O")]
    return [["C" if word == "bcast" else word for word in words] if profiles else words for words in lines
            if ({"P", "M"}.isdisjoint(words)) != profiles]


def closing(stream):
    return {"preexec_fn": lambda: os.close(stream)}


def limiting(what, most):
    return {"preexec_fn": lambda: resource.setrlimit(what, (most, most))}


class Sweep:
    def __init__(self, build, source):
        self.colltree, self.build, self.source = os.path.join(build, "colltree"), pathlib.Path(build), pathlib.Path(source)
        self.simulates = os.path.exists(os.path.join(build, "colltree-simulate"))
        self.env = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
        self.calls, self.failures, self.turn = 0, 0, 0
        self.surrounding, self.words, self.code, self.errors = "plain", [], 0, b""
        # The other surroundings: what is changed for the process.
        self.changes = {
            "closed_output": closing(1), "closed_errors": closing(2), "closed_input": closing(0), "few_files": limiting(resource.RLIMIT_NOFILE, 8),
            "no_file_space": limiting(resource.RLIMIT_FSIZE, 1024), "no_environment": {"env": {"ASAN_OPTIONS": self.env["ASAN_OPTIONS"]}},
            "comma_locale": {"env": {**self.env, "LOCPATH": os.getcwd(), "LC_ALL": "de_DE.UTF-8"}},
            # Where nobody, root neither, can make a folder.
            "no_temporary": {"env": {**self.env, "TMPDIR": "/proc/none", "HOME": "/proc/none"}},
        }
        self.surroundings = ["full_output", "closed_output", "full_errors", "closed_errors", "closed_input", "lost_reader", "late_reader",
                             "no_file_space", "few_files", "no_environment", "comma_locale", "no_temporary"]
        self.make_data()
        self.find_surroundings()

    def make_data(self):
        prelude = 'die() { echo "FAILED: $*" >&2; exit 1; }; . "$2"; colltree=$1; odd_profiles'
        subprocess.run(["bash", "-c", prelude, "bash", self.colltree, self.source / "tests/output/odd_profiles.sh"], check=True, env=self.env)
        shutil.copy(self.source / "tests/campaign/grig_tiny-3.32.csv", "good.csv")
        for words in lines_of("import good.csv -o good.db\nfit quadtree good.db --collective bcast -o good.json"):
            self.must(words)
        # A language whose numbers have a comma.
        subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", "./de_DE.UTF-8"], check=False, stderr=subprocess.DEVNULL)
        assert os.path.exists("de_DE.UTF-8/LC_NUMERIC"), "no locale"

    def must(self, words):
        done = subprocess.run([self.colltree, *words], env=self.env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        assert done.returncode == 0, done

    def find_surroundings(self):
        if subprocess.run(["unshare", "-m", "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
            self.surroundings.append("read_only")
        else:
            print("skipped: read_only: no name space of mounts here", file=sys.stderr)
        # KiB of address space. A sanitizer's shadow needs more than there is.
        if subprocess.run([self.colltree, "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
                          **limiting(resource.RLIMIT_AS, 4000000 * 1024)).returncode == 0:
            for kilobytes in (16000, 20000, 28000, 60000):
                self.surroundings.append(f"memory_{kilobytes}")
                self.changes[f"memory_{kilobytes}"] = limiting(resource.RLIMIT_AS, kilobytes * 1024)
        else:
            print("skipped: memory: a sanitizer needs the address space", file=sys.stderr)

    def wrong(self, what):
        self.failures += 1
        print(f"WRONG: {what}: ({self.surrounding}) colltree {' '.join(self.words)}: exit code {self.code}: "
              f"{self.errors[:1000].decode(errors='replace')}", file=sys.stderr)

    def run(self):
        """self.words in the present surrounding: `out`, self.errors and self.code are its result."""
        surrounding = self.surrounding
        command = command_line(self.colltree, self.words)
        options = {"env": self.env, "stdin": subprocess.DEVNULL, **self.changes.get(surrounding, {})}
        if surrounding == "read_only":
            command = IN_READ_ONLY + command
        reader, writer = os.pipe() if surrounding.endswith("_reader") else (None, None)
        # Errors go through a pipe, as what is written there may not be limited.
        with open("out", "wb") as out, open("/dev/full", "wb") as full:
            process = subprocess.Popen(command, stdout=full if surrounding == "full_output" else writer if writer else out,
                                       stderr=full if surrounding == "full_errors" else subprocess.PIPE, **options)
            if writer:
                os.close(writer)
                if surrounding == "late_reader":
                    read_late(reader, out)
                os.close(reader)
        try:
            self.errors = process.communicate(timeout=SECONDS)[1] or b""
        except subprocess.TimeoutExpired:
            process.kill()
            self.errors = process.communicate()[1] or b""
            self.code = "no end"
            return
        self.code = process.returncode

    def call(self):
        if os.path.lexists("O"):
            os.remove("O")
        if os.path.lexists("D"):
            shutil.rmtree("D")
        self.run()
        self.calls += 1
        self.ended_well()

    def ended_well(self):
        # Too little memory to start in: the loader's words.
        if self.surrounding.startswith("memory_") and self.code == 127 and b"error while loading shared libraries" in self.errors:
            return
        lost = self.code == -signal.SIGPIPE and self.surrounding == "lost_reader"
        unread = self.surrounding in ("full_errors", "closed_errors")
        for fault in faults_of(0 if lost else self.code, None if unread else self.errors.decode(errors="surrogateescape")):
            self.wrong(fault)

    def result(self):
        """What is printed and what is made."""
        # A report holds the command line and its time, a kit the times of writing; of campaigns what is printed has rates in it.
        command = self.words[0]
        if command == "report":
            return b""
        files = ["out"] if self.words[1] == "kit" else ["out", "O"]
        in_folder = sorted(str(path) for path in pathlib.Path("D").glob("*") if path.suffix in (".json", ".sh"))
        if command in ("tune", "measure", "import") and self.words[1] not in ("kit", "methods"):
            files = []
            in_folder = [path for path in in_folder if path.endswith(".json")]
        digest = hashlib.sha1(self.exported() if not files else b"")
        for file in files + in_folder:
            if os.path.isfile(file):
                digest.update(pathlib.Path(file).read_bytes())
        return digest.digest()

    def exported(self):
        profile = "D/profile.db" if os.path.isdir("D") else "O"
        if not os.path.exists(profile):
            return b""
        return subprocess.run([self.colltree, "export", profile, "-o", "-"], env=self.env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              check=False).stdout

    def meet(self, words, surroundings):
        self.words, self.surrounding = words, "plain"
        self.call()
        plain_code, plain_result = self.code, self.result()
        prints = os.path.getsize("out") > 0
        makes = not {"O", "D"}.isdisjoint(words)
        if makes and self.code == 0 and not (os.path.isdir("D") or (os.path.exists("O") and os.path.getsize("O"))):
            self.wrong("nothing is made")
        if not makes and not prints and self.code == 0:
            self.wrong("nothing is said")
        for self.surrounding in surroundings:
            self.call()
            self.compare(plain_code, plain_result, prints, makes)

    def compare(self, plain_code, plain_result, prints, makes):
        surrounding = self.surrounding
        if surrounding in ("full_output", "closed_output"):
            if prints and plain_code == 0 and self.code != 1:
                self.wrong("lost with this exit code")
        elif surrounding == "read_only" and makes:
            if self.code == 0:
                self.wrong("lost with exit code 0")
        elif surrounding == "lost_reader":
            pass
        elif surrounding in ("no_file_space", "few_files") or surrounding.startswith("memory_"):
            # What was not lost must be the same.
            if self.code == 0 and self.result() != plain_result:
                self.wrong("another result")
        elif self.code != plain_code:
            self.wrong(f"not exit code {plain_code}")
        elif self.result() != plain_result:
            self.wrong("another result")

    def next_surroundings(self):
        if sample.SHARE > 100:
            return self.surroundings
        self.turn += 1
        return [self.surroundings[(self.turn - 1) % len(self.surroundings)]]

    def alone(self):
        for name, file in IMPORTED.items():
            shutil.copy(self.source / "tests/data/imports" / file, name)
        odd_inputs.unpack_c45(self.source, ".", "p01_bcast_small")
        for words in lines_of("emit cdt good.json -o good.cdt\nemit openmpi-4.1 good.json -o good.rules"):
            self.must(words)
        for words in asking(False) + lines_of(ALONE + (SIMULATED if self.simulates else "")):
            self.meet(words, self.surroundings)

    def profiles(self, part, parts):
        profiles = ["good.db", *sorted(str(path) for path in pathlib.Path(".").glob("*.db") if path.name != "good.db"), "none.db", "good.json"]
        for number, profile in enumerate(profiles):
            if number % parts == part:
                self.profile(profile)

    def profile(self, profile):
        collective = "barrier" if profile == "barrier_only.db" else "bcast"
        fit = [self.colltree, "fit", "quadtree", profile, "--collective", collective, "--system", "odd", "-o", "own.json"]
        fitted = subprocess.run(fit, env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0
        stand_for = {"P": profile, "M": "own.json" if fitted else "good.json", "C": collective}
        fits = "".join(f"fit {kind} P --collective C -o O\n" for kind in kinds(self.colltree))
        for words in asking(True) + lines_of(COMMANDS + fits):
            if sample.SHARE < 33 and profile == "many_methods.db" and words[:2] == ["evaluate", "compare"] and "--fit" not in words:
                continue  # takes longer than all the others
            if sample.SHARE < 33 and words[0] == "report" and profile != "good.db":
                words = ["report", "P", "--fit", "optimal:leaves=32", "--json"]  # Python, which makes the page, starts in more than a second
            self.meet([stand_for.get(word, word) for word in words], self.next_surroundings())


def read_late(reader, out):
    time.sleep(0.05)
    while piece := os.read(reader, 16):
        out.write(piece)


def main():
    build, source, part, *parts = sys.argv[1:]
    build, source = os.path.abspath(build), os.path.abspath(source)
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        sweep = Sweep(build, source)
        if part == "alone":
            sweep.alone()
        else:
            sweep.profiles(int(part), int(parts[0]))
        os.chdir("/")
    if sweep.failures:
        sys.exit(f"FAILED: {sweep.failures} of {sweep.calls} calls")
    print(f"ok: {sweep.calls} calls")


main()
