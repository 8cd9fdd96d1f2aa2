#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The summary of docs/evaluating.md from the CSV of `colltree compare --csv`.

For every chooser: over all tables (a system's collective), the median of its leaves, the geometric mean of
(1 + mean penalty) - 1 on training points and on each kind of points left out, in percent, the number of instances
where its choice cannot run, and in how many tables it is the best tree or within the best one's interval on points
left out. A choice that cannot run is in no mean.
"""
import csv
import math
import statistics
import sys

KINDS = ["training", "communicator_sizes", "message_sizes", "blocks"]
NO_TREE = ("default", "default by rules", "best fixed", "interpolation", "exact map", "noise floor")
NAMES = {"optimal": "optimal:leaves=10", "c45": "c45:weight=2"}


def read(path):
    tables = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            chooser = NAMES.get(row["chooser"], row["chooser"])
            if chooser == "noise floor" or not row["mean"]:
                continue
            table = (row["system"], row["collective"], row["points"])
            tables.setdefault(table, {})[chooser] = row
    return tables


def geometric(values):
    return math.expm1(statistics.fmean(math.log1p(value) for value in values))


def good_ones(choosers):
    """Trees whose held-out mean is at most the upper end of the interval of the best tree's."""
    trees = {name: row for name, row in choosers.items() if name not in NO_TREE}
    best = min(trees, key=lambda name: float(trees[name]["mean"]))
    limit = float(trees[best]["mean_high"] or trees[best]["mean"])
    return best, {name for name, row in trees.items() if float(row["mean"]) <= limit}


def summarize(tables):
    rows = {}
    held_out = 0
    for (_, _, points), choosers in tables.items():
        best, good = good_ones(choosers)
        held_out += points != "training"
        for name, row in choosers.items():
            one = rows.setdefault(name, {"leaves": [], "cannot": 0, "best": 0, "good": 0, **{kind: [] for kind in KINDS}})
            one[points].append(float(row["mean"]))
            if points == "training" and row["leaves"]:
                one["leaves"].append(int(row["leaves"]))
            if points != "training":
                one["cannot"] += int(row["cannot_run"])
                one["best"] += name == best
                one["good"] += name in good
    return rows, held_out


def main():
    tables = read(sys.argv[1])
    rows, held_out = summarize(tables)
    every = max(len(row["training"]) for row in rows.values())
    print(f"| chooser | leaves | {' | '.join(KINDS)} | all left out | no run | best tree | within |")
    print("| --- |" + " --: |" * 9)
    order = sorted(rows, key=lambda name: geometric(sum((rows[name][kind] for kind in KINDS[1:]), [])))
    for name in order:
        row = rows[name]
        left_out = sum((row[kind] for kind in KINDS[1:]), [])
        if len(row["training"]) < every:
            continue  # not in every table: a depth of the quadtree, rules of one library
        cells = [f"{statistics.median(row['leaves']):g}" if row["leaves"] else "-"]
        cells += [f"{100 * geometric(row[kind]):.2f}" for kind in KINDS]
        cells += [f"{100 * geometric(left_out):.2f}", str(row["cannot"])]
        tree = name not in NO_TREE
        cells += [str(row["best"]) if tree else "-", str(row["good"]) if tree else "-"]
        print(f"| {name} | {' | '.join(cells)} |")
    print(f"\n{every} tables, {held_out} of points left out.")


if __name__ == "__main__":
    main()
