# SPDX-License-Identifier: BSD-3-Clause
"""Compares all decision functions over the public data sets and simulated clusters: the tables of docs/results/comparison.md and their summary.

A table has the rows of KEPT and, of C4.5's settings, the one with the lowest geometric mean of (1 + mean penalty) over the kinds of held-out
points. The summary has for every decision function, on dense and on sparse grids: its leaves, the same geometric mean over all tables and kinds
of held-out points and the highest of these means, in percent, and the number of instances where its choice cannot run. A choice that cannot run
is in no mean.
"""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import colltree
from colltree import Error, drive
from colltree._study_command import Parser, exit_code
from colltree._style import percent_text

DATA = Path(__file__).parents[2] / "tests" / "data"
IMPORTED: dict[str, tuple[str, dict[str, str]]] = {
    "orfeo": ("orfeo_epyc_openmpi_bcast_reduce.csv.gz", {}),
    "fugaku": ("fugaku_fjmpi_8coll.csv.gz", {"message_size": "total"}),
    "dane": ("dane_alltoall.csv.gz", {}),
}
# Frodo's own grid to 16 MB takes an hour of one core; this part of it a few minutes.
SIMULATED = {"grig": {}, "frodo": {"communicator_sizes": "2..50:2", "message_sizes": "1..1M:x2"}}
SYSTEMS: list[tuple[str, str | None]] = [
    ("orfeo", "orfeo-epyc-core"),
    ("orfeo", "orfeo-epyc-node"),
    *((name, None) for name in ("fugaku", "dane", "grig", "frodo")),
]
SPARSE = {"fugaku", "dane"}  # by the first word of the system's name; grids of 30 to 60 points
KEPT = {"default", "best fixed", "quadtree", "optimal", "optimal:leaves=auto", "interpolation", "noise floor"}
HELD_OUT = ["communicator_sizes", "message_sizes", "blocks"]
NAMES = {"optimal": "optimal:leaves=10", "c45": "c45:weight=2"}


def profile_of(folder: Path, name: str) -> Path:
    """Return NAME.db in the folder, which is imported from tests/data of a checkout, or simulated, as far as it is not there."""
    path = folder / f"{name}.db"
    if name in SIMULATED:
        drive.run("measure", platform=name, collective="bcast,reduce", methods="papers", output=path, **SIMULATED[name])
    elif not path.exists():
        file, options = IMPORTED[name]
        if not (DATA / file).exists():
            raise Error(f"{DATA / file}: no such file; run this study in a checkout of colltree, which has the public data sets")
        drive.run("import", DATA / file, output=path, quiet=True, **options)
    return path


def compare(profile: Path, **options: Any) -> pd.DataFrame:
    """Return a row for each collective, decision function and kind of points, also those that were held out."""
    frame = colltree.compare(profile, held_out=HELD_OUT, quiet=True, **options).assign(refused=lambda rows: rows.get("refused"))
    return frame[frame["refused"].isna()].fillna({"detail": ""}).drop(columns="refused")


def geometric(values: Any) -> float:
    return float(np.expm1(np.log1p(np.asarray(values, dtype=float)).mean()))


def table(cells: Sequence[Sequence[Any]]) -> str:
    """Return a table of Markdown with titles."""
    titles, *rows = ("| " + " | ".join(map(str, row)) + " |\n" for row in cells)
    return titles + "| --- |" + " --: |" * (len(cells[0]) - 1) + "\n" + "".join(rows)


def of_collective(system: str, collective: str, rows: pd.DataFrame) -> str:
    """Return the table of a collective of a system."""
    training = rows[rows["points"] == "training"].set_index(["chooser", "detail"])
    judged = rows[rows["points"] != "training"].groupby("chooser", sort=False)["mean"]
    held_out = judged.agg(lambda means: geometric(means.fillna(np.inf)))  # infinite where the choice can run at no point of some kind
    c45 = held_out[held_out.index.str.split(":").str[0] == "c45"]
    cells = [[f"{training['instances'].iloc[0]:.0f} instances", "leaves", "training points", "max"]]
    cells[0] += [f"held-out {kind.replace('_', ' ')}" for kind in HELD_OUT]
    for (chooser, detail), points in rows.groupby(["chooser", "detail"], sort=False):
        if chooser in KEPT | {c45.idxmin()}:
            own, texts = training.loc[(chooser, detail)], points.set_index("points").agg(_mean_text, axis=1)
            mean, *held = (texts.get(kind, "-") for kind in ("training", *HELD_OUT))
            leaves, most = ("-" if pd.isna(own[name]) else text(own[name]) for name, text in (("leaves", "{:.0f}".format), ("max", percent_text)))
            cells.append([f"{chooser} ({detail})" if detail else chooser, leaves, mean, most, *held])
    return f"## {system}, {collective}\n\n{table(cells)}\n"


def _mean_text(row: Any) -> str:
    if pd.isna(row["mean"]):
        return "-"
    interval = f" ({'..'.join(map(percent_text, row['mean_interval']))})" if isinstance(row["mean_interval"], list) else ""
    return percent_text(row["mean"]) + interval + (f", {row['cannot_run']} no run" if row["cannot_run"] else "")


def summary(frame: pd.DataFrame) -> str:
    """Return the table over all data sets, of the decision functions that are in every table."""
    frame = frame[frame["chooser"] != "noise floor"]
    frame = frame.assign(chooser=frame["chooser"].replace(NAMES), sparse=frame["system"].str.split("-").str[0].isin(SPARSE))
    held_out = frame[frame["points"] != "training"]
    means = held_out.dropna(subset="mean").groupby(["chooser", "sparse"], sort=False)["mean"].agg(["size", geometric, "max"])
    leaves = frame[frame["points"] == "training"].groupby(["chooser", "sparse"])["leaves"].agg(["min", "max"])
    most = means["size"].groupby("sparse").max()
    cells = [["chooser"], *([chooser] for chooser in frame["chooser"].unique())]
    for is_sparse, name in ((False, "dense"), (True, "sparse")):
        cells[0] += ["leaves", f"{name}, {most.get(is_sparse, 0)} means", "highest"]
        for row in cells[1:]:
            key = (row[0], is_sparse)
            span = leaves.loc[key] if key in leaves.index else leaves.iloc[:0].max()
            row.append(f"{span['min']:.0f}..{span['max']:.0f}" if span.notna().all() else "-")
            row += map(percent_text, means.loc[key, ["geometric", "max"]]) if key in means.index else ["-", "-"]
    no_run = held_out.groupby("chooser")["cannot_run"].sum()
    complete = [row for row in cells[1:] if all(means["size"].get((row[0], is_sparse), 0) == count for is_sparse, count in most.items())]
    return table([[*cells[0], "no run"], *([*row, no_run[row[0]]] for row in complete)])


def main(arguments: Sequence[str], systems: Sequence[tuple[str, str | None]] = SYSTEMS, make: Callable[[Path, str], Path] = profile_of) -> int:
    parser = Parser(prog="python3 -m colltree.study comparison", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, required=True, help="a folder for profiles, comparison.md and all.csv (every row); may exist")
    folder = parser.parse_args(arguments).output

    def work() -> None:
        folder.mkdir(parents=True, exist_ok=True)
        frame = pd.concat([compare(make(folder, name), system=system) for name, system in systems], ignore_index=True)
        frame.to_csv(folder / "all.csv", index=False)
        tables = [of_collective(*key, rows) for key, rows in frame.groupby(["system", "collective"], sort=False)]
        (folder / "comparison.md").write_text("".join(tables), encoding="utf-8")
        print(summary(frame), end="")

    return exit_code(work)
