#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Proves a rules file for Intel MPI (I_MPI_ADJUST_*) with an installed Intel MPI, on this machine:

    tests/intel/prove.py COLLTREE INTEL_ROOT WITNESS RULES [FILE]

WITNESS is tests/intel/witness.c built with this Intel MPI. FILE is what the library gets in place of RULES, to see that a
difference is found. At 2, 3 and 4 ranks, for each collective in RULES, calls are made just at and just above the end of each
range, and `colltree explain` says which preset each must have. What the library looks up is seen in two ways:

- With I_MPI_ADJUST_FAILURE_ON_COLL_FALLBACK=1 a call aborts where its preset does not exist. Each preset of FILE in turn is
  replaced by a number that does not exist, the others by one that runs everywhere: exactly those calls must abort.
- The file as it is: reductions must fold in the same order as where the expected preset is set for all sizes.

Prints the differences and one line of counts; exit code 1 if there is a difference or nothing was compared.
"""
import functools
import os
import re
import subprocess
import sys

PREFIX = "I_MPI_ADJUST_"
RANKS = (2, 3, 4)
NO_PRESET = "99"
# Runs without a fallback on one node, for any number of ranks and any size.
RUNS = {"ALLREDUCE": "5", "REDUCE": "2", "REDUCE_SCATTER": "2", "ALLGATHER": "3", "ALLGATHERV": "3", "ALLTOALL": "2"}
FOLDING = ("ALLREDUCE", "REDUCE", "REDUCE_SCATTER", "REDUCE_SCATTER_BLOCK")


def values(file):
    """{collective: value} of a file as emit writes it."""
    with open(file) as lines:
        return dict(re.findall(rf'^export {PREFIX}([A-Z_]+)="([^"]*)"$', lines.read(), re.M))


def ends(value):
    """The ends of the ranges in a value, without that of the last."""
    return [int(end) for end in re.findall(r"\d+-(\d+)", value)][:-1]


def presets(value):
    return list(dict.fromkeys(part.split(":")[0] for part in value.split(";")))


def marked(name, value, preset):
    """The value with `preset` replaced by a number that does not exist, every other one by a preset that runs."""
    parts = [part.partition(":") for part in value.split(";")]
    return ";".join((NO_PRESET if number == preset else RUNS.get(name, "1")) + colon + range_ for number, colon, range_ in parts)


class Proof:
    def __init__(self, colltree, root, witness, rules, file):
        self.colltree, self.root, self.witness, self.rules = colltree, root, os.path.abspath(witness), rules
        self.said_values, self.values = values(rules), values(file)
        self.calls = self.thresholds = self.orders = self.differences = 0

    def differ(self, text):
        self.differences += 1
        print(text)

    def job(self, ranks, name, value, sizes, strict=False):
        """{size: order} of the calls that were made, and what the library says."""
        own = {"I_MPI_ROOT": self.root, "I_MPI_FABRICS": "shm", "I_MPI_PIN": "0", "I_MPI_DEBUG": "1"}
        kept = {key: text for key, text in os.environ.items() if not key.startswith("I_MPI_")}
        if value is not None:
            own[PREFIX + name] = value
        if strict:
            own[PREFIX + "FAILURE_ON_COLL_FALLBACK"] = "1"
        run = subprocess.run([f"{self.root}/bin/mpiexec.hydra", "-n", str(ranks), self.witness, name.lower(), *map(str, sizes)],
                             capture_output=True, text=True, env={**kept, **own}, timeout=300, stdin=subprocess.DEVNULL)
        text = run.stdout + run.stderr
        return dict((int(size), order) for size, order in re.findall(r"^(\d+) (\d+)$", text, re.M)), text

    @functools.cache
    def said(self, name, ranks, size):
        text = subprocess.run([self.colltree, "explain", name.lower(), str(ranks), str(size), "--rules", self.rules, "--for", "intel"],
                              check=True, capture_output=True, text=True).stdout
        return re.search(r"^method: (\w+)", text, re.M).group(1).removesuffix("_0K")

    def sizes(self, name):
        keys = ends(self.said_values[name])
        return sorted({1, *keys, *(key + 1 for key in keys)}) if name != "BARRIER" else [0]

    def compare_lookups(self, name, ranks):
        value, sizes = self.values.get(name), self.sizes(name)
        for preset in presets(self.said_values[name]):
            text = value and marked(name, value, preset)
            others = [size for size in sizes if self.said(name, ranks, size) != preset]
            made, log = self.job(ranks, name, text, others, strict=True) if others else ({}, "")
            if len(made) != len(others):
                self.differ(f"{name} on {ranks} ranks: of {others} bytes one is looked up as preset {preset}, or the job fails: {log[-300:]}")
            for size in sizes:
                if size in others:
                    continue
                made, log = self.job(ranks, name, text, [size], strict=True)
                if made or "algo #-1 has fallback" not in log:
                    self.differ(f"{name} on {ranks} ranks, {size} bytes: the file says preset {preset}, Intel MPI looks up another one")
        self.calls += len(sizes)
        self.thresholds += len(ends(self.said_values[name]))

    def compare_orders(self, name, ranks):
        sizes = self.sizes(name)
        ran, log = self.job(ranks, name, self.values.get(name), sizes)
        forced = {preset: self.job(ranks, name, preset, sizes)[0] for preset in presets(self.said_values[name])}
        for size in sizes:
            preset = self.said(name, ranks, size)
            if ran.get(size) is None or ran[size] != forced[preset].get(size):
                self.differ(f"{name} on {ranks} ranks, {size} bytes: the order of folding is not that of preset {preset}")
            elif all(other == preset or orders.get(size) != ran[size] for other, orders in forced.items()):
                self.orders += 1
        if "will be ignored" in log:
            self.differ(f"{name}: {re.search('Incorrect.*', log).group(0)}")

    def run(self):
        for name in sorted(self.said_values):
            for ranks in RANKS:
                self.compare_lookups(name, ranks)
                if name in FOLDING:
                    self.compare_orders(name, ranks)
        version = re.search(r"Version (\S+)", self.job(1, "BARRIER", None, [0])[1])
        print(f"Intel MPI {version.group(1) if version else '?'}: {len(self.said_values)} collectives, {self.calls} calls, {self.thresholds} thresholds, "
              f"{self.orders} orders of folding that only one preset has; {self.differences} mismatches")
        return 1 if self.differences or not self.calls else 0


if __name__ == "__main__":
    if len(sys.argv) not in (5, 6):
        sys.exit(__doc__)
    sys.exit(Proof(*sys.argv[1:5], sys.argv[-1]).run())
