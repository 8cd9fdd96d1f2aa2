#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Proves a rules file for UCC (ucc-1.3 to ucc) with an installed UCC, in the memory of this host, without a GPU:

    tests/ucc/prove.py COLLTREE UCC_PREFIX RULES [FILE]

FILE is what UCC gets in place of RULES, to see that a difference is found. tests/ucc/witness.c, compiled here with cc, begins calls of
each collective in RULES on numbers of ranks that the file distinguishes, just below and just at each threshold, and says which algorithm
UCC takes. That must be what `colltree explain --rules` says, or what UCC takes without a file where the file leaves the call to it.
An error or a warning of UCC, as of a string that it drops, is a mismatch too. Of long files some team sizes and thresholds are asked,
evenly chosen, and the rest is counted. Prints the differences and one line of counts; exit code 1 if there is a difference or nothing
was compared.
"""
import functools
import glob
import os
import re
import shlex
import subprocess
import sys
import tempfile

TUNE = "UCC_TL_UCP_TUNE"
UNITS = {"": 1, "B": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
OURS = {"reduce_scatter": "reduce_scatter_block", "reduce_scatterv": "reduce_scatter"}
TIMES_RANKS = ("allgather", "allgatherv", "alltoall")  # UCC compares all blocks
TARGETS = ((1, 8, "ucc"), (1, 5, "ucc-1.5"), (1, 4, "ucc-1.4"), (0, 0, "ucc-1.3"))  # from which version on
MOST_RANKS = 32  # all in one process
MOST_TEAMS = 12
MOST_KEYS = 12  # thresholds of one collective on one number of ranks
WITNESS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "witness.c")


def ends(text):
    """The two ends of "4k-8k", "2-inf" or "5"."""
    found = [int(digits) * UNITS[unit.upper()] if digits else None for digits, unit in re.findall(r"(?:(\d+)([bkmgt]?)b?|inf)(?=-|$)", text, re.I)]
    return found[0], found[-1]


class Rules:
    """What a file sets; and its rows (collective, thresholds, least and most ranks)."""

    def __init__(self, file):
        with open(file) as content:
            lines = content.read().splitlines()
        self.environment, self.rows = {}, []
        for line in lines:
            if found := re.match(r"(?:export\s+)?(UCC_\w+)\s*=\s*(.*)$", line):
                name, value = found.groups()
                self.environment[name] = value = "".join(shlex.split(value, comments=True)[:1])
                for token in filter(None, value.lower().split("#") if name == TUNE else []):
                    self.add(token.split(":"))

    def add(self, fields):
        sizes = [ends(part) for field in fields if re.match(r"\d.*-", field) for part in field.split(",")]
        teams = [ends(part) for field in fields if field.startswith("[") for part in field.strip("[]").split(",")]
        keys = {end for span in sizes for end in span if end}
        for name in fields[0].split(","):
            self.rows += [(OURS.get(name, name), keys, *team) for team in teams or [(0, None)]]


def plain(algorithm):
    """SagKnomial_0K is sag_knomial."""
    return algorithm.removesuffix("_0K").replace("_", "").lower()


def some(values, most):
    """Evenly chosen, the ends among them."""
    values = sorted(values)
    if len(values) <= most:
        return values
    return sorted({values[at * (len(values) - 1) // (most - 1)] for at in range(most)})


class Proof:
    def __init__(self, colltree, prefix, rules, file):
        self.colltree, self.prefix, self.file = colltree, prefix, rules
        self.rules, self.environment = Rules(rules), Rules(file).environment
        self.library = next(glob.iglob(os.path.join(prefix, "lib*/ucc/libucc_tl_ucp.so")), None) or sys.exit(f"{prefix}: no libucc_tl_ucp.so")
        info = subprocess.run([os.path.join(prefix, "bin/ucc_info"), "-v"], check=True, capture_output=True, text=True).stdout
        self.version = re.search(r"version=(\S+)", info).group(1)
        self.target = next(
            name for *first, name in TARGETS if list(map(int, self.version.split(".")[:2])) >= first)
        self.differences = self.thresholds = self.not_tried = 0

    def differ(self, text):
        self.differences += 1
        print(text)

    @functools.cache
    def said(self, collective, ranks, size):
        """The algorithm, as plain() has it. None: UCC's own choice."""
        run = subprocess.run([self.colltree, "explain", collective, str(ranks), str(size), "--rules", self.file, "--for", self.target],
                             capture_output=True, text=True)
        method = re.search(r"^method: ([^@\n]*)", run.stdout, re.M) or sys.exit(run.stderr.strip())
        return None if method.group(1).startswith("the library") else plain(method.group(1))

    def calls(self):
        """(collective, ranks, message size) on both sides of each threshold, which may be one of a block times the ranks."""
        bounds = {bound for row in self.rules.rows for bound in row[2:] if bound is not None}
        teams = {ranks for bound in bounds for ranks in (bound - 1, bound, bound + 1)} | {2, 3, 4, 5}
        for ranks in some({ranks for ranks in teams if 2 <= ranks <= MOST_RANKS}, MOST_TEAMS):
            for collective in sorted({row[0] for row in self.rules.rows}):
                keys = set().union(*(keys for name, keys, least, most in self.rules.rows
                                     if name == collective and least <= ranks and (most is None or ranks <= most)))
                chosen = some(keys, MOST_KEYS)
                self.thresholds += len(chosen)
                self.not_tried += len(keys) - len(chosen)
                blocks = {-(-key // (ranks if collective in TIMES_RANKS else 1)) for key in chosen}
                for size in sorted({1, *blocks, *(block - 1 for block in blocks)} - {0}):
                    yield collective, ranks, size

    def taken(self, witness, calls, environment):
        """{call: algorithm}."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("UCC_")}
        run = subprocess.run([witness, self.library, str(max(ranks for _, ranks, _ in calls))], capture_output=True, text=True,
                             input="".join("{} {} {}\n".format(*call) for call in calls), env={**kept, **environment})
        log = run.stdout + run.stderr
        for line in dict.fromkeys(re.findall(r"UCC\s+((?:ERROR|WARN).*)", log)):
            self.differ(f"UCC says: {line}")
        if run.returncode != 0:
            sys.exit(f"{witness} fails: {log[-1000:]}")
        found = re.findall(r"^(\w+) (\d+) (\d+): (.*)$", log, re.M)
        return {(collective, int(ranks), int(size)): plain(algorithm) for collective, ranks, size, algorithm in found}

    def compare(self, call, took, own):
        collective, ranks, size = call
        said = self.said(*call)
        if said == "ring" and collective == "allreduce" and size % ranks != 0 and took in ("own", own):
            return  # as `emit` says in a note
        if took != (said or own):
            self.differ(f"{collective} on {ranks} ranks, {size} bytes: the file says {said or 'nothing: ' + str(own)}, UCC takes {took}")

    def run(self):
        with tempfile.TemporaryDirectory() as folder:
            witness = os.path.join(folder, "witness")
            subprocess.run(["cc", WITNESS, f"-I{self.prefix}/include", *glob.glob(os.path.join(self.prefix, "lib*/libucc.so")), "-ldl", "-lpthread",
                            "-rdynamic", f"-Wl,-rpath,{self.prefix}/lib:{self.prefix}/lib64", "-o", witness], check=True)
            calls = list(self.calls()) or sys.exit(f"{self.file}: no {TUNE}")
            took, own = self.taken(witness, calls, self.environment), self.taken(witness, calls, {})
        for call in calls:
            self.compare(call, took.get(call), own.get(call))
        print(f"UCC {self.version} ({self.target}): {len({row[0] for row in self.rules.rows})} collectives, {self.thresholds} thresholds, {len(calls)} calls, "
              f"{self.not_tried} thresholds not tried; {self.differences} mismatches")
        return 1 if self.differences else 0


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    sys.exit(Proof(*sys.argv[1:4], sys.argv[-1]).run())
