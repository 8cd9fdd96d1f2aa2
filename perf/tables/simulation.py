# SPDX-License-Identifier: BSD-3-Clause
"""Simulated cells per second of two builds, in turn in one run (docs/results/simulation.md).

    perf/tables/make.py simulation OLD/colltree-simulate NEW/colltree-simulate [--platform F] [--rounds 5]

Every case is a plan of small instances: portable methods and the library's choice. Both programs must
report the same times. Processor time, user and system, of the program and its children; medians.
"""
import argparse
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
METHODS = {
    "allgather": ["ring 0", "bruck 0", "default -"],
    "allreduce": ["ring 0", "default -"],
    "alltoall": ["linear 0", "bruck 0", "default -"],
    "barrier": ["default -"],
    "bcast": ["linear 0", "binomial 0", "pipeline 0", "default -"],
    "gather": ["binomial 0", "default -"],
    "reduce": ["linear 0", "binomial 0", "default -"],
    "scatter": ["binomial 0", "default -"],
}


def plan(ranks):
    lines = ["colltree-plan 2", "source portable", "stop 1 1 0 0.95 0 0 0"]
    for size in range(64, 1025, 64):
        for collective, methods in METHODS.items():
            lines += [f"{collective} {ranks} {0 if collective == 'barrier' else size} {method}" for method in methods]
    return "\n".join(lines + ["end", ""])


def run(program, platform, plan_file):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    text = subprocess.run([program, platform, plan_file, "1"], check=True, capture_output=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, [line for line in text.splitlines() if '"event":"measured"' in line]


def compare(programs, platform, plan_file, rounds):
    spent = ([], [])
    for _ in range(rounds):
        reports = []
        for i, program in enumerate(programs):
            seconds, cells = run(program, platform, plan_file)
            spent[i].append(seconds)
            reports.append(cells)
        if reports[0] != reports[1]:
            sys.exit(f"{plan_file}: the two programs report different times")
    cells = len(reports[0])
    return [cells / statistics.median(seconds) for seconds in spent]


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--platform", default=str(ROOT / "platforms" / "grig.xml"))
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args(arguments)
    print("| ranks | old, cells/s | new, cells/s | ratio |\n| --: | --: | --: | --: |")
    with tempfile.TemporaryDirectory() as folder:
        for ranks in (2, 4, 8, 16):
            name = os.path.join(folder, f"ranks-{ranks}")
            pathlib.Path(name).write_text(plan(ranks))
            old, new = compare((options.old, options.new), options.platform, name, options.rounds)
            print(f"| {ranks} | {old:.0f} | {new:.0f} | {new / old:.2f} |", flush=True)

