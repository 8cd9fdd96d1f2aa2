# SPDX-License-Identifier: BSD-3-Clause
"""Which targets of rules were proved in their libraries, and how:

    perf/tables/make.py proofs COLLTREE LOG...

LOG is Testing/Temporary/LastTest.log of a build in which the proofs ran (.ci/full), or another output of ctest -V. Tests say what
they proved in lines "proof TARGET KIND: LIBRARY: WHAT". KIND: parsed (by the library's own reader, without a job), obeyed (looked up
at each threshold), programs (legal programs right under the rules). Of one library the proof of most calls counts. Prints a Markdown
table with a row for each target of COLLTREE; thresholds are those of message size + of communicator size.
"""
import collections
import re
import subprocess
import sys

KINDS = ("parsed", "obeyed", "programs")


def calls(what):
    return max(map(int, re.findall(r"(\d+) calls", what)), default=0)


def proofs(logs):
    """{(target, kind): {library: (what, test)}} in the order of the logs."""
    found = collections.defaultdict(dict)
    for log in logs:
        test = ""
        with open(log, errors="replace") as lines:
            for line in lines:
                if begin := re.match(r"(?:\d+/\d+ Test: |test \d+\s+Start\s+\d+: |\s*Start +\d+: )(\S+)", line):
                    test = begin[1]
                if said := re.match(r"(?:\d+: )?proof (\S+) (\w+): (.*)", line):
                    library, _, what = said[3].partition(": ")
                    what = re.sub(r"(\d+) thresholds of message size and (\d+) of communicator size", r"\1 + \2 thresholds", what)
                    rows = found[said[1], said[2]]
                    rows[library] = max(rows.get(library, (what, test)), (what, test), key=lambda row: calls(row[0]))
    return found


def main(arguments):
    if len(arguments) < 2:
        sys.exit(__doc__)
    helped = subprocess.run([arguments[0], "check", __file__, "--for", "?"], capture_output=True, text=True).stderr
    targets = helped.split("known are ")[1].split("\n")[0].split(", ")
    found = proofs(arguments[1:])
    print("| target | " + " | ".join(KINDS) + " |\n| --- | --- | --- | --- |")
    for target in targets:
        cells = ["; ".join(f"{library}: {what} (`{test}`)" for library, (what, test) in found[target, kind].items()) or "-" for kind in KINDS]
        print(f"| `{target}` | " + " | ".join(cells) + " |")
    return 0 if found else 1
