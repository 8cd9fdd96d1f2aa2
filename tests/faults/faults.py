# SPDX-License-Identifier: BSD-3-Clause
"""The faults: each a function that makes one on a site and gives the verdicts of its tries, and a row of FAULTS."""
import os
import pathlib
import resource
import signal
import time

from trial import Verdict, judge

HURRY = {"FAULT_HURRY": "1000"}  # every report of a cell is stored at once: as many places as there are cells


def places(rng, count, tries):
    """`tries` of `count` places, spread over all: one at random in each part."""
    if tries >= count:
        return list(range(1, count + 1))
    return [1 + int((i + rng.random()) * count / tries) for i in range(tries)]


def at_call(error):
    def make(site, rng, tries):
        site.choose("short")
        site.undisturbed()
        site.clean()
        site.run(settings={**HURRY, "FAULT_COUNT": str(site.folder / "count")})
        for place in places(rng, int((site.folder / "count").read_text()), tries):
            site.clean()
            run = site.run(settings={**HURRY, "FAULT_CALL": str(place), "FAULT_ERROR": error})
            yield judge(site, run, killed=error in ("KILL", "TORN"))
    return make


def full_file_system(site, rng, tries):
    """Every file's size is limited (ulimit -f): from nothing to about all of the profile's. Open MPI's memory between ranks
    is a file, too; its launcher waits for ever for ranks that end of it."""
    site.choose("short")
    site.undisturbed()
    size = site.db.stat().st_size
    for place in places(rng, size, tries):
        site.clean()
        process = site.start(settings=HURRY, limits={resource.RLIMIT_FSIZE: place}, silence_s=20)
        yield judge(site, site.ended(process))


def wait_for(rng, site, process):
    """A moment of the campaign, whose length is known."""
    moment = time.monotonic() + rng.random() * site.undisturbed()[2]
    while time.monotonic() < moment and process.poll() is None:
        time.sleep(0.001)


def at_any_moment(sent):
    def make(site, rng, tries):
        site.choose("long")
        site.undisturbed()
        for _ in range(tries):
            site.clean()
            process = site.start()
            wait_for(rng, site, process)
            process.send_signal(sent)
            # Before it measures it ends as any program does.
            yield judge(site, site.ended(process), killed=True)
    return make


def descendants(parent):
    """Process ids and names."""
    children = {}
    # Not by glob: that fails where a process ends as it looks.
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            text = pathlib.Path(f"/proc/{pid}/stat").read_text()
        except OSError:
            continue
        name, rest = text[text.index("(") + 1:text.rindex(")")], text[text.rindex(")") + 2:].split()
        children.setdefault(int(rest[1]), []).append((int(pid), name))
    found, left = [], [parent]
    while left:
        for child in children.get(left.pop(), []):
            found.append(child)
            left.append(child[0])
    return found


def ranks_of(site, process):
    """Of a real job its ranks; of a simulated one what simulates: the first is what starts the others."""
    return [pid for pid, name in descendants(process.pid)
            if name.startswith(site.rank_program) and ".plan-" in command_of(pid)]


def command_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


def launchers_of(site, process):
    found = descendants(process.pid)
    return [found[0][0]] if found else []


def to_some(targets_of, hit, silence_s=1000000):
    """`hit(pid)` on one of the processes at a moment when there are any."""
    def make(site, rng, tries):
        site.choose("long")
        site.undisturbed()
        for _ in range(tries):
            site.clean()
            process = site.start(silence_s=silence_s)
            wait_for(rng, site, process)
            targets = []
            while not targets and process.poll() is None:
                targets = targets_of(site, process)
            try:
                if targets:
                    hit(rng.choice(targets))
            except ProcessLookupError:
                pass  # it has just ended
            verdict = judge(site, site.ended(process))
            alive = [pid for pid in targets if os.path.exists(f"/proc/{pid}/exe") and str(site.folder) in cwd_of(pid)]
            if alive and not gone_soon(alive):
                verdict.wrong = verdict.wrong or f"processes outlive it: {alive}"
                for pid in alive:
                    os.kill(pid, signal.SIGKILL)
            yield verdict
    return make


def cwd_of(pid):
    try:
        return os.readlink(f"/proc/{pid}/cwd")
    except OSError:
        return ""


def gone_soon(pids):
    for _ in range(6000):
        if not any(cwd_of(pid) for pid in pids):
            return True
        time.sleep(0.01)
    return False


def node_lost(site, rng, tries):
    """All processes of the second node end at once."""
    def all_of_node(_pid):
        for pid in site.cluster.processes("f2"):
            os.kill(pid, signal.SIGKILL)
    return to_some(lambda site, _process: site.cluster.processes("f2")[:1], all_of_node)(site, rng, tries)


def send(number):
    return lambda pid: os.kill(pid, number)


def take_memory(pid):
    resource.prlimit(pid, resource.RLIMIT_AS, (4096, 4096))


def output_cut(site, rng, tries):
    """The output ends after some bytes: the job dies of it, or goes on for nobody; it seems to have ended well."""
    site.choose("short")
    site.undisturbed()
    site.clean()
    site.at_next_job('"${command[@]}" | tee said; exit 0\n')
    site.run()
    for i, place in enumerate(places(rng, (site.folder / "said").stat().st_size, tries)):
        site.clean()
        rest = "; cat >/dev/null" if i % 2 else ""
        site.at_next_job(f'"${{command[@]}}" 2>/dev/null | {{ head -c {place}{rest}; }}; exit 0\n')
        yield judge(site, site.run())


def output_gap(site, rng, tries):
    """A piece in the middle is missing, the job knows nothing of it."""
    site.choose("long" if site.name == "simulated" else "short")
    site.undisturbed()
    site.clean()
    site.at_next_job('"${command[@]}" | tee said; exit 0\n')
    site.run()
    for place in places(rng, (site.folder / "said").stat().st_size, tries):
        site.clean()
        gap = int(10 ** (rng.random() * 3.5))
        site.at_next_job(f'"${{command[@]}}" 2>/dev/null | {{ head -c {place}; head -c {gap} >/dev/null; cat; }}; exit 0\n')
        yield judge(site, site.run())


def halves(site, rng, kind="long"):
    """A campaign that was interrupted at some moment."""
    site.choose(kind)
    site.undisturbed()
    while True:
        site.clean()
        process = site.start()
        wait_for(rng, site, process)
        process.send_signal(signal.SIGTERM)
        site.ended(process)
        # A cell that failed because the machine is busy is not measured again: some must be left.
        cells = site.cells()
        if any(cell[0] == "ok" for cell in cells.values()) and len(cells) < len(site.undisturbed()[0]):
            return


def refused(site, settings, remedy):
    """The second half must end without touching the first."""
    before = site.cells()
    run = site.run(settings=settings)
    verdict = judge_refusal(run, remedy)
    if site.cells() != before:
        verdict.wrong = verdict.wrong or "the profile was changed"
        verdict.mixed = len(set(site.cells()) - set(before))
    rest = judge(site, run)
    rest.message = verdict.message
    rest.wrong = verdict.wrong or rest.wrong
    rest.mixed += verdict.mixed
    return rest


def judge_refusal(run, remedy):
    verdict = Verdict(message=run.message.removeprefix("colltree: "))
    if run.code != 1 or remedy not in run.message:
        verdict.wrong = f"not refused: {run}"
    return verdict


def library_upgraded(site, rng, tries):
    for _ in range(tries):
        halves(site, rng)
        versions = {"FAULT_SIMGRID": "77", "FAULT_MPI": "Open MPI v4.1.77, x" if site.name == "openmpi" else "MPICH Version:\t4.0.77"}
        yield refused(site, versions, "--system")


def library_upgraded_for_ranks(site, rng, tries):
    """The nodes have another version than the host of colltree, which asked its own."""
    version = "Open MPI v4.1.77, x" if site.name == "openmpi" else "MPICH Version:\t4.0.77"
    for _ in range(tries):
        halves(site, rng)
        site.at_next_job(f'export FAULT_MPI="{version}"\nexec {site.launch_with(site.fault_library)} -np "$@"\n')
        yield refused(site, None, "use the same MPI library")


def host_renamed(site, rng, tries):
    for _ in range(tries):
        halves(site, rng, "unnamed" if site.name != "simulated" else "long")
        if site.name == "simulated":  # where it is simulated does not matter
            yield judge(site, site.run(settings={"FAULT_HOST": "elsewhere"}))
        else:
            yield refused(site, {"FAULT_HOST": "elsewhere"}, "--system")


def clock_back(site, rng, tries):
    """A day back again and again, in all programs, in both halves. Not under MPICH, whose MPI_Init waits by that clock."""
    back = {"FAULT_CLOCK_BACK_S": "86400"}
    site.choose("long")
    site.undisturbed()
    for _ in range(tries):
        site.clean()
        process = site.start(settings=back)
        wait_for(rng, site, process)
        process.send_signal(signal.SIGTERM)
        site.ended(process)
        yield judge(site, site.run(settings=back))


def two_at_once(site, rng, tries):
    site.choose("long")
    site.undisturbed()
    for _ in range(tries):
        site.clean()
        first = site.start()
        wait_for(rng, site, first)
        second = site.run()
        one = site.ended(first)
        # Either may be the one that is refused; or the second came when the first had ended.
        twice = cells_measured(one.out) + cells_measured(second.out) - len(site.cells())
        verdict = judge(site, one)
        verdict.repeated += max(0, twice)
        if second.code != 0:
            refusal = judge_refusal(second, "wait for it")
            verdict.message, verdict.wrong = refusal.message, verdict.wrong or refusal.wrong
        yield verdict


def cells_measured(text):
    words = text.split()
    return int(words[words.index("measured,") - 2]) if "measured," in words else 0


ALL = ("simulated", "openmpi", "mpich", "nodes")
REAL = ("openmpi", "mpich", "nodes")

# name: what, how it is made, where, tries there in CI, tries when all is tried (0: not there)
FAULTS = {
    "disk_full": ("the profile's disk full", "write, open fail from the n-th on: ENOSPC", at_call("ENOSPC"), ALL, (2, 0, 0, 0), (10**6, 12, 12, 10)),
    "quota": ("its quota used up", "EDQUOT likewise", at_call("EDQUOT"), ALL, (1, 0, 0, 0), (10**6, 12, 12, 0)),
    "read_only": ("its file system read-only", "every change fails from the n-th on: EROFS", at_call("EROFS"), ALL, (2, 1, 0, 0), (10**6, 12, 12, 10)),
    "io_error": ("an error of the disk", "the n-th write, fsync, unlink fails: EIO", at_call("EIO"), ALL, (2, 0, 1, 0), (10**6, 12, 12, 10)),
    "disk_dies": ("the disk dies", "all fail from the n-th on: EIO", at_call("EIO_FOREVER"), ALL, (1, 0, 0, 0), (10**6, 12, 12, 0)),
    "file_size": ("a limit on the file's size", "ulimit -f", full_file_system, ALL, (1, 0, 0, 0), (50, 12, 12, 0)),
    "killed_at_call": ("colltree killed as it stores", "SIGKILL instead of the n-th call", at_call("KILL"), ALL, (2, 0, 0, 0), (10**6, 12, 12, 0)),
    "torn": ("colltree killed in a write", "SIGKILL after half of the n-th write", at_call("TORN"), ALL, (1, 0, 0, 0), (10**6, 12, 12, 0)),
    "killed": ("colltree killed", "kill -9 at any moment", at_any_moment(signal.SIGKILL), ALL, (1, 1, 1, 0), (100, 100, 100, 10)),
    "terminated": ("SIGTERM", "at any moment", at_any_moment(signal.SIGTERM), ALL, (1, 0, 0, 0), (40, 10, 10, 10)),
    "interrupted": ("SIGINT", "at any moment", at_any_moment(signal.SIGINT), ALL, (1, 0, 0, 0), (40, 10, 10, 0)),
    "hung_up": ("SIGHUP", "at any moment", at_any_moment(signal.SIGHUP), ALL, (1, 0, 0, 0), (40, 10, 10, 0)),
    "rank_killed": ("a rank killed", "SIGKILL to one of them", to_some(ranks_of, send(signal.SIGKILL)), ALL, (1, 1, 0, 0), (40, 10, 10, 10)),
    "rank_crashes": ("a rank crashes", "SIGSEGV", to_some(ranks_of, send(signal.SIGSEGV)), ALL, (1, 0, 0, 0), (40, 10, 10, 0)),
    "rank_stopped": ("a rank stopped", "SIGSTOP, --silence-limit 3", to_some(ranks_of, send(signal.SIGSTOP), 3), ALL, (1, 0, 0, 0), (20, 6, 6, 10)),
    "out_of_memory": ("a rank out of memory", "prlimit: it gets no more", to_some(ranks_of, take_memory, 10), ALL, (1, 0, 0, 0), (40, 10, 10, 0)),
    "launcher_killed": ("the launcher killed", "SIGKILL; simulated: what starts the simulations", to_some(launchers_of, send(signal.SIGKILL)), ALL, (1, 1, 0, 0), (40, 10, 10, 10)),
    "output_cut": ("the job's output cut", "after n bytes, the job ends or goes on", output_cut, ALL, (2, 1, 0, 0), (200, 12, 12, 0)),
    "output_gap": ("a piece of the job's output missing", "n bytes from the m-th on", output_gap, ALL, (2, 1, 0, 0), (200, 12, 12, 10)),
    "node_lost": ("a node lost", "SIGKILL to all that runs on it", node_lost, ("nodes",), (0, 0, 0, 0), (0, 0, 0, 20)),
    "library_upgraded": ("the library upgraded", "another version, second half", library_upgraded, ALL, (1, 0, 0, 0), (10, 5, 5, 0)),
    "library_of_ranks": ("the library of the nodes upgraded", "ranks say another version", library_upgraded_for_ranks, REAL, (0, 0, 1, 0), (0, 5, 5, 0)),
    "host_renamed": ("the host renamed", "gethostname, second half", host_renamed, ALL, (1, 0, 1, 0), (10, 5, 5, 0)),
    "clock_back": ("the clock a day back", "at every 100th look, both halves", clock_back, ("simulated", "openmpi"), (1, 0, 0, 0), (20, 6, 6, 0)),
    "two_at_once": ("two campaigns at once", "the same command twice", two_at_once, ALL, (1, 1, 0, 0), (20, 6, 6, 10)),
}
