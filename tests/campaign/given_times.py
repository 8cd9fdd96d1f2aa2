#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""given_times.py TIMES: what a measuring job says, with given times. TIMES has lines `PATTERN MICROSECONDS`; the first
pattern that is found in a cell line (docs/reference/formats/plan.md) says the cell's time. So what is chosen, verified and found
to have drifted does not depend on the machine, nor on a cell that failed because the machine was busy."""
import json
import re
import sys

PREFIX = "@colltree "


def time_of(cell, times):
    return next(float(us) for pattern, us in times if re.search(pattern, cell))


def with_times(report, times):
    # Numbers and checksums of lines are of the line as it was.
    report = {name: value for name, value in report.items() if name not in ("line", "check")}
    if report["event"] == "failed" and not report.get("cannot_run"):
        size = int(report["cell"].split()[2])
        report = {"event": "measured", "cell": report["cell"], "count": size, "type_size": 1, "nodes": 1, "ranks_per_node": 2, "discarded": 0}
    if report["event"] == "measured":
        us = time_of(report["cell"], times)
        report["samples_us"] = [us, us * 1.01, us * 0.99]
    return report


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        times = [line.rsplit(maxsplit=1) for line in file]
    for line in sys.stdin:
        if line.startswith(PREFIX):
            line = PREFIX + json.dumps(with_times(json.loads(line[len(PREFIX):]), times), separators=(",", ":")) + "\n"
        print(line, end="", flush=True)


main()
