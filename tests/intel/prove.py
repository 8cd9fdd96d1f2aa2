#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Proves a rules file for Intel MPI (I_MPI_ADJUST_* or a tuning file) with an installed Intel MPI, on this machine:

    tests/intel/prove.py COLLTREE INTEL_ROOT WITNESS TARGET RULES [FILE]

WITNESS is tests/intel/witness.c built with this Intel MPI. FILE is what the library gets in place of RULES, to see that a
difference is found. At 2, 3 and 4 ranks, for each collective in RULES, calls are made just at and just above the end of each
range of message sizes, and `colltree explain` says which preset each must have. What the library looks up is seen in two ways:

- With I_MPI_ADJUST_FAILURE_ON_COLL_FALLBACK=1 a call aborts where its preset does not exist. Each preset of FILE in turn is
  replaced by a number that does not exist, the others by one that runs everywhere: exactly those calls must abort.
- The file as it is: reductions must fold in the same order as where the expected preset is set for all sizes.

Prints the differences and one line of counts; exit code 1 if there is a difference or nothing was compared.
"""
import functools
import json
import os
import re
import subprocess
import sys
import tempfile

PREFIX = "I_MPI_ADJUST_"
RANKS = (2, 3, 4)
NO_PRESET = "99"
# Runs without a fallback on one node, for any number of ranks and any size.
RUNS = {"ALLREDUCE": "5", "REDUCE": "2", "REDUCE_SCATTER": "2", "ALLGATHER": "3", "ALLGATHERV": "3", "ALLTOALL": "2"}
FOLDING = ("ALLREDUCE", "REDUCE", "REDUCE_SCATTER", "REDUCE_SCATTER_BLOCK")


class Variables:
    """Files of the target intel: {collective: value}."""

    preset = r"(^|;)(\d+)"  # its number is the second group

    @staticmethod
    def read(text):
        return dict(re.findall(rf'^export {PREFIX}([A-Z_]+)="([^"]*)"$', text, re.M))

    @staticmethod
    def ends(value):
        """The ends of the ranges of message sizes, without that of the last."""
        return [int(end) for end in re.findall(r"\d+-(\d+)", value)][:-1]

    @staticmethod
    def environment(name, value):
        return {PREFIX + name: value}


class Tuning:
    """Files of the target intel-tuning: {collective: text of its object}."""

    preset = r'("[A-Z_]+=)(\d+)(?=": \{\})'
    folder = tempfile.mkdtemp()

    @staticmethod
    def read(text):
        return {name.upper(): json.dumps(value)
                for key, value in json.loads(text[text.index("{"):]).items() for name in [key.removeprefix("coll=")]}

    @staticmethod
    def ends(value):
        return sorted({int(end) for end in re.findall(r'"msg_size=(\d+)"', value)})

    @classmethod
    def environment(cls, name, value):
        file = os.path.join(cls.folder, "tuning.json")
        with open(file, "w") as out:
            out.write(f'{{"coll={name.capitalize()}": {value}}}\n')
        return {"I_MPI_TUNING": file}


FORMS = {"intel": Variables, "intel-tuning": Tuning}


class Proof:
    def __init__(self, colltree, root, witness, target, rules, file):
        self.colltree, self.root, self.witness, self.rules = colltree, root, os.path.abspath(witness), rules
        self.target, self.form = target, FORMS[target]
        with open(rules) as said, open(file) as given:
            self.said_values, self.values = self.form.read(said.read()), self.form.read(given.read())
        rows = json.loads(subprocess.run([colltree, "measure", "methods", "--source", "intel", "--json"], check=True,
                                         capture_output=True, text=True).stdout)
        self.numbers = {(row["collective"].upper(), row["algorithm"]): row["start"].split("=")[1] for row in rows}
        self.calls = self.thresholds = self.orders = self.differences = 0

    def differ(self, text):
        self.differences += 1
        print(text)

    def presets(self, name):
        return list(dict.fromkeys(found[1] for found in re.findall(self.form.preset, self.said_values[name])))

    def marked(self, name, preset):
        """The value with `preset` replaced by a number that does not exist, every other one by a preset that runs."""
        value = self.values.get(name)
        return value and re.sub(self.form.preset, lambda found: found[1] + (NO_PRESET if found[2] == preset else RUNS.get(name, "1")), value)

    def job(self, ranks, name, value, sizes, strict=False, environment=None):
        """{size: order} of the calls that were made, and what the library says."""
        own = {"I_MPI_ROOT": self.root, "I_MPI_FABRICS": "shm", "I_MPI_PIN": "0", "I_MPI_DEBUG": "1"}
        kept = {key: text for key, text in os.environ.items() if not key.startswith("I_MPI_")}
        if value is not None:
            own.update((environment or self.form.environment)(name, value))
        if strict:
            own[PREFIX + "FAILURE_ON_COLL_FALLBACK"] = "1"
        run = subprocess.run([f"{self.root}/bin/mpiexec.hydra", "-n", str(ranks), self.witness, name.lower(), *map(str, sizes)],
                             capture_output=True, text=True, env={**kept, **own}, timeout=300, stdin=subprocess.DEVNULL)
        text = run.stdout + run.stderr
        return dict((int(size), order) for size, order in re.findall(r"^(\d+) (\d+)$", text, re.M)), text

    @functools.cache
    def said(self, name, ranks, size):
        text = subprocess.run([self.colltree, "explain", name.lower(), str(ranks), str(size), "--rules", self.rules, "--for", self.target],
                              check=True, capture_output=True, text=True).stdout
        return self.numbers[name, re.search(r"^method: (\w+)", text, re.M).group(1)]

    def sizes(self, name):
        keys = self.form.ends(self.said_values[name])
        return sorted({1, *keys, *(key + 1 for key in keys)}) if name != "BARRIER" else [0]

    def compare_lookups(self, name, ranks):
        sizes = self.sizes(name)
        for preset in self.presets(name):
            text = self.marked(name, preset)
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
        self.thresholds += sum(self.said(name, ranks, end) != self.said(name, ranks, end + 1) for end in self.form.ends(self.said_values[name]))
        self.thresholds += any(self.said(name, ranks, size) != self.said(name, ranks - 1, size) for size in sizes)

    def compare_orders(self, name, ranks):
        sizes = self.sizes(name)
        ran, log = self.job(ranks, name, self.values.get(name), sizes)
        forced = {preset: self.job(ranks, name, preset, sizes, environment=Variables.environment)[0] for preset in self.presets(name)}
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
        print(f"intel-{version.group(1) if version else '?'}: {len(self.said_values)} collectives, {self.calls} calls, "
              f"{self.thresholds} thresholds, {self.orders} orders of folding that only one preset has; {self.differences} mismatches")
        return 1 if self.differences or not self.calls else 0


if __name__ == "__main__":
    if len(sys.argv) not in (6, 7):
        sys.exit(__doc__)
    sys.exit(Proof(*sys.argv[1:6], sys.argv[-1]).run())
