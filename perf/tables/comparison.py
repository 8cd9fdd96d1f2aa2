# SPDX-License-Identifier: BSD-3-Clause
"""comparison COLLTREE FOLDER: the tables of docs/results/comparison.md into FOLDER/comparison.md, the CSV of all into
FOLDER/all.csv, and on standard output the summary in docs/tasks/judging.md. Grig and Frodo are simulated (minutes).

The summary has for every chooser: over all tables (a system's collective), the median of its leaves, the geometric
mean of (1 + mean penalty) - 1 on training points and on each kind of held-out points, in percent, the number of
instances where its choice cannot run, and in how many tables it is the best tree or within the best one's interval on
held-out points. A choice that cannot run is in no mean.
"""
import math
import statistics

import common

KINDS = ["training", "communicator_sizes", "message_sizes", "blocks"]
NO_TREE = ("default", "default by rules", "best fixed", "interpolation", "exact map", "noise floor")
NAMES = {"optimal": "optimal:leaves=10", "c45": "c45:weight=2"}
SYSTEMS = [("orfeo", "--system", "orfeo-epyc-core"), ("orfeo", "--system", "orfeo-epyc-node"), ("fugaku",), ("dane",), ("grig",), ("frodo",)]


def geometric(values):
    return math.expm1(statistics.fmean(math.log1p(value) for value in values))


def good_ones(choosers):
    """Trees whose held-out mean is at most the upper end of the interval of the best tree's."""
    trees = {name: row for name, row in choosers.items() if name not in NO_TREE}
    best = min(trees, key=lambda name: float(trees[name]["mean"]))
    limit = float(trees[best]["mean_high"] or trees[best]["mean"])
    return best, {name for name, row in trees.items() if float(row["mean"]) <= limit}


def tables_of(rows):
    tables = {}
    for row in rows:
        chooser = NAMES.get(row["chooser"], row["chooser"])
        if chooser != "noise floor" and row["mean"]:
            tables.setdefault((row["system"], row["collective"], row["points"]), {})[chooser] = row
    return tables


def summarize(tables):
    found = {}
    held_out = 0
    for (_, _, points), choosers in tables.items():
        best, good = good_ones(choosers)
        held_out += points != "training"
        for name, row in choosers.items():
            one = found.setdefault(name, {"leaves": [], "cannot": 0, "best": 0, "good": 0, **{kind: [] for kind in KINDS}})
            one[points].append(float(row["mean"]))
            if points == "training" and row["leaves"]:
                one["leaves"].append(int(row["leaves"]))
            if points != "training":
                one["cannot"] += int(row["cannot_run"])
                one["best"] += name == best
                one["good"] += name in good
    every = max(len(one["training"]) for one in found.values())
    common.head("chooser", "leaves", *KINDS, "all held out", "no run", "best tree", "within")
    all_held_out = {name: sum((one[kind] for kind in KINDS[1:]), []) for name, one in found.items()}
    for name in sorted(found, key=lambda name: geometric(all_held_out[name])):
        one = found[name]
        if len(one["training"]) < every:
            continue  # not in every table: a depth of the quadtree, rules of one library
        counts = ("-", "-") if name in NO_TREE else (one["best"], one["good"])
        common.row(name, f"{statistics.median(one['leaves']):g}" if one["leaves"] else "-",
                   *(f"{100 * geometric(values):.2f}" for values in (*(one[kind] for kind in KINDS), all_held_out[name])), one["cannot"], *counts)
    print(f"\n{every} tables, {held_out} of held-out points.")


def main(arguments):
    colltree, _ = common.in_folder(arguments, __doc__)
    lines = []
    for name, *system in SYSTEMS:
        compared = [colltree, "evaluate", "compare", common.profile(colltree, name), *system, "--held-out", "communicator_sizes,message_sizes,blocks"]
        lines += common.run(*compared, "--no-times", "--csv").splitlines()[1 if lines else 0:]
    with open("all.csv", "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")
    with open("comparison.md", "w", encoding="utf-8") as out:
        common.print_contests(common.rows_of("\n".join(lines)), out)
    summarize(tables_of(common.rows_of("\n".join(lines))))
