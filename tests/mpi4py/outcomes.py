#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""outcomes.py TESTS FOLDER PATTERN: the tests of mpi4py in TESTS whose modules match PATTERN. Each rank writes a line
for each test into FOLDER/RANK: its name and what came of it."""
import pathlib
import re
import sys
import unittest

tests, folder, pattern = sys.argv[1:]
sys.dont_write_bytecode = True
sys.path.insert(0, tests)
sys.argv[1:] = []
from mpi4py import MPI  # noqa: E402


class Outcomes(unittest.TestResult):
    def __init__(self, out):
        super().__init__()
        self.out = out

    def startTest(self, test):
        super().startTest(test)
        self.what = "ok"

    def stopTest(self, test):
        super().stopTest(test)
        print(test.id(), self.what, file=self.out, flush=True)


def outcome(method, what):
    inherited = getattr(unittest.TestResult, method)

    def note(self, test, *reason):
        self.what = what
        inherited(self, test, *reason)
        if what in ("failed", "error"):
            print(test.id(), reason and self._exc_info_to_string(reason[0], test), file=sys.stderr)

    setattr(Outcomes, method, note)


for name, word in {"addFailure": "failed", "addError": "error", "addSkip": "skipped",
                   "addExpectedFailure": "failed as expected", "addUnexpectedSuccess": "passed unexpectedly"}.items():
    outcome(name, word)
names = sorted(path.stem for path in pathlib.Path(tests).glob("test_*.py") if re.search(pattern, path.stem))
with open(pathlib.Path(folder) / str(MPI.COMM_WORLD.Get_rank()), "w") as file:
    unittest.defaultTestLoader.loadTestsFromNames(names).run(Outcomes(file))
