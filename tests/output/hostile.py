#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""hostile.py BUILD SOURCE [PART...]: what people and machines do to a command line beside odd data (sweep.py): every option with
values that are none or at their bounds, odd names, inputs that are no files, outputs where none can be, standard streams of all
kinds, limits, signals in the middle of writing. A command ends by itself, says in one line what is wrong, loses no result with
exit code 0, and leaves the old file or the new one. The last line begins with "ok: ". Some cases of each part, chosen by
COLLTREE_TEST_SEED (tests/sample.py): 14 at COLLTREE_TEST_SHARE=100, and all at 100000."""
import itertools
import os
import pathlib
import random
import re
import resource
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
import odd_inputs
import sample
from commands import kinds
from good_end import command_line, faults_of

FEW = 14  # cases of a part that are tried at COLLTREE_TEST_SHARE=100


class Sweep:
    def __init__(self, build, source, work):
        self.colltree = os.path.join(build, "colltree")
        self.work = pathlib.Path(work)
        self.sanitized = b"__asan_init" in pathlib.Path(self.colltree).read_bytes()
        self.bases = {**{f"fit {kind}": "p.db --collective bcast -o OUT" for kind in kinds(self.colltree)}, **odd_inputs.BASES}
        if os.path.exists(os.path.join(build, "colltree-simulate")):
            self.bases.update(odd_inputs.SIMULATED)
        self.most = max(1, round(FEW * sample.SHARE / 100))
        self.random = random.Random(sample.seed())
        self.calls, self.wrong, self.plains = 0, 0, {}
        self.make_files(pathlib.Path(source))

    def make_files(self, source):
        shutil.copy(source / "tests/campaign/grig_tiny-3.32.csv", self.work / "p.csv")
        for command in ("import p.csv -o p.db", "fit quadtree p.db --collective bcast -o m.json", "emit cdt m.json -o m.cdt",
                        "emit openmpi-4.1 m.json -o r.rules"):
            done = self.run(command.split())
            assert done.returncode == 0, done
        odd_inputs.unpack_c45(source, self.work, "s")
        shutil.copy(source / "tests/fuzz/corpus/record/small", self.work / "calls.csv")
        self.inputs = {path.name for path in self.work.iterdir()}

    def some(self, cases):
        cases = list(cases)
        return cases if len(cases) <= self.most else self.random.sample(cases, self.most)

    def base(self, command):
        return [word.replace("OUT", "out/made") for word in [*command.split(), *shlex.split(self.bases[command])]]

    def anew(self):
        shutil.rmtree(self.work / "out", ignore_errors=True)
        (self.work / "out").mkdir()

    def run(self, words, env=None, **more):
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "cwd": self.work, **more}
        options["env"] = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0", **(env or {})}
        self.calls += 1
        try:
            return subprocess.run(command_line(self.colltree, words), timeout=600, errors="surrogateescape", **options)
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(words, "no end", "", "")

    def plain(self, command):
        if command not in self.plains:
            self.anew()
            self.plains[command] = self.run(self.base(command))
            self.anew()
        return self.plains[command]

    def complain(self, what, where, words, code="-", errors=""):
        self.wrong += 1
        shown = " ".join(str(word)[:120] for word in words)
        print(f"WRONG: {what}: ({where}) colltree {shown[:600]!r}: exit code {code}: {(errors or '')[:600]}", flush=True)

    def judge(self, where, words, done):
        """Whether it is an end at all; what is wrong with it is said."""
        for fault in faults_of(done.returncode, done.stderr):
            self.complain(fault, where, words, done.returncode, done.stderr)
        return done.returncode in (0, 1, 2)

    def meet(self, where, words, **more):
        done = self.run(words, **more)
        self.judge(where, words, done)
        return done


def usage(sweep):
    """Commands with nothing, with what there is not, with --help."""
    more = ([], ["--none"], ["--help", "--none"], ["-"], ["--"], ["", ""], ["x"] * 50, ["--", "--help"], ["--help"])
    for command, words in sweep.some(itertools.product(sweep.bases, more)):
        sweep.anew()
        words = [*command.split(), *words]
        done = sweep.meet("usage", words)
        if done.returncode == 0 and not done.stdout:
            sweep.complain("nothing is said", "usage", words, 0)
    for words in sweep.some(([], [""], ["none"], ["-h"], ["--version", "show"], ["show", "fit"], ["--help"] * 1000, ["x" * 100000], ["show"] * 2)):
        sweep.meet("usage", words)


def options_of(sweep, command):
    """(name, whether it has a value) of each option, as --help lists them."""
    for line in sweep.run([*command.split(), "--help"]).stdout.splitlines():
        found = re.match(r"^  ((?:-\w,)?(?:--[\w-]+|-\w))(?: (\S+))?", line)
        if found and not found[1].endswith("--help"):
            yield found[1].split(",")[-1], found[2] is not None and not found[2][0].islower()


def options(sweep):
    """Every option of every command with every value, in place of the command's own; as one word, as two, and twice."""
    known = {command: list(options_of(sweep, command)) for command in sweep.some(sweep.bases)}
    cases = [(command, name, value) for command, its in known.items() for name, valued in its
             for value in (odd_inputs.VALUES if valued else ["", "1"])]
    for command, name, value in sweep.some(cases):
        words = sweep.base(command)
        if name in words:
            del words[words.index(name):words.index(name) + 2]
        at = words.index("--") if "--" in words else len(words)
        one = [f"{name}={value}" if name.startswith("--") else f"{name}{value}"]
        for given in (one, [name, value], one + [name, value]):
            sweep.anew()
            sweep.meet("options", [os.fsencode(word) for word in words[:at] + given + words[at:]])


def names(sweep):
    """Input and output under odd names, with a folder before them and without."""
    for name, (command, (file, words)), with_folder in sweep.some(itertools.product(odd_inputs.NAMES, odd_inputs.NAMED.items(), (True, False))):
        sweep.anew()
        folder = sweep.work / "out/d"
        folder.mkdir()
        shutil.copy(sweep.work / file, os.fsencode(folder / name))
        made = os.path.join(folder, ("o" + name)[:240])
        place = os.path.join(folder if with_folder else ".", name)
        words = [place if word == file else word.replace("OUT", made) for word in [*command.split(), *shlex.split(words)]]
        words = [str(sweep.work / word) if word == "p.db" else word for word in words]
        done = sweep.meet("names", [os.fsencode(word) for word in words], cwd=folder)
        if done.returncode != 0:
            sweep.complain("an odd name is refused", "names", words, done.returncode, done.stderr)
        elif any(made in word for word in words) and len(list(folder.iterdir())) < 2:
            sweep.complain("nothing is made", "names", words, 0)


def inputs(sweep):
    """Everything that is read, from what is no file, or none of its kind."""
    folder = sweep.work / "in"
    folder.mkdir()
    for name, content in odd_inputs.contents(sweep.work).items():
        (folder / name).write_bytes(content)
    odd_inputs.databases(sweep.work, folder)
    (folder / "folder").mkdir()
    (folder / "loop").symlink_to("loop")
    (folder / "dangling").symlink_to("none/none")
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(folder / "socket"))
    places = [str(path) for path in sorted(folder.iterdir())] + odd_inputs.NO_FILES
    for (command, words), place in sweep.some(itertools.product(odd_inputs.READERS, places)):
        if command in odd_inputs.SIMULATED and command not in sweep.bases:
            continue
        sweep.anew()
        words = [place if word == "IN" else word.replace("OUT", "out/made") for word in [*command.split(), *shlex.split(words)]]
        # A log beside a database is taken over by whoever opens it.
        kept = place.startswith(str(folder)) and os.path.isfile(place) and not re.search("wal|orphan", place)
        before = pathlib.Path(place).read_bytes() if kept else b""
        sweep.meet("inputs", words)
        if kept and pathlib.Path(place).read_bytes() != before:
            sweep.complain("an input was changed", "inputs", words)
    listening.close()


def places(sweep):
    """Outputs where they cannot be, or where the input is."""
    cases = []
    for command in sweep.bases:
        words = shlex.split(sweep.bases[command])
        if "OUT" not in words:
            continue
        # Not every file that is there now: `-o 1` has made one.
        read = [word for word in words if word in sweep.inputs]
        for place in ["", ".", "/dev/full", "p.db/x", "out", "out/", "out/none/x", "a" * 256, "out/" + "b/" * 3000 + "x", "/proc/x",
                      "/proc/version", "loop", *read, *(f"./{one}" for one in read), *(f"link-{one}" for one in read)]:
            cases.append((command, place, read))
    (sweep.work / "loop").symlink_to("loop")
    for command, place, read in sweep.some(cases):
        sweep.anew()
        for one in read:
            if not (sweep.work / f"link-{one}").is_symlink():
                (sweep.work / f"link-{one}").symlink_to(one)
        words = [place if word == "out/made" else word for word in sweep.base(command)]
        before = {one: (sweep.work / one).read_bytes() for one in read}
        done = sweep.meet("places", words)
        for one, content in before.items():
            if (sweep.work / one).read_bytes() != content:
                sweep.complain(f"{one} was changed", "places", words, done.returncode)
                (sweep.work / one).write_bytes(content)
        if done.returncode == 0 and place in ("", "/dev/full", "p.db/x", "a" * 256, "/proc/x", "/proc/version", "loop"):
            sweep.complain("lost with exit code 0", "places", words, 0)


def limited(name, value):
    return f"{name} {value}", {"preexec_fn": lambda: resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (value, value))}


def in_deleted_folder():
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    os.rmdir(folder)


def surroundings(sweep):
    """What a process inherits: limits, its mask and folder, signals, the environment. Tight ones may be the end of a command."""
    tight = [limited(name, value) for name, values in
             {"NPROC": (0, 1), "STACK": (262144, 1 << 20), "NOFILE": (4, 5, 6, 8), "FSIZE": (0, 1, 100, 5000), "AS": (40 << 20, 80 << 20, 160 << 20),
              "DATA": (4 << 20, 16 << 20)}.items() for value in values if not sweep.sanitized or name not in ("AS", "DATA", "STACK")]
    tight.append(("deleted folder", {"preexec_fn": in_deleted_folder}))
    loose = [limited("CORE", 0), limited("MEMLOCK", 0), ("umask 777", {"preexec_fn": lambda: os.umask(0o777)}),
             ("SIGPIPE ignored", {"preexec_fn": lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN), "restore_signals": False}),
             ("SIGCHLD ignored", {"preexec_fn": lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN)}),
             ("signals blocked", {"preexec_fn": lambda: signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))})]
    environment = {"TZ": ("Nowhere/None", ":/dev/zero", "UTC+24:59:59", ""), "LANG": ("xx_YY.nope",), "LC_ALL": ("tr_TR.UTF-8", "a" * 10000),
                   "PATH": ("", "/none"), "HOME": ("", "/dev/null"), "TMPDIR": ("/none", "", "/dev/full"), "COLUMNS": ("0", "-5", "9" * 11, "1"),
                   "TERM": ("none",), "COLLTREE_MODEL": ("/none",), "SLURM_JOB_ID": ("x",), "LOCPATH": ("/none",), "SQLITE_TMPDIR": ("/none",),
                   "OMP_NUM_THREADS": ("x",)}
    loose += [(f"{name}={value[:20]}", {"env": {name: value}}) for name, values in environment.items() for value in values]
    return tight, loose


def limits(sweep):
    """Where nothing that a command needs is taken, its exit code is the plain one; where it ends with 0, its file is there."""
    tight, loose = surroundings(sweep)
    for command, (where, more) in sweep.some(itertools.product(sweep.bases, tight + loose)):
        plain = sweep.plain(command)
        words = sweep.base(command)
        if where == "deleted folder":
            words = [str(sweep.work / word) if (sweep.work / word).exists() or word.startswith("out/") else word for word in words]
        sweep.anew()
        done = sweep.run(words, **more)
        if done.returncode == 127 and "loading shared libraries" in done.stderr or not sweep.judge(where, words, done):
            continue
        if where not in dict(tight) and done.returncode != plain.returncode:
            sweep.complain(f"exit code, not {plain.returncode}", where, words, done.returncode, done.stderr)
        if done.returncode == 0 and any(word.startswith("out/") for word in sweep.base(command)) and not list((sweep.work / "out").iterdir()):
            sweep.complain("nothing is made", where, words, 0)


STREAMS = {"as it is": None, "closed": None, "full": ("/dev/full", os.O_RDWR), "for reading": ("/dev/null", os.O_RDONLY),
           "nowhere": ("/dev/null", os.O_RDWR), "a folder": ("/", os.O_RDONLY)}


def arrange(kinds):
    for number, kind in enumerate(kinds):
        if kind == "closed":
            os.close(number)
        elif STREAMS[kind]:
            file = os.open(*STREAMS[kind])
            if file != number:
                os.dup2(file, number)
                os.close(file)


def streams(sweep):
    """Each of the three streams in each way, together: what is printed is there, or the exit code says that it is not."""
    for command, *kinds in sweep.some(itertools.product(sweep.bases, ("as it is", "closed", "a folder", "full"), STREAMS, STREAMS)):
        plain = sweep.plain(command)
        sweep.anew()
        words = sweep.base(command)
        done = sweep.run(words, preexec_fn=lambda kinds=kinds: arrange(kinds))
        where = "streams: " + ", ".join(kinds)
        if kinds[2] != "as it is":
            done.stderr = None
        if not sweep.judge(where, words, done):
            continue
        lost = plain.stdout and kinds[1] not in ("as it is", "nowhere")
        want = 1 if lost and plain.returncode == 0 else plain.returncode
        if done.returncode != want:
            sweep.complain(f"exit code, not {want}", where, words, done.returncode, done.stderr)


def signals(sweep):
    """A signal in the middle of what writes a file: the old one, or the new one, whole."""
    writers = [name for name in sweep.bases if "OUT" in sweep.bases[name] and name not in ("measure", "tune", "tune --dry-run", "measure kit", "report")]
    numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL, signal.SIGPIPE, signal.SIGUSR1)
    for command, number in sweep.some(itertools.product(writers, numbers)):
        sweep.anew()
        words = sweep.base(command)
        out = sweep.work / next(word for word in words if word.startswith("out/"))
        began = time.monotonic()
        assert sweep.run(words).returncode == 0
        length_s, new = time.monotonic() - began, out.read_bytes()
        profile = command == "import"
        out.unlink()
        if not profile:
            out.write_bytes(b"old\n")
        process = subprocess.Popen([sweep.colltree, *words], cwd=sweep.work, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        sweep.calls += 1
        time.sleep(sweep.random.random() * length_s * 1.2)
        process.send_signal(number)
        process.wait(600)
        if profile:  # what is there is whole, and the same command goes on
            again = sweep.run(words)
            if again.returncode != 0:
                sweep.complain(f"does not go on after signal {number}", "signals", words, again.returncode, again.stderr)
        elif out.read_bytes() not in (b"old\n", new):
            sweep.complain(f"half of a file after signal {number}", "signals", words, process.returncode)


def users(sweep):
    """By a user who may read all and write nothing: what writes is refused, what does not is as before."""
    if os.getuid() != 0:
        return print("skipped: users: only root can become another user")
    sweep.work.chmod(0o755)
    for folder in (sweep.work, *map(pathlib.Path, pathlib.Path(sweep.colltree).parents)):
        if not folder.stat().st_mode & 0o005:
            return print(f"skipped: users: {folder} is closed to others")
    for command in sweep.some(sorted(set(sweep.bases) - {"run"})):
        plain = sweep.plain(command)
        words = sweep.base(command)
        done = sweep.meet("users", words, user=65534, group=65534, extra_groups=[])
        want = 1 if any(word.startswith("out/") for word in words) else plain.returncode
        if done.returncode != want:
            sweep.complain(f"exit code, not {want}", "users", words, done.returncode, done.stderr)


def files_below(folder):
    """What is there, by name; of a profile only that it is there, of what a kill may leave nothing."""
    return {str(path.relative_to(folder)): b"" if path.suffix == ".db" else path.read_bytes() for path in sorted(folder.rglob("*"))
            if path.is_file() and ".db.plan-" not in path.name}


def goes_on(sweep):
    """What makes several files, or goes on with what is there, ended at any moment: the same command makes the same."""
    numbers = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    kinds = sorted({"tune --dry-run", "measure kit", "report", "export", "fit optimal"} | {"tune"} & set(sweep.bases))
    for command, number in sweep.some([*itertools.product(kinds, numbers)] * 3):
        words = sweep.base(command)
        sweep.anew()
        began = time.monotonic()
        assert sweep.run(words).returncode == 0
        length_s, want = time.monotonic() - began, files_below(sweep.work / "out")
        sweep.anew()
        process = subprocess.Popen([sweep.colltree, *words], cwd=sweep.work, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        sweep.calls += 1
        time.sleep(sweep.random.random() * length_s)
        process.send_signal(number)
        process.wait(600)
        done = sweep.meet("goes on", words)
        have = files_below(sweep.work / "out")
        wrong = sorted(name for name in {*have, *want} if have.get(name) != want.get(name))
        if done.returncode != 0 or wrong:
            sweep.complain(f"signal {number}: {wrong}", "goes on", words, done.returncode, done.stderr)


PARTS = {part.__name__: part for part in (usage, options, names, inputs, places, limits, streams, signals, users, goes_on)}


def main():
    build, source, *parts = sys.argv[1:]
    with tempfile.TemporaryDirectory() as work:
        sweep = Sweep(os.path.abspath(build), os.path.abspath(source), work)
        for part in parts or PARTS:
            calls, wrong, began = sweep.calls, sweep.wrong, time.monotonic()
            PARTS[part](sweep)
            print(f"{part}: {sweep.calls - calls} calls, {sweep.wrong - wrong} wrong, {time.monotonic() - began:.0f} s", flush=True)
    if sweep.wrong:
        sys.exit(f"FAILED: {sweep.wrong} times in {sweep.calls} calls")
    print(f"ok: {sweep.calls} calls")


main()
