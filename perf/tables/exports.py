# SPDX-License-Identifier: BSD-3-Clause
"""One model as rules of every library, with what each file loses and what each library cannot say:

    perf/tables/make.py exports COLLTREE PROFILE MODEL.json FOLDER [TARGET...]

Writes FOLDER/rules.TARGET for each target that is rules (or those that are named), reads each back by `colltree check --on`, and
prints a Markdown table: mean penalty of the file on the profile as the reader understands it, instances without a time,
defects, and how many rules had to be replaced or were lost, with the reasons below. Exit code 1 if a file of ours is not fit.
"""
import json
import os
import re
import subprocess
import sys

import common


def run(command):
    return subprocess.run(command, capture_output=True, text=True)


def targets(colltree):
    """Those that `check` reads: it names them where it is asked for one that there is not."""
    return run([colltree, "check", __file__, "--for", "?"]).stderr.split("known are ")[1].split("\n")[0].split(", ")


def table(colltree, profile, model, folder, wanted):
    on = ["--on", profile]
    reasons, bad = [], 0
    common.head("target", "mean penalty", "instances", "without a time", "replaced or lost")
    for target in wanted or targets(colltree):
        file = os.path.join(folder, "rules." + target)
        emitted = run([colltree, "emit", target, model, "-o", file] + on)
        if emitted.returncode != 0:
            common.row(f"`{target}`", *"----")
            reasons.append((target, [emitted.stderr.strip().removeprefix("colltree: ")]))
            continue
        notes = [line[6:] for line in emitted.stderr.splitlines() if line.startswith("note: ")]
        model_notes = [note for note in notes if not note.startswith("mean penalty")]
        checked = run([colltree, "check", file, "--for", target, "--json"] + on)
        answer = json.loads(checked.stdout)
        penalty = answer["penalty"]
        rules = sum(int(found) for note in model_notes for found in re.findall(r"\((\d+) rules?", note))
        common.row(f"`{target}`", f"{100 * penalty['mean']:.2f} %", penalty["instances"], penalty["without_time"], rules)
        # A file that leaves every call to the library is an error for its user; a note above says so.
        if checked.returncode != 0 and not any("it changes nothing" in note for note in model_notes):
            bad = 1
            model_notes.append("not fit: " + checked.stderr.strip())
        reasons.append((target, model_notes))
    for target, notes in reasons:
        print(f"\n`{target}`" + ("" if notes else ": nothing is lost"))
        for note in notes:
            print(f"- {note}")
    return bad


def main(arguments):
    if len(arguments) < 4:
        sys.exit(__doc__)
    os.makedirs(arguments[3], exist_ok=True)
    return table(*arguments[:4], arguments[4:])
