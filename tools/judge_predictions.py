#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How right `colltree predict` is: judge_predictions.py COLLTREE PROFILE COLLECTIVE MOST

Within the grid every measured cell is predicted from the others. Beyond it the cells above MOST ranks are predicted
from a profile that holds only those up to MOST; so does the tree that `fit optimal --leaves auto` makes of these.
Prints rows of two Markdown tables, each model's, and the mean penalty of the tree.
"""
import csv
import io
import json
import math
import subprocess
import sys
import tempfile

MODELS = ("hockney", "loggp", "plogp", "hockney-fitted")


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def measured(colltree, profile, collective):
    """{(ranks, bytes, algorithm, segment): us}, the header and rows of the export. One sample a cell."""
    rows = list(csv.DictReader(io.StringIO(run(colltree, "export", profile, "-o", "-"))))
    times = {}
    for row in rows:
        if row["collective"] == collective and row["algorithm"] != "default":
            key = row["procs"], row["msg_bytes"], row["algorithm"], row["segment_bytes"]
            times[key] = float(row["time_us"])
    return times, rows


def predictions(colltree, profile, collective, model, keys):
    sizes = [",".join(sorted({key[i] for key in keys}, key=int)) for i in (0, 1)]
    text = run(colltree, "predict", profile, "--collective", collective, "--model", model, "--most", "1000", "--csv",
               "--communicator-sizes", sizes[0], "--message-sizes", sizes[1])
    for row in csv.DictReader(io.StringIO(text)):
        key = row["communicator_size"], row["message_size"], row["algorithm"], row["segment_bytes"]
        if key in keys:
            yield key, row


def percent(values, share):
    values = sorted(values)
    value = 100 * math.expm1(values[int(share * (len(values) - 1))])
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"


def judge(times, rows):
    formula, time, inside, best, chosen = [], [], 0, {}, {}
    for key, row in rows:
        truth = times[key]
        formula.append(abs(math.log(truth / float(row["formula_us"]))))
        time.append(abs(math.log(truth / float(row["time_us"]))))
        inside += float(row["low_us"]) <= truth <= float(row["high_us"])
        at = key[:2]
        best[at] = min(best.get(at, math.inf), truth)
        chosen[at] = min(chosen.get(at, (math.inf, 0)), (float(row["time_us"]), truth))
    penalty = sum(chosen[at][1] / best[at] - 1 for at in best) / len(best)
    errors = " | ".join(f"{percent(one, 0.5)}, {percent(one, 0.9)}" for one in (formula, time))
    return f"{len(time)} | {errors} | {100 * inside / len(time):.0f} % | {100 * penalty:.2g}"


def part(colltree, rows, folder, name):
    with open(f"{folder}/{name}.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    run(colltree, "import", f"{folder}/{name}.csv", "-o", f"{folder}/{name}.db")


def tree_penalty(colltree, folder, collective):
    run(colltree, "fit", "optimal", f"{folder}/small.db", "--collective", collective, "--leaves", "auto",
        "-o", f"{folder}/tree.json")
    report = json.loads(run(colltree, "evaluate", f"{folder}/tree.json", "--on", f"{folder}/large.db", "--json"))
    return 100 * report["collectives"][0]["choosers"][-1]["performance_penalty"]["mean"]


def main():
    colltree, profile, collective, most = sys.argv[1:]
    times, rows = measured(colltree, profile, collective)
    beyond = {key: us for key, us in times.items() if int(key[0]) > int(most)}
    with tempfile.TemporaryDirectory() as folder:
        part(colltree, [row for row in rows if int(row["procs"]) <= int(most)], folder, "small")
        part(colltree, [row for row in rows if int(row["procs"]) > int(most)], folder, "large")
        print(f"| beyond {most} ranks | {profile.removesuffix('.db')} {collective} | tree | "
              f"{tree_penalty(colltree, folder, collective):.2g} |")
        for model in MODELS:
            name = f"{profile.removesuffix('.db')} {collective} | {model}"
            print(f"| within | {name} | {judge(times, predictions(colltree, profile, collective, model, times))} |")
            small = predictions(colltree, f"{folder}/small.db", collective, model, beyond)
            print(f"| beyond {most} ranks | {name} | {judge(beyond, small)} |")


main()
