#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Proves a rules file for Intel MPI, of either form, with the installed library:

    tests/live/prove.py COLLTREE ENTERED RULES LAUNCHER [FILE]

FILE is what Intel MPI gets in place of RULES, to see that a difference is found. ENTERED (entered.cpp) makes calls of each collective in
RULES on 2, 3 and 4 ranks, just below and just at each threshold, and says which functions of the library are entered. They must be those
that are entered where the preset that `colltree explain --rules` names is set for all calls of the collective. A threshold is not shown
where one of its presets runs the other one's algorithm, as presets for powers of two do. Prints the differences, these thresholds and one
line of counts; exit code 1 if there is a difference or nothing was compared.
"""
import functools
import os
import re
import shlex
import subprocess
import sys
import tempfile

RANKS = (2, 3, 4)
SIZES = [4**power for power in range(11)]
SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../libs/core/coll/intel_algorithms.def")


def settings(file):
    """What makes Intel MPI read the file: variables."""
    with open(file, encoding="utf-8") as content:
        text = content.read()
    variables = re.findall(r'^export (I_MPI_ADJUST_\w+)="?([^"\n]*)', text, re.M)
    return [f"{name}={value}" for name, value in variables] or [f"I_MPI_TUNING={os.path.abspath(file)}"]


def collectives(file):
    with open(file, encoding="utf-8") as content:
        text = content.read()
    return [name.lower() for name in re.findall(r'(?:^export I_MPI_ADJUST_|"coll=)(\w+)', text, re.M)]


def preset(collective, algorithm):
    with open(SOURCES, encoding="utf-8") as rows:
        found = re.search(rf'\({collective}, (\d+), "{algorithm}"', rows.read())
    return found.group(1) if found else algorithm.removeprefix("preset_")


class Proof:
    def __init__(self, colltree, entered, rules, launcher, file):
        self.colltree, self.entered, self.rules, self.launcher = colltree, entered, rules, launcher
        self.settings = settings(rules)
        self.file_settings = settings(file)
        self.thresholds = {name: self.thresholds_of(name) for name in collectives(rules)}
        self.calls = [(name, ranks, size) for name in self.thresholds for ranks in RANKS for size in self.sizes(name)]

    @functools.lru_cache(maxsize=None)
    def decided(self, collective, ranks, size):
        words = [self.colltree, "explain", collective, str(ranks), str(size), "--rules", self.rules]
        printed = subprocess.run(words, check=True, capture_output=True, text=True).stdout
        return re.search(r"^method: (\S+)", printed, re.M).group(1)

    def thresholds_of(self, collective):
        """(ranks, first size above)."""
        found = set()
        for ranks in RANKS if collective != "barrier" else ():
            for low, high in zip(SIZES, SIZES[1:]):
                if self.decided(collective, ranks, low) == self.decided(collective, ranks, high):
                    continue
                while high - low > 1:
                    middle = (low + high) // 2
                    same = self.decided(collective, ranks, middle) == self.decided(collective, ranks, low)
                    low, high = (middle, high) if same else (low, middle)
                found.add((ranks, high))
        return found

    def sizes(self, collective):
        if collective == "barrier":
            return [0]
        return sorted({64} | {size for _, begin in self.thresholds[collective] for size in (begin - 1, begin)})

    def run(self, variables, calls):
        """{call: the functions that it enters}."""
        with tempfile.NamedTemporaryFile("w", dir=".", suffix=".calls") as file:
            file.writelines(f"{name} {ranks} {size}\n" for name, ranks, size in calls)
            file.flush()
            words = shlex.split(self.launcher.replace("{ranks}", str(max(RANKS)))) + [self.entered, os.path.abspath(file.name)]
            job = subprocess.run(words + variables, capture_output=True, text=True, check=False)
        if job.returncode:
            sys.exit(f"the job ended with exit code {job.returncode}: {job.stdout}{job.stderr}")
        lines = [line.split(" ") for line in job.stdout.splitlines()]
        return {(line[0], int(line[1]), int(line[2])): line[3] for line in lines if len(line) == 4}

    def forced(self, collective, algorithm):
        variable = f"I_MPI_ADJUST_{collective.upper()}={preset(collective, algorithm)}"
        return self.run(self.settings + [variable], [call for call in self.calls if call[0] == collective])

    def differences(self, entered):
        for collective in self.thresholds:
            calls = [call for call in self.calls if call[0] == collective]
            for algorithm in {self.decided(*call) for call in calls}:
                forced = self.forced(collective, algorithm)
                for call in calls:
                    if self.decided(*call) == algorithm and entered[call] != forced[call]:
                        yield f"{call[0]} on {call[1]} ranks, {call[2]} bytes: the file says {algorithm}, the library enters {entered[call]}"

    def not_shown(self, entered):
        for collective, thresholds in self.thresholds.items():
            for ranks, begin in thresholds:
                if entered[collective, ranks, begin - 1] == entered[collective, ranks, begin]:
                    yield f"not shown: {collective} on {ranks} ranks, {begin} bytes"

    def between_ranks(self):
        """How often the decision at some size differs between two numbers of ranks."""
        return sum(any(self.decided(name, low, size) != self.decided(name, high, size) for size in self.sizes(name))
                   for name in self.thresholds for low, high in zip(RANKS, RANKS[1:]))

    def prove(self):
        entered = self.run(self.file_settings, self.calls)
        if not any(entered.values()):
            sys.exit("the library enters no function that its symbol table names")
        different, alike = sorted(self.differences(entered)), sorted(self.not_shown(entered))
        print(*different, *alike, sep="\n", end="\n" if different or alike else "")
        sizes = sum(map(len, self.thresholds.values()))
        print(f"{sizes} + {self.between_ranks()} thresholds, {len(self.calls)} calls; {len(different)} mismatches, {len(alike)} thresholds not shown")
        return 1 if different else 0


if len(sys.argv) not in (5, 6):
    sys.exit(__doc__)
sys.exit(Proof(*sys.argv[1:5], sys.argv[-1] if len(sys.argv) == 6 else sys.argv[3]).prove())
