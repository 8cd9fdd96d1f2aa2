#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures how many planted bugs the tests find.

bugs/NN-name.patch is a mistake that a developer could make; its first line says what its user would see. All that change C or C++ are
compiled into one build, each behind a switch (switch.h): with COLLTREE_PLANTED=NN in the environment bug NN is there. The others
change a file that is not compiled: they are applied for their run and taken back.

  planted.py build FOLDER [CMAKE ARGUMENTS...]   copies the committed sources to FOLDER/source, plants the bugs and builds
                                                 (default: --preset dev; without a preset in FOLDER/source/build/planted)
  planted.py reach FOLDER [--label L]... [--without L]... [-j N]   runs each test without a bug: whose places it comes to -> FOLDER/reach.json
  planted.py find FOLDER [NUMBERS...] [--label L]... [--without L]... [--limit SECONDS] [-j N]   runs the tests that reach a bug, cheapest first, to
                                                 the first failure -> FOLDER/find.json
  planted.py table FOLDER...                     prints what was found as Markdown, a column for each folder

The default tier is `--without thorough --without long`. Both files hold one JSON object a line. A command that was stopped continues where it was; remove a file to begin anew.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NoReturn

HERE = pathlib.Path(__file__).resolve().parent
HANGS_AFTER = 20  # times as long as without the bug, and at least a minute
WRITING = threading.Lock()


def fail(message: str) -> NoReturn:
    sys.exit(f"planted.py: {message}")


class Bug:
    def __init__(self, patch: pathlib.Path) -> None:
        text, number = patch.read_text(encoding="utf-8"), patch.stem.partition("-")[0]
        self.patch, self.number, self.what = patch, int(number), text.split("\n", 1)[0].removeprefix("what: ")
        self.file = re.findall(r"^\+\+\+ b/(\S+)", text, re.M)[0]
        self.is_compiled = pathlib.Path(self.file).suffix in {".c", ".cpp", ".h"}

    def apply(self, source: pathlib.Path, *options: str) -> None:
        command = ["patch", "-p1", "--quiet", "--force", "--fuzz=0", "--no-backup-if-mismatch", "--reject-file=-", *options]
        if subprocess.run([*command, "-i", self.patch], cwd=source, capture_output=True).returncode != 0:
            fail(f"{self.patch.name}: its place is gone: write it anew")


BUGS = [Bug(patch) for patch in sorted(HERE.glob("bugs/*.patch"))]


def read_lines(file: pathlib.Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []


def add_line(file: pathlib.Path, text: str, **fields: Any) -> None:
    with WRITING, open(file, "a", encoding="utf-8") as out:
        out.write(json.dumps(fields) + "\n")
        print(text, flush=True)


def run(folder: pathlib.Path, *command: Any, **how: Any) -> None:
    if subprocess.run([str(word) for word in command], cwd=folder, **how).returncode != 0:
        fail(f"{folder}: {' '.join(str(word) for word in command[:6])} failed; the lines above say why")


def build(folder: pathlib.Path, arguments: list[str]) -> None:
    source, arguments = folder / "source", arguments or ["--preset", "dev"]
    name = arguments[arguments.index("--preset") + 1] if "--preset" in arguments else "planted"
    source.mkdir(parents=True, exist_ok=True)
    run(source, *"find . -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +".split())
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=HERE.parents[1], stdout=subprocess.PIPE)
    run(source, "tar", "x", input=archive.stdout)
    for bug in BUGS:
        bug.apply(source, *([] if bug.is_compiled else ["--dry-run"]))
    for file in {source / bug.file for bug in BUGS if bug.is_compiled}:
        file.write_text((HERE / "switch.h").read_text(encoding="utf-8") + file.read_text(encoding="utf-8"), encoding="utf-8")
    run(source, "sh", "-c", "git init -q && git add -A && git -c user.name=planted -c user.email=planted@localhost commit -qm Planted")
    run(source, "cmake", *arguments, *([] if "--preset" in arguments else ["-B", f"build/{name}"]))
    (folder / "build").write_text(f"source/build/{name}\n", encoding="utf-8")
    run(source, "cmake", "--build", f"build/{name}")


class Tests:
    """The tests of the build, each run by ctest; none twice at once, and none beside one that must be alone."""

    def __init__(self, folder: pathlib.Path, labels: list[str], without: list[str]) -> None:
        if not (folder / "build").exists():
            fail(f"{folder}: holds no build; make one with planted.py build {folder}")
        self.build = folder / (folder / "build").read_text(encoding="utf-8").strip()
        shown = subprocess.run(["ctest", "--show-only=json-v1"], cwd=self.build, capture_output=True, check=True)
        self.needs: dict[str, set[str]] = {}
        self.changed, self.held, self.alone, self.waiting = threading.Condition(), set[str](), set[str](), 0
        for test in json.loads(shown.stdout)["tests"]:
            facts = {one["name"]: one["value"] for one in test.get("properties", [])}
            its = set(facts.get("LABELS", []))
            if not facts.get("DISABLED") and (not labels or set(labels) & its) and not set(without) & its:
                self.needs[test["name"]] = {test["name"], *(f"lock {one}" for one in facts.get("RESOURCE_LOCK", []))}
                self.alone |= {test["name"]} if facts.get("RUN_SERIAL") else set()

    def passes(self, name: str, bug: int, limit_s: float, reached: str = "") -> tuple[bool, float]:
        """Whether it passes within the limit, and the seconds that it took."""
        is_alone, needs = name in self.alone, self.needs[name] | ({"alone"} if name in self.alone else set())
        with self.changed:
            self.waiting += is_alone
            self.changed.wait_for(lambda: not self.held if is_alone else not (self.waiting or "alone" in self.held or self.held & needs))
            self.waiting -= is_alone
            self.held |= needs
        words = ["timeout", "-k", "5", f"{max(1, limit_s):.1f}", "ctest", "-R", "^" + re.sub(r"([][.*+?^$()|\\])", r"\\\1", name) + "$"]
        began, environment = time.monotonic(), dict(os.environ, COLLTREE_PLANTED=str(bug), COLLTREE_PLANTED_REACHED=reached)
        end = subprocess.run(words, cwd=self.build, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
        with self.changed:
            self.held -= needs
            self.changed.notify_all()
        return end.returncode == 0 and "100% tests passed" in end.stdout, time.monotonic() - began


def reach(folder: pathlib.Path, tests: Tests, jobs: int) -> None:
    results = folder / "reach.json"

    def try_test(name: str) -> None:
        with tempfile.NamedTemporaryFile(prefix="planted-") as file:
            os.chmod(file.name, 0o666)  # some tests run programs as another user
            passed, seconds = tests.passes(name, 0, 7200, file.name)
            numbers = sorted({int(line) for line in pathlib.Path(file.name).read_text(encoding="utf-8").split()})
        text = f"{name}: {seconds:.1f} s, reaches {len(numbers)}" if passed else f"{name}: fails without a bug, left out"
        add_line(results, text, test=name, passed=passed, seconds=round(seconds, 2), reached=numbers)

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(try_test, sorted(tests.needs.keys() - {one["test"] for one in read_lines(results)})))


def find(folder: pathlib.Path, tests: Tests, numbers: list[int], limit_s: float, jobs: int) -> None:
    results = folder / "find.json"
    rows = sorted((one for one in read_lines(folder / "reach.json") if one["passed"] and one["test"] in tests.needs), key=lambda one: one["seconds"])

    def search(bug: Bug) -> None:
        its = [one for one in rows if not bug.is_compiled or bug.number in one["reached"]]
        began, ran, found, doubts = time.monotonic(), 0, "", list[str]()
        for one in its:
            left_s, hangs_s = limit_s - (time.monotonic() - began), max(60, HANGS_AFTER * one["seconds"])
            passed, took_s = tests.passes(one["test"], bug.number, min(left_s, hangs_s)) if left_s > 0 else (False, 0)
            if not passed and took_s >= left_s:
                break
            ran += 1
            if not passed and (not bug.is_compiled or tests.passes(one["test"], 0, hangs_s)[0]):  # not by chance
                found = one["test"]
                break
            doubts += [] if passed else [one["test"]]
        seconds = time.monotonic() - began
        text = f"found by {found} after {seconds:.1f} s ({ran} of {len(its)} tests)" if found else f"not found by {ran} of {len(its)} tests, {seconds:.0f} s"
        add_line(results, f"{bug.patch.stem}: {text}", bug=bug.number, found=found, ran=ran, tests=len(its), seconds=round(seconds, 1), failed_without=doubts)

    wanted = [bug for bug in BUGS if bug.number in (numbers or {bug.number}) and all(bug.number != one["bug"] for one in read_lines(results))]
    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(search, [bug for bug in wanted if bug.is_compiled]))
    for bug in (bug for bug in wanted if not bug.is_compiled):
        bug.apply(folder / "source")
        try:
            run(tests.build, "cmake", "--build", ".", stdout=subprocess.DEVNULL)
            search(bug)
        finally:
            bug.apply(folder / "source", "-R")
            run(tests.build, "cmake", "--build", ".", stdout=subprocess.DEVNULL)


def table(folders: list[pathlib.Path]) -> None:
    found = [{one["bug"]: one for one in read_lines(folder / "find.json")} for folder in folders]
    print("| bug | what |", *(f"{folder.name}: found by | s |" for folder in folders), "\n| --: | --- |" + " --- | --: |" * len(folders))
    for bug in BUGS:
        its = [one.get(bug.number, {"found": "", "seconds": 0}) for one in found]
        print(f"| {bug.number} | {bug.what} | " + " | ".join(f"{one['found'] or '-'} | {one['seconds']:.0f}" for one in its) + " |")
    sums = (f"{sum(bool(one['found']) for one in its.values())} of {len(its)} | {sum(one['seconds'] for one in its.values()):.0f}" for its in found)
    print("| | all | " + " | ".join(sums) + " |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["build", "reach", "find", "table"])
    parser.add_argument("folder", type=pathlib.Path)
    if sys.argv[1:2] == ["build"] and len(sys.argv) > 2:
        return build(pathlib.Path(sys.argv[2]).resolve(), sys.argv[3:])
    parser.add_argument("more", nargs="*")
    parser.add_argument("--label", action="append", default=[])
    parser.add_argument("--without", action="append", default=[])
    parser.add_argument("--limit", type=float, default=600)
    parser.add_argument("-j", type=int, default=2)
    asked = parser.parse_intermixed_args()
    if asked.command == "table":
        return table([asked.folder, *map(pathlib.Path, asked.more)])
    folder = asked.folder.resolve()
    tests = Tests(folder, asked.label, asked.without)
    if asked.command == "reach":
        reach(folder, tests, asked.j)
    else:
        find(folder, tests, [int(one) for one in asked.more], asked.limit, asked.j)


if __name__ == "__main__":
    main()
