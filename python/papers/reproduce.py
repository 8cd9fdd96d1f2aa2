# SPDX-License-Identifier: BSD-3-Clause
"""Reproduces the tables and figures of a paper on simulated clusters: ``reproduce.py 2006|2007 -o FOLDER``, theirs and ours side by side.

Their clusters are gone, and ours are simulated (SimGrid SMPI, not calibrated), so what compares is the shape of the figures.
"""

import argparse
import importlib
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from typing import Any

import matplotlib
from paper_data import Paper

from colltree import Model, drive
from colltree._study_command import exit_code

Row = dict[str, Any]
# Platform, grid and segment sizes for both papers. That of 2006 considered no segmentation and 1, 8, 16 KB, that of 2007 seven sizes.
CLUSTERS = {
    2006: [("grig", "grig", "0,1K,8K,16K")],
    2007: [("grig", "grig-2007", "0,1K,8K,16K,32K,64K,128K"), ("frodo", "frodo", "0,1K,8K,16K,32K,64K,128K")],
}
FIGURES = {2006: range(2, 5), 2007: range(1, 7)}

# 2006, tables 2 (broadcast) and 4 (broadcast and reduce together): weight, confidence level; leaves and misclassified training cases before
# pruning, these in percent; the same after it; the predicted share of errors. Percentages of 1248 and 2286 cases.
PRUNING = "leaves_before errors_before errors_before_pct leaves_after errors_after errors_after_pct predicted_pct".split()
TABLE_2_2006 = [
    (2, 25, 133, 102, 7.9, 127, 103, 7.9, 14.6),
    (4, 25, 115, 114, 8.8, 95, 122, 9.4, 15.0),
    (6, 15, 99, 135, 10.4, 65, 149, 11.5, 17.6),
    (8, 5, 73, 155, 12.0, 47, 166, 12.8, 21.0),
    (40, 5, 21, 231, 17.8, 21, 231, 17.8, 21.9),
]
TABLE_4_2006 = [
    (2, 25, 239, 137, 6.0, 221, 142, 6.2, 12.6),
    (6, 25, 149, 205, 9.0, 115, 220, 9.6, 14.0),
    (8, 25, 127, 225, 9.8, 103, 235, 10.3, 14.4),
    (20, 5, 63, 310, 13.6, 55, 316, 13.8, 20.6),
    (40, 25, 33, 392, 17.1, 33, 392, 17.1, 19.6),
]
# 2006, table 3: penalty of the broadcast trees in percent, and instances above 50 %, which the text says of one tree.
PENALTIES = "min_pct max_pct mean_pct median_pct above_50".split()
TABLE_3_2006 = [
    (0.0, 75.41, 0.66, 0.0, None),
    (0.0, 316.97, 1.16, 0.0, None),
    (0.0, 316.97, 3.24, 0.0, None),
    (0.0, 316.97, 1.66, 0.0, None),
    (0.0, 316.97, 2.08, 0.0, 6),
]
# 2007, tables 1 (Frodo) and 2 (Grig): broadcast quadtrees by maximum depth, 1 to 6; penalty in percent.
QUADTREES = "min_depth mean_depth max_pct mean_pct median_pct leaves nodes".split()
TABLE_1_2007 = [
    (1, 1.00, 560.42, 74.62, 2.88, 4, 5),
    (1, 1.92, 743.16, 12.56, 0.0, 13, 17),
    (1, 2.50, 743.15, 12.43, 0.0, 22, 29),
    (2, 3.63, 743.15, 12.01, 0.0, 91, 121),
    (2, 4.61, 31.14, 0.67, 0.0, 328, 437),
    (2, 5.65, 0.0, 0.0, 0.0, 1153, 1537),
]
TABLE_2_2007 = [
    (1, 1.00, 337.43, 37.10, 0.0, 4, 5),
    (2, 2.00, 391.53, 18.54, 0.0, 16, 21),
    (2, 2.76, 247.20, 5.75, 0.0, 37, 49),
    (2, 3.75, 247.20, 3.25, 0.0, 106, 141),
    (2, 4.61, 225.30, 1.29, 0.0, 227, 369),
    (2, 5.70, 0.0, 0.0, 0.0, 1024, 1365),
]
# 2007, table 3: decisions for reduce on Grig, in memory and as a compiled function, on an Athlon 64 at 2.2 GHz.
DECISIONS = "mean_depth mean_pct memory_bytes memory_ns function_ifs function_ns".split()
TABLE_3_2007 = [
    (1.00, 81.10, 712, 35.61, 4, 11.68),
    (1.80, 11.58, 1096, 36.78, 12, 10.70),
    (2.92, 5.63, 3784, 54.53, 68, 13.68),
    (3.62, 1.39, 7048, 54.70, 136, 13.87),
    (4.31, 0.97, 13192, 55.02, 264, 13.88),
    (5.50, 0.00, 42952, 71.54, 884, 16.47),
]
# Calls the decision function at random instances and prints the time of a call in each of 31 rounds, in nanoseconds.
TIMING = r"""
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int main(void) {
  enum { kInstances = 1 << 14, kRounds = 31 };
  static uint64_t ranks[kInstances], bytes[kInstances];
  volatile long sink = 0;
  int (*volatile decide)(uint64_t, uint64_t) = colltree_decide_reduce; /* not inlined */
  srandom(2007);
  for (int i = 0; i < kInstances; ++i) {
    ranks[i] = 2 + random() % 63;
    bytes[i] = 1 + random() % (16 << 20);
  }
  for (int round = 0; round < kRounds; ++round) {
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (int i = 0; i < kInstances; ++i) sink += decide(ranks[i], bytes[i]);
    clock_gettime(CLOCK_MONOTONIC, &to);
    printf("%g\n", ((to.tv_sec - from.tv_sec) * 1e9 + (to.tv_nsec - from.tv_nsec)) / kInstances);
  }
}
"""


def row_of(label: str, name: Any, columns: Sequence[str], theirs: Sequence[Any], ours: Sequence[Any]) -> Row:
    return {label: name, "paper": dict(zip(columns, theirs, strict=True)), "ours": dict(zip(columns, ours, strict=True))}


def percents(penalty: Row, names: Sequence[str]) -> list[float]:
    return [100 * penalty[name] for name in names]


def pruning_row(model: Model, options: str, theirs: Sequence[Any]) -> Row:
    before, after = model.statistics["before_pruning"], model.statistics["after_pruning"]
    sizes = [value for tree in (before, after) for value in (tree["leaves"], tree["errors"], 100 * tree["error_rate"])]
    return row_of("options", options, PRUNING, theirs, [*sizes, 100 * after["predicted_error_rate"]])


def tables_2006(paper: Paper) -> Row:
    tables: Row = {"table2": [], "table3": [], "table4": [], "figure4": []}
    for (weight, level, *theirs), their_penalty in zip(TABLE_2_2006, TABLE_3_2006, strict=True):
        options, model = f"-m {weight} -c {level}", paper.c45("bcast", weight, level)
        tables["table2"].append(pruning_row(model, options, theirs))
        penalty = paper.penalty(model, "grig", "bcast")
        ours = [*percents(penalty, ("min", "max", "mean", "median")), penalty["above_50"]]
        tables["table3"].append(row_of("options", options, PENALTIES, their_penalty, ours))
    for weight, level, *theirs in TABLE_4_2006:
        options, model = f"-m {weight} -c {level}", paper.c45("bcast,reduce", weight, level)
        tables["table4"].append(pruning_row(model, options, theirs))
        means = [100 * paper.penalty(model, "grig", collective)["mean"] for collective in ("bcast", "reduce")]
        tables["figure4"].append(row_of("options", options, ("bcast_mean_pct", "reduce_mean_pct"), (None, None), means))
    return tables | {f"instances_{collective}": instances(paper, "grig", collective) for collective in ("bcast", "reduce")}


def instances(paper: Paper, system: str, collective: str) -> int:
    return len(paper.times(system).query("collective == @collective").drop_duplicates(["communicator_size", "message_size"]))


def quadtree_table(paper: Paper, system: str, table: Sequence[Sequence[Any]]) -> list[Row]:
    rows = []
    for depth, theirs in enumerate(table, 1):
        model = paper.model("quadtree", system, "bcast", max_depth=depth)
        shape, penalty = model.statistics, percents(paper.penalty(model, system, "bcast"), ("max", "mean", "median"))
        ours = [shape["min_depth"], shape["mean_depth"], *penalty, shape["leaves"], shape["nodes"]]
        rows.append(row_of("max_depth", depth, QUADTREES, theirs, ours))
    return rows


def function_ns(source: str) -> float | None:
    """Return the time of a call of the emitted function; None where there is no C compiler."""
    with tempfile.TemporaryDirectory() as folder:
        program, text = f"{folder}/decision", "#define _DEFAULT_SOURCE\n#include <stdint.h>\n" + source + TIMING
        try:
            subprocess.run(["cc", "-O2", "-x", "c", "-", "-o", program], input=text, text=True, check=True, capture_output=True)
            return statistics.median(map(float, subprocess.run([program], check=True, capture_output=True, text=True).stdout.split()))
        except (OSError, subprocess.CalledProcessError):
            return None


def decision_table(paper: Paper) -> list[Row]:
    fitters = [f"quadtree:max_depth={depth}" for depth in range(1, 7)]
    where = {"system": "grig", "collective": "reduce", "without_default": True, "held_out": "none", "quiet": True}
    compared = drive.compare(paper.path, fit=";".join(fitters), details=True, **where).set_index("chooser")
    rows = []
    for depth, theirs in enumerate(TABLE_3_2007, 1):
        model = paper.model("quadtree", "grig", "reduce", max_depth=depth)
        bare, tree, source = model.path.with_suffix(".bare.json"), model.path.with_suffix(".cdt"), model.to_c(plain=True)
        document = json.loads(model.path.read_text())
        # What the file says of the library and its algorithms is no part of the tree.
        document["origin"] = {key: value for key, value in document["origin"].items() if key not in ("mpi", "algorithms")}
        bare.write_text(json.dumps(document))
        drive.run("emit", "tree", bare, output=tree)
        mean = 100 * paper.penalty(model, "grig", "reduce")["mean"]
        memory = [tree.stat().st_size, float(compared.loc[fitters[depth - 1], "decide_ns"])]
        ours = [model.statistics["mean_depth"], mean, *memory, source.count("if ("), function_ns(source)]
        rows.append(row_of("max_depth", depth, DECISIONS, theirs, ours))
    return rows


def tables_2007(paper: Paper) -> Row:
    return {
        **{f"instances_{system}": instances(paper, system, "bcast") for system in ("frodo", "grig")},
        "table1": quadtree_table(paper, "frodo", TABLE_1_2007),
        "table2": quadtree_table(paper, "grig", TABLE_2_2007),
        "table3": decision_table(paper),
    }


TABLES = {2006: tables_2006, 2007: tables_2007}
SIZES = [name for name in PRUNING if name not in ("errors_before", "errors_after")]
TABLE_3 = "compact decision file: bytes of the tree, time as deployed; times on this machine"
PRINTED = {
    2006: [
        ("table2", "Table 2: broadcast C4.5 trees, Grig (theirs 1248 cases; size is leaves)", SIZES),
        ("table3", "Table 3: their performance penalty, %", PENALTIES),
        ("table4", "Table 4: broadcast and reduce combined (theirs 2286 cases)", SIZES),
        ("figure4", "Figure 4: mean penalty of the combined trees, % (theirs: below 2.5)", ["bcast_mean_pct", "reduce_mean_pct"]),
    ],
    2007: [
        ("table1", "Table 1: broadcast quadtrees by maximum depth, Frodo", QUADTREES),
        ("table2", "Table 2: broadcast quadtrees by maximum depth, Grig", QUADTREES),
        ("table3", f"Table 3: deciding for reduce, Grig ({TABLE_3})", DECISIONS),
    ],
}


def print_tables(year: int, result: Row) -> None:
    def text(value: Any) -> str:
        return "-" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)

    print("Each column: the paper's figure / ours. Theirs were measured on clusters that are gone, ours are simulated")
    print("(SimGrid SMPI, platforms/*.xml, not calibrated): equal figures are not to be expected, the same shape is.")
    for name, title, columns in PRINTED[year]:
        label = "options" if "options" in result[name][0] else "max_depth"
        print(f"\n{title}\n  {label:<13}" + "".join(f"{column:>19}" for column in columns))
        for row in result[name]:
            print(f"  {row[label]:<13}" + "".join(f"{text(row['paper'][column]) + ' / ' + text(row['ours'][column]):>19}" for column in columns))
    print("\nFigures:", *result["figures"], sep="\n  ")


def reproduce(paper: Paper) -> Row:
    """Return the tables and the paths of the figures of a paper that was measured."""
    result, paths = {"paper": paper.year, **TABLES[paper.year](paper)}, []
    for number in FIGURES[paper.year]:
        path = paper.folder / f"{paper.year}-figure-{number}.svg"
        importlib.import_module(f"figure_{paper.year}_{number}").draw(paper).savefig(path, bbox_inches="tight")
        matplotlib.pyplot.close("all")
        paths.append(str(path))
    return {**result, "figures": paths}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="reproduce", description=__doc__.partition("\n")[0])
    parser.add_argument("paper", type=int, choices=(2006, 2007), help="2006 (C4.5) or 2007 (quadtrees)")
    parser.add_argument("-o", "--output", required=True, help="folder for the profile and the figures; an existing one is continued")
    parser.add_argument("--jobs", type=int, help="number of simulations at once (default: one for each core)")
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    options = parser.parse_args(arguments)
    matplotlib.use("Agg")
    paper = Paper(options.output, options.paper)

    def work() -> None:
        paper.folder.mkdir(parents=True, exist_ok=True)
        for platform, grid, segment_sizes in CLUSTERS[options.paper]:
            what = {"platform": platform, "grid": grid, "segment_sizes": segment_sizes, "collective": "bcast,reduce", "methods": "papers"}
            drive.run("measure", output=paper.path, jobs=options.jobs, **what)
        result = reproduce(paper)
        print(json.dumps(result, indent=2, sort_keys=True)) if options.json else print_tables(options.paper, result)

    return exit_code(work)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
