# SPDX-License-Identifier: BSD-3-Clause
"""Which targets of rules were proved in their libraries, and how:

    perf/tables/make.py proofs COLLTREE LOG...

LOG is Testing/Temporary/LastTest.log of a build in which the proofs ran (.ci/full), or another output of ctest -V. Tests say what
they proved in lines "proof TARGET KIND: WHAT". KIND: parsed (by the library's own reader, without a job), obeyed (looked up at
each threshold), programs (legal programs right under the rules). Prints a Markdown table with a row for each target of COLLTREE.
"""
import collections
import re
import subprocess
import sys

KINDS = ("parsed", "obeyed", "programs")


def proofs(logs):
    """{(target, kind): [(what, test)]} in the order of the logs, each once."""
    found = collections.defaultdict(list)
    for log in logs:
        test = ""
        with open(log, errors="replace") as lines:
            for line in lines:
                if begin := re.match(r"(?:\d+/\d+ Test: |test \d+\s+Start\s+\d+: |\s*Start +\d+: )(\S+)", line):
                    test = begin[1]
                if said := re.match(r"(?:\d+: )?proof (\S+) (\w+): (.*)", line):
                    row = (said[3], test)
                    if row not in found[said[1], said[2]]:
                        found[said[1], said[2]].append(row)
    return found


def main(arguments):
    if len(arguments) < 2:
        sys.exit(__doc__)
    helped = subprocess.run([arguments[0], "check", __file__, "--for", "?"], capture_output=True, text=True).stderr
    targets = helped.split("known are ")[1].split("\n")[0].split(", ")
    found = proofs(arguments[1:])
    print("| target | " + " | ".join(KINDS) + " |\n| --- | --- | --- | --- |")
    for target in targets:
        cells = ["; ".join(f"{what} (`{test}`)" for what, test in found[target, kind]) or "-" for kind in KINDS]
        print(f"| `{target}` | " + " | ".join(cells) + " |")
    return 0 if found else 1
