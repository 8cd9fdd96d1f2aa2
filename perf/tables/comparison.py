# SPDX-License-Identifier: BSD-3-Clause
"""comparison COLLTREE FOLDER: the tables of docs/results/comparison.md into FOLDER/comparison.md, every row that `compare` prints
into FOLDER/all.csv, and on standard output the table "All data sets" of docs/results/models.md. Grig and Frodo are simulated
(minutes).

A table of comparison.md has the rows of KEPT and, of C4.5's settings, the one with the lowest geometric mean of
(1 + mean penalty) over the kinds of held-out points. The summary has for every chooser, on dense and on sparse grids: its leaves,
the same geometric mean over all tables and kinds of held-out points and the highest of these means, in percent, and the number of
instances where its choice cannot run. A choice that cannot run is in no mean.
"""
import math
import statistics

import common

KEPT = {"default", "best fixed", "quadtree", "optimal", "optimal:leaves=auto", "interpolation", "noise floor"}
NAMES = {"optimal": "optimal:leaves=10", "c45": "c45:weight=2"}
SYSTEMS = [("orfeo", "--system", "orfeo-epyc-core"), ("orfeo", "--system", "orfeo-epyc-node"), ("fugaku",), ("dane",), ("grig",), ("frodo",)]
SPARSE = {"fugaku", "dane"}  # by the first word of the system's name; grids of 30 to 60 points


def geometric(values):
    return math.expm1(statistics.fmean(math.log1p(value) for value in values))


def held_out_mean(points):
    """Infinite where the choice can run at no held-out point of some kind."""
    return geometric([float(row["mean"] or "inf") for kind, row in points.items() if kind != "training"])


def kept(choosers):
    c45 = [name for name in choosers if name.split(":")[0] == "c45"]
    return KEPT | {min(c45, key=lambda name: held_out_mean(choosers[name]))}


def summarize(rows):
    found = {}
    for row in rows:
        name = NAMES.get(row["chooser"], row["chooser"])
        if name == "noise floor":
            continue
        grids = found.setdefault(name, {})
        grid = grids.setdefault(row["system"].split("-")[0] in SPARSE, {"leaves": [], "means": [], "cannot": 0})
        if row["points"] == "training":
            grid["leaves"] += [int(row["leaves"])] if row["leaves"] else []
            continue
        grid["means"] += [float(row["mean"])] if row["mean"] else []
        grid["cannot"] += int(row["cannot_run"])
    most = {sparse: max(len(grids[sparse]["means"]) for grids in found.values() if sparse in grids) for sparse in (False, True)}
    common.head("chooser", *("leaves", f"dense, {most[False]} means", "highest", "leaves", f"sparse, {most[True]} means", "highest"), "no run")
    for name, grids in found.items():
        if any(len(grids.get(sparse, {"means": []})["means"]) < count for sparse, count in most.items()):
            continue  # not in every table: a depth of the quadtree, rules of one library
        cells = []
        for grid in (grids[False], grids[True]):
            leaves = f"{min(grid['leaves'])}..{max(grid['leaves'])}" if grid["leaves"] else "-"
            cells += [leaves, common.percent(geometric(grid["means"])), common.percent(max(grid["means"]))]
        common.row(name, *cells, grids[False]["cannot"] + grids[True]["cannot"])


def main(arguments):
    colltree, _ = common.in_folder(arguments, __doc__)
    lines = []
    for name, *system in SYSTEMS:
        compared = [colltree, "evaluate", "compare", common.profile(colltree, name), *system, "--held-out", "communicator_sizes,message_sizes,blocks"]
        lines += common.run(*compared, "--no-times", "--csv").splitlines()[1 if lines else 0:]
    rows = common.rows_of("\n".join(lines))
    with open("all.csv", "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")
    with open("comparison.md", "w", encoding="utf-8") as out:
        common.print_contests(rows, out, kept)
    summarize(rows)
