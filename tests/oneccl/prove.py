#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Proves a rules file for oneCCL (CCL_*) with an installed oneCCL, on the host of this machine, without a GPU:

    tests/oneccl/prove.py COLLTREE WITNESS RULES [FILE]

WITNESS is tests/oneccl/witness.cpp built with this oneCCL. FILE is what the library gets in place of RULES, to see that a
difference is found. On 2 and 3 ranks, for each collective in RULES, calls are made just at and just above the end of each
range, and `colltree explain` says which algorithm each must have. CCL_SCHED_DUMP=1 makes oneCCL print what each call does
(copies, messages, reductions and their sizes); that must be what it prints where the expected algorithm is set for all sizes,
or where nothing is set if the call is left to the library.

Prints the differences and one line of counts; exit code 1 if there is a difference or nothing was compared.
"""
import functools
import os
import re
import subprocess
import sys
import tempfile

PREFIX = "CCL_"
RANKS = (2, 3)
OURS = {"reduce_scatter": "reduce_scatter_block"}
OWN = "default"


def values(file):
    """{collective as colltree calls it: value} of a file as emit writes it."""
    with open(file) as lines:
        found = re.findall(rf'^export {PREFIX}([A-Z_]+)="([^"]*)"$', lines.read(), re.M)
    return {OURS.get(name.lower(), name.lower()): value for name, value in found}


def variable(collective):
    return PREFIX + {ours: theirs for theirs, ours in OURS.items()}.get(collective, collective).upper()


def sizes(value):
    """Both sides of each end of a range."""
    keys = {int(end) for end in re.findall(r"-(\d+)", value)} | {int(begin) - 1 for begin in re.findall(r":(\d+)-", value)} - {-1}
    return sorted({1, *keys, *(key + 1 for key in keys)})


def schedules(log):
    """{(collective, bytes): what the call does}."""
    found, call = {}, None
    for line in log.splitlines():
        if begin := re.match(r"call (\S+) (\d+)$", line):
            call = (begin.group(1), int(begin.group(2)))
            found[call] = []
        elif call and (step := re.match(r"\[\d+ *\] (\w+) +entry.*?(?:(?:cnt|count) (\d+)|$)", line)):
            found[call].append(step.groups())
    return found


class Proof:
    def __init__(self, colltree, witness, rules, file):
        self.colltree, self.witness, self.rules = colltree, os.path.abspath(witness), rules
        self.said_values, self.values = values(rules), values(file)
        self.words = [(name, size) for name, value in sorted(self.said_values.items()) for size in sizes(value)]
        self.calls = self.alone = self.differences = 0
        self.version = "?"

    def job(self, ranks, chosen):
        """{(collective, bytes): what rank 0 does} under these values."""
        own = {"CCL_PROCESS_LAUNCHER": "none", "CCL_LOCAL_SIZE": str(ranks), "CCL_ATL_TRANSPORT": "ofi", "FI_PROVIDER": "tcp",
               "CCL_SCHED_DUMP": "1", "CCL_LOG_LEVEL": "info", **{variable(name): value for name, value in chosen.items()}}
        with tempfile.TemporaryDirectory() as folder:
            command = [f"{folder}/meet", *(f"{name}:{size}" for name, size in self.words)]
            start = lambda rank, out: subprocess.Popen([self.witness, str(rank), str(ranks), *command], stdout=out, stderr=subprocess.STDOUT,
                                                       text=True, env={**os.environ, **own, "CCL_LOCAL_RANK": str(rank)})
            others = [start(rank, subprocess.DEVNULL) for rank in range(1, ranks)]
            try:
                log = start(0, subprocess.PIPE).communicate(timeout=300)[0]
            finally:
                for other in others:
                    other.kill()
        if "\ndone\n" not in log:
            sys.exit(f"the job fails under {chosen}: {log[-1500:]}")
        if said := re.search(r"library version: (\S+)", log):
            self.version = said.group(1)
        return schedules(log)

    @functools.cache
    def said(self, name, ranks, size):
        text = subprocess.run([self.colltree, "explain", name, str(ranks), str(size), "--rules", self.rules, "--for", "oneccl"],
                              check=True, capture_output=True, text=True).stdout
        if "\nmethod: the library" in text:
            return OWN
        words = re.search(r"^method: (\w+)", text, re.M).group(1).removesuffix("_0K")  # as pictures have it: DoubleTree_0K
        return re.sub(r"(?<!^)(?=[A-Z])", "_", words).lower()

    def forced(self, ranks):
        """{(algorithm, collective, bytes): what is done} where it is set for all sizes; one job for an algorithm of every collective."""
        algorithms = {name: list(dict.fromkeys(part.split(":")[0] for part in value.split(";"))) for name, value in self.said_values.items()}
        done = {(OWN, *call): steps for call, steps in self.job(ranks, {}).items()}
        for i in range(max(map(len, algorithms.values()))):
            chosen = {name: known[i] for name, known in algorithms.items() if i < len(known)}
            done.update({(chosen[call[0]], *call): steps for call, steps in self.job(ranks, chosen).items() if call[0] in chosen})
        return done

    def compare(self, ranks):
        ran, forced = self.job(ranks, self.values), self.forced(ranks)
        for name, size in self.words:
            method, steps = self.said(name, ranks, size), ran.get((name, size))
            self.calls += 1
            if not steps or steps != forced.get((method, name, size)):
                self.differences += 1
                print(f"{name} on {ranks} ranks, {size} bytes: the file says {method}, oneCCL does {steps}")
            elif all(key[0] in (method, OWN) or key[1:] != (name, size) or other != steps for key, other in forced.items()):
                self.alone += 1

    def run(self):
        for ranks in RANKS:
            self.compare(ranks)
        print(f"oneCCL {self.version}: {len(self.said_values)} collectives, {self.calls} calls, {self.alone} of them as no other algorithm of the file "
              f"does; {self.differences} mismatches")
        return 1 if self.differences or not self.calls else 0


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    sys.exit(Proof(*sys.argv[1:4], sys.argv[-1]).run())
