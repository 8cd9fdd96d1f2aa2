# SPDX-License-Identifier: BSD-3-Clause
"""Training time of our C4.5 beside Weka's J48, scikit-learn's tree and the slow reference.

    perf/tables/make.py c45 build/perf/c45_perf [--most 1000000] [--weka-most 1000000]

Debian packages: weka, python3-sklearn. Every program reads the same data in the same run; times
are what each one says its training took (J48: "Time taken to build model"; ours: thresholds,
sorting, growing and pruning). Prints a table, the exponent of our time, and bytes per case.
"""
import argparse
import json
import math
import os
import re
import subprocess
import tempfile

WEKA = "/usr/share/java/weka.jar"
SKLEARN = r"""
import sys, time, numpy
from sklearn.tree import DecisionTreeClassifier
x = numpy.fromfile(sys.argv[1] + ".f32", numpy.float32).reshape(-1, 3)
y = numpy.fromfile(sys.argv[1] + ".i32", numpy.uint32)
start = time.perf_counter()
DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2).fit(x, y)
print(time.perf_counter() - start)
"""


def ours(program, what, cases, layout, *options):
    words = [program, what, str(cases), layout, *options]
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def sklearn_seconds(stem):
    words = ["/usr/bin/python3", "-c", SKLEARN, stem]
    run = subprocess.run(words, capture_output=True, text=True)
    return float(run.stdout) if run.returncode == 0 else None


def j48_seconds(stem):
    if not os.path.exists(WEKA):
        return None
    words = ["java", "-Xmx3g", "-cp", WEKA, "weka.classifiers.trees.J48", "-t", stem + ".arff",
             "-no-cv"]
    run = subprocess.run(words, capture_output=True, text=True)
    found = re.search(r"Time taken to build model: ([\d.]+) seconds", run.stdout)
    return float(found.group(1)) if found else None


def shown(seconds, our_seconds):
    return "-" if seconds is None else f"{seconds:.3g} s ({seconds / our_seconds:.3g}x)"


def main(arguments):
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--most", type=int, default=1000000)
    parser.add_argument("--weka-most", type=int, default=1000000)
    parser.add_argument("--reference-most", type=int, default=10000)
    arguments = parser.parse_args(arguments)
    print("| cases | layout | ours | scikit-learn, unpruned | J48 | reference | bytes per case |")
    print("|---|---|---|---|---|---|---|")
    for layout in ("scattered", "grid"):
        times = []
        for cases in (1000, 10000, 100000, 1000000):
            if cases > arguments.most:
                continue
            with tempfile.TemporaryDirectory() as folder:
                stem = os.path.join(folder, "made")
                ours(arguments.program, "write", cases, layout, stem)
                runs = [ours(arguments.program, "train", cases, layout) for _ in range(3)]
                best = min(runs, key=lambda run: run["seconds"])
                sklearn = sklearn_seconds(stem)
                j48 = j48_seconds(stem) if cases <= arguments.weka_most else None
            slow = None
            if cases <= arguments.reference_most:
                slow = ours(arguments.program, "reference", cases, layout)["seconds"]
            seconds = best["seconds"]
            times.append((cases, seconds))
            print(f"| {cases} | {layout} | {seconds:.3g} s | {shown(sklearn, seconds)} | "
                  f"{shown(j48, seconds)} | {shown(slow, seconds)} | "
                  f"{best['bytes_per_case']:.0f} |", flush=True)
        (n1, t1), (n2, t2) = times[max(0, len(times) - 3)], times[-1]
        if n2 > n1:
            print(f"\n{layout}: time grows as cases^{math.log(t2 / t1) / math.log(n2 / n1):.2f} "
                  f"from {n1} to {n2}\n", flush=True)
    sweep = ours(arguments.program, "sweep", "", "")
    print(f"sweep -m 2..40 x -c 5..25 at 1248 cases: {sweep['trees']} trees in "
          f"{1000 * sweep['seconds']:.1f} ms")

