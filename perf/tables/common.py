# SPDX-License-Identifier: BSD-3-Clause
"""What the makers of tables share."""
import csv
import io
import json
import math
import os
import statistics
import subprocess

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
IMPORTED = {"orfeo": ["orfeo_epyc_openmpi_bcast_reduce"], "fugaku": ["fugaku_fjmpi_8coll", "--message-sizes", "total"], "dane": ["dane_alltoall"],
            "pico": ["pico_leonardo_lumi_reps", "--message-sizes", "total"],
            "marenostrum5": ["marenostrum5_openmpi_8coll", "--message-sizes", "total"], "tuolumne1": ["tuolumne_alltoall_session1_reps"], "tuolumne2": ["tuolumne_alltoall_session2_reps"]}
# Frodo's own grid to 16 MB takes an hour of one core; this part of it a few minutes.
SIMULATED = {"grig": ["--methods", "papers"], "modern": [],
             "frodo": ["--methods", "papers", "--communicator-sizes", "2..50:2", "--message-sizes", "1..1M:x2"]}


def run(*words, **more):
    return subprocess.run([str(word) for word in words], check=True, stdout=subprocess.PIPE, text=True, **more).stdout


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def profile(colltree, name):
    """NAME.db in this folder, imported from tests/data or simulated."""
    file = name + ".db"
    if name in SIMULATED:
        run(colltree, "measure", "--platform", name, "--collective", "bcast,reduce", *SIMULATED[name], "-o", file)
    elif not os.path.exists(file):
        data, *options = IMPORTED[name]
        run(colltree, "import", os.path.join(ROOT, "tests", "data", data + ".csv.gz"), *options, "-o", file)
    return file


def systems_of(colltree, file):
    return [one["system"] for one in json.loads(run(colltree, "show", file, "--json"))]


def write_part(colltree, rows, stem):
    """STEM.db of some rows of an export."""
    with open(stem + ".csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    if os.path.exists(stem + ".db"):
        os.remove(stem + ".db")
    run(colltree, "import", stem + ".csv", "-o", stem + ".db", stderr=subprocess.DEVNULL)
    return stem + ".db"


def row(*cells):
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def head(*titles):
    row(*titles)
    print("| --- |" + " --: |" * (len(titles) - 1))


def percent(text):
    """As colltree prints it: 0.04, 8.9, 566."""
    value = 100 * float(text)
    return "0" if value == 0 else f"{value:.{2 if value < 1 else 1 if value < 100 else 0}f}"


def mean_of(row):
    if not row["mean"]:
        return "-"
    interval = f" ({percent(row['mean_low'])}..{percent(row['mean_high'])})" if row["mean_low"] else ""
    return percent(row["mean"]) + interval + (f", {row['cannot_run']} no run" if row["cannot_run"] != "0" else "")


def geometric(values):
    return math.expm1(statistics.fmean(math.log1p(value) for value in values))


def print_contests(rows):
    """`evaluate compare -o -` as a table for each system's collective."""
    tables = {}
    for each in rows:
        tables.setdefault((each["system"], each["collective"]), {}).setdefault((each["chooser"], each["detail"]), {})[each["points"]] = each
    for (system, collective), choosers in tables.items():
        kinds = list(dict.fromkeys(kind for points in choosers.values() for kind in points))
        instances = next(iter(choosers.values()))["training"]["instances"]
        print(f"## {system}, {collective}\n")
        head(f"{instances} instances", "leaves", "training points", "max", *(f"held-out {kind.replace('_', ' ')}" for kind in kinds[1:]))
        for (chooser, detail), points in choosers.items():
            one = points["training"]
            row(f"{chooser} ({detail})" if detail else chooser, one["leaves"] or "-", mean_of(one),
                percent(one["max"]) if one["max"] else "-", *(mean_of(points[kind]) if kind in points else "-" for kind in kinds[1:]))
        print()


def in_folder(arguments, usage):
    """(COLLTREE, further arguments), in FOLDER."""
    if len(arguments) < 2:
        raise SystemExit(usage)
    colltree, folder, *more = arguments
    colltree = os.path.abspath(colltree)
    os.makedirs(folder, exist_ok=True)
    os.chdir(folder)
    return colltree, more
