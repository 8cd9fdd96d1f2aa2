#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures how many planted bugs the tests find.

bugs/NN-name.patch is a mistake that a developer could make, with what its user would see in the first line. All that change C or C++
are compiled into one build, each behind a switch (switch.h): with COLLTREE_PLANTED=NN in the environment bug NN is there. The others
change a file that is not compiled: they are applied for their run and taken back.

  planted.py build FOLDER [CMAKE ARGUMENTS...]  copies the committed sources to FOLDER/source, plants the bugs and builds
                                                (default: --preset dev; without a preset in FOLDER/source/build/planted)
  planted.py reach FOLDER [--label L]... [-j N] runs each test without a bug: which bugs' places it comes to -> FOLDER/reach.json
  planted.py find FOLDER [NUMBERS...] [--label L]... [--limit SECONDS] [-j N]
                                                runs the tests that reach a bug, cheapest first, to the first failure -> FOLDER/find.json
  planted.py table FOLDER...                    prints what was found as Markdown, a column for each folder

Both files hold one JSON object a line. A command that was stopped continues where it was; remove a file to begin anew.
"""
import argparse
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Iterator, NoReturn

HERE = pathlib.Path(__file__).resolve().parent
COMPILED = {".c", ".cpp", ".h"}
HANGS_AFTER = 20  # times as long as without the bug, and at least a minute


def fail(message: str) -> NoReturn:
    sys.exit(f"planted.py: {message}")


class Bug:
    def __init__(self, patch: pathlib.Path) -> None:
        number, _, self.name = patch.stem.partition("-")
        text = patch.read_text(encoding="utf-8")
        self.patch, self.number, self.what = patch, int(number), text.split("\n", 1)[0].removeprefix("what: ")
        self.file = re.findall(r"^\+\+\+ b/(\S+)", text, re.M)[0]
        self.is_compiled = pathlib.Path(self.file).suffix in COMPILED

    def apply(self, source: pathlib.Path, *options: str) -> None:
        command = ["patch", "-p1", "--quiet", "--force", "--fuzz=0", "--no-backup-if-mismatch", "--reject-file=-", *options, "-i", self.patch]
        if subprocess.run(command, cwd=source, capture_output=True).returncode != 0:
            fail(f"{self.patch.name}: its place is gone: write it anew")


def all_bugs() -> list[Bug]:
    return [Bug(patch) for patch in sorted(HERE.glob("bugs/*.patch"))]


def read_lines(file: pathlib.Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []


def run(*command: Any, cwd: pathlib.Path | None = None) -> None:
    if subprocess.run([str(word) for word in command], cwd=cwd).returncode != 0:
        fail(f"{' '.join(str(word) for word in command[:6])} failed; its last lines say why")


def build(folder: pathlib.Path, arguments: list[str]) -> None:
    source, arguments = folder / "source", arguments or ["--preset", "dev"]
    name = arguments[arguments.index("--preset") + 1] if "--preset" in arguments else "planted"
    kept = folder / "kept"
    if (source / "build").exists():
        shutil.move(source / "build", kept)
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir(parents=True)
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=HERE, capture_output=True)
    repository = subprocess.run(["git", "rev-parse", "--show-toplevel"], cwd=HERE, capture_output=True, text=True).stdout.strip()
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=repository, capture_output=True, check=True)
    subprocess.run(["tar", "x"], cwd=source, input=archive.stdout, check=True)
    for bug in all_bugs():
        bug.apply(source, *([] if bug.is_compiled else ["--dry-run"]))
    switch = (HERE / "switch.h").read_text(encoding="utf-8")
    for file in {source / bug.file for bug in all_bugs() if bug.is_compiled}:
        file.write_text(switch + file.read_text(encoding="utf-8"), encoding="utf-8")
    if kept.exists():
        shutil.move(kept, source / "build")
    author = ["-c", "user.name=planted", "-c", "user.email=planted@localhost", "-c", "commit.gpgsign=false"]
    for words in (["init", "-q"], ["add", "-A"], [*author, "commit", "-q", "-m", "Planted"]):
        run("git", *words, cwd=source)
    run("cmake", *arguments, *([] if "--preset" in arguments else ["-B", f"build/{name}"]), cwd=source)
    (folder / "build").write_text(f"source/build/{name}\n", encoding="utf-8")
    run("cmake", "--build", source / "build" / name)


class Tests:
    """The tests of the build, each run by ctest; none twice at once, and none beside one that must be alone."""

    def __init__(self, folder: pathlib.Path, labels: list[str]) -> None:
        if not (folder / "build").exists():
            fail(f"{folder}: holds no build; make one with planted.py build {folder}")
        self.build = folder / (folder / "build").read_text(encoding="utf-8").strip()
        shown = subprocess.run(["ctest", "--show-only=json-v1"], cwd=self.build, capture_output=True, check=True)
        self.needs: dict[str, set[str]] = {}
        self.alone: set[str] = set()
        for test in json.loads(shown.stdout)["tests"]:
            facts = {one["name"]: one["value"] for one in test.get("properties", [])}
            if facts.get("DISABLED") or (labels and not set(labels) & set(facts.get("LABELS", []))):
                continue
            self.needs[test["name"]] = {test["name"], *(f"lock {one}" for one in facts.get("RESOURCE_LOCK", []))}
            if facts.get("RUN_SERIAL"):
                self.alone.add(test["name"])
        self.changed, self.held, self.waiting = threading.Condition(), set[str](), 0

    @contextlib.contextmanager
    def hold(self, name: str) -> Iterator[None]:
        is_alone = name in self.alone
        needs = self.needs[name] | ({"alone"} if is_alone else set())
        with self.changed:
            self.waiting += is_alone
            self.changed.wait_for(lambda: not self.held if is_alone
                                  else not self.waiting and "alone" not in self.held and not self.held & needs)
            self.waiting -= is_alone
            self.held |= needs
        try:
            yield
        finally:
            with self.changed:
                self.held -= needs
                self.changed.notify_all()

    def passes(self, name: str, bug: int, limit_s: float, reached: str = "") -> tuple[bool, float]:
        """Whether it passes within the limit, and the seconds that it took."""
        words = ["ctest", "-R", "^" + re.sub(r"([][.*+?^$()|\\])", r"\\\1", name) + "$"]
        environment = dict(os.environ, COLLTREE_PLANTED=str(bug), COLLTREE_PLANTED_REACHED=reached)
        with self.hold(name):
            began = time.monotonic()
            child = subprocess.Popen(words, cwd=self.build, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                     stderr=subprocess.DEVNULL, start_new_session=True, text=True)
            try:
                said, _ = child.communicate(timeout=limit_s)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGTERM)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    child.communicate(timeout=10)
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(child.pid, signal.SIGKILL)
                said = ""
            return child.poll() == 0 and "100% tests passed" in said, time.monotonic() - began


class Results:
    def __init__(self, file: pathlib.Path) -> None:
        self.file, self.lock = file, threading.Lock()

    def add(self, text: str, **fields: Any) -> None:
        with self.lock, open(self.file, "a", encoding="utf-8") as out:
            out.write(json.dumps(fields) + "\n")
            print(text, flush=True)


def reach(folder: pathlib.Path, labels: list[str], jobs: int) -> None:
    tests, results = Tests(folder, labels), Results(folder / "reach.json")
    known = {one["test"] for one in read_lines(results.file)}

    def one(name: str) -> None:
        with tempfile.NamedTemporaryFile(prefix="planted-") as file:
            os.chmod(file.name, 0o666)  # some tests run programs as another user
            passed, seconds = tests.passes(name, 0, 7200, file.name)
            numbers = sorted({int(line) for line in pathlib.Path(file.name).read_text(encoding="utf-8").split()})
        text = f"{name}: {seconds:.1f} s, reaches {len(numbers)}" if passed else f"{name}: fails without a bug, left out"
        results.add(text, test=name, passed=passed, seconds=round(seconds, 2), reached=numbers)

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(one, [name for name in tests.needs if name not in known]))


def find(folder: pathlib.Path, numbers: list[int], labels: list[str], limit_s: float, jobs: int) -> None:
    tests, results = Tests(folder, labels), Results(folder / "find.json")
    known = {one["bug"] for one in read_lines(results.file)}
    rows = [one for one in read_lines(folder / "reach.json") if one["passed"] and one["test"] in tests.needs]
    rows.sort(key=lambda one: one["seconds"])

    def search(bug: Bug) -> None:
        its = [one for one in rows if not bug.is_compiled or bug.number in one["reached"]]
        began, ran, doubts, found = time.monotonic(), 0, list[str](), ""
        for ran, one in enumerate(its, 1):
            left_s = limit_s - (time.monotonic() - began)
            if left_s <= 0:
                ran -= 1
                break
            hangs_s = max(60, HANGS_AFTER * one["seconds"])
            if tests.passes(one["test"], bug.number, min(left_s, hangs_s))[0] or left_s - (time.monotonic() - began) < 0 < left_s - hangs_s:
                continue
            if not bug.is_compiled or tests.passes(one["test"], 0, hangs_s)[0]:  # not by chance
                found = one["test"]
                break
            doubts.append(one["test"])
        seconds = time.monotonic() - began
        text = f"found by {found} after {seconds:.1f} s ({ran} of {len(its)} tests)" if found else f"not found by {ran} of {len(its)} tests, {seconds:.0f} s"
        results.add(f"{bug.number:02d} {bug.name}: {text}", bug=bug.number, found=found, ran=ran, tests=len(its), seconds=round(seconds, 1), failed_without=doubts)

    wanted = [bug for bug in all_bugs() if bug.number not in known and (not numbers or bug.number in numbers)]
    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(search, [bug for bug in wanted if bug.is_compiled]))
    for bug in (bug for bug in wanted if not bug.is_compiled):
        bug.apply(folder / "source")
        try:
            run("cmake", "--build", tests.build)
            search(bug)
        finally:
            bug.apply(folder / "source", "-R")
            run("cmake", "--build", tests.build)


def table(folders: list[pathlib.Path]) -> None:
    found = [{one["bug"]: one for one in read_lines(folder / "find.json")} for folder in folders]
    print("| bug | what | " + " | ".join(f"{folder.name}: found by | s" for folder in folders) + " |")
    print("| --: | --- |" + " --- | --: |" * len(folders))
    for bug in all_bugs():
        cells = [(f"`{one[bug.number]['found']}`" if one[bug.number]["found"] else "-", f"{one[bug.number]['seconds']:.0f}")
                 if bug.number in one else ("not tried", "") for one in found]
        print(f"| {bug.number} | {bug.what} | " + " | ".join(" | ".join(pair) for pair in cells) + " |")
    sums = [f"{sum(bool(one['found']) for one in its.values())} of {len(its)} | {sum(one['seconds'] for one in its.values()):.0f}" for its in found]
    print("| | all | " + " | ".join(sums) + " |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["build", "reach", "find", "table"])
    parser.add_argument("folder", type=pathlib.Path)
    if sys.argv[1:2] == ["build"]:
        known, rest = parser.parse_known_args()
        return build(known.folder.resolve(), rest)
    parser.add_argument("more", nargs="*")
    parser.add_argument("--label", action="append", default=[])
    parser.add_argument("--limit", type=float, default=600)
    parser.add_argument("-j", type=int, default=2)
    asked = parser.parse_args()
    if asked.command == "reach":
        reach(asked.folder.resolve(), asked.label, asked.j)
    elif asked.command == "find":
        find(asked.folder.resolve(), [int(one) for one in asked.more], asked.label, asked.limit, asked.j)
    else:
        table([asked.folder, *map(pathlib.Path, asked.more)])


if __name__ == "__main__":
    main()
