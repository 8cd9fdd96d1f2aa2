# SPDX-License-Identifier: BSD-3-Clause
"""predicting COLLTREE FOLDER: the tables of docs/results/predicting.md (Grig, Frodo and modern are simulated: half an hour).

How right `colltree study predict` is: within the grid every measured cell is predicted from the others. Beyond it the cells
above some number of ranks are predicted from a profile that holds only those up to it; so does the tree that `fit
optimal --leaves auto` makes of these. Then what choosing by expected times loses, as `compare` says it.
"""
import json
import math
import tempfile

import common

BEYOND = {"grig": (14, 7), "frodo": (24, 12), "modern": (64, 16)}


def measured(rows, collective):
    """{(ranks, bytes, algorithm, segment): us}. One sample a cell."""
    return {(row["procs"], row["msg_bytes"], row["algorithm"], row["segment_bytes"]): float(row["time_us"])
            for row in rows if row["collective"] == collective and row["algorithm"] != "default"}


def predictions(colltree, profile, collective, keys):
    sizes = [",".join(sorted({key[i] for key in keys}, key=int)) for i in (0, 1)]
    text = common.run(colltree, "study", "predict", profile, "--collective", collective, "--most", "1000", "--csv",
                      "--communicator-sizes", sizes[0], "--message-sizes", sizes[1])
    for row in common.rows_of(text):
        key = row["communicator_size"], row["message_size"], row["algorithm"], row["segment_bytes"]
        if key in keys:
            yield key, row


def percent(values, share):
    value = 100 * math.expm1(sorted(values)[int(share * (len(values) - 1))])
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
    return (len(time), *(f"{percent(one, 0.5)}, {percent(one, 0.9)}" for one in (formula, time)),
            f"{100 * inside / len(time):.0f} %", f"{100 * penalty:.2g}")


def tree_penalty(colltree, small, large, collective, folder):
    common.run(colltree, "fit", "optimal", small, "--collective", collective, "--leaves", "auto", "-o", f"{folder}/tree.json")
    report = json.loads(common.run(colltree, "evaluate", f"{folder}/tree.json", "--on", large, "--json"))
    return 100 * report["collectives"][0]["choosers"][-1]["performance_penalty"]["mean"]


def table(colltree, name, collective, most):
    rows = common.rows_of(common.run(colltree, "export", name + ".db", "-o", "-"))
    times = measured(rows, collective)
    beyond = {key: us for key, us in times.items() if int(key[0]) > most}
    with tempfile.TemporaryDirectory() as folder:
        small, large = (common.write_part(colltree, [row for row in rows if (int(row["procs"]) > most) == above], f"{folder}/{part}")
                        for part, above in (("small", False), ("large", True)))
        what = f"{name} {collective}"
        common.row(f"beyond {most} ranks", what, "tree", f"{tree_penalty(colltree, small, large, collective, folder):.2g}")
        common.row("within", what, *judge(times, predictions(colltree, name + ".db", collective, times)))
        common.row(f"beyond {most} ranks", what, *judge(beyond, predictions(colltree, small, collective, beyond)))


def main(arguments):
    colltree, _ = common.in_folder(arguments, __doc__)
    for name, mosts in BEYOND.items():
        common.profile(colltree, name)
        for most in mosts:
            for collective in ("bcast", "reduce"):
                table(colltree, name, collective, most)
    for words in (["grig.db"], ["frodo.db"], ["modern.db"], *([common.profile(colltree, "orfeo"), "--system", system]
                                                          for system in ("orfeo-epyc-core", "orfeo-epyc-node"))):
        common.print_contests(common.rows_of(common.run(colltree, "evaluate", "compare", *words, "--fit", "loggp; c45; optimal", "--no-times", "--csv")))
