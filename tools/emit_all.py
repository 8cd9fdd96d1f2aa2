#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""One model as rules of every library, with what each file loses and what each library cannot say:

    tools/emit_all.py COLLTREE PROFILE MODEL.json FOLDER [TARGET...]

Writes FOLDER/rules.TARGET for each target of `colltree emit` that is rules (or those that are named), reads each back by `colltree check --on`, and
prints a Markdown table: mean penalty of the file on the profile as the reader understands it, instances without a time,
defects, and how many rules had to be replaced or were lost, with the reasons below. Exit code 1 if a file of ours is not fit.
"""
import json
import os
import re
import subprocess
import sys


def targets(colltree):
    """Those that `check` reads: "what reads it: NAME (...); NAME (...)"."""
    text = subprocess.run([colltree, "check", "--help"], check=True, capture_output=True, text=True).stdout
    text = " ".join(text[text.index("what reads it:") + 14:].split())
    return re.findall(r"(?:^|; )\s*([a-z][a-z0-9.-]*) \(", text.split(" --")[0])


def run(command):
    return subprocess.run(command, capture_output=True, text=True)


def table(colltree, profile, model, folder, wanted):
    on = ["--on", profile]
    reasons, bad = [], 0
    print("| target | mean penalty | instances | without a time | replaced or lost |\n| --- | --: | --: | --: | --: |")
    for target in wanted or targets(colltree):
        file = os.path.join(folder, "rules." + target)
        emitted = run([colltree, "emit", target, model, "-o", file] + on)
        if emitted.returncode != 0:
            print(f"| `{target}` | - | - | - | - |")
            reasons.append((target, [emitted.stderr.strip().removeprefix("colltree: ")]))
            continue
        notes = [line[6:] for line in emitted.stderr.splitlines() if line.startswith("note: ")]
        model_notes = [note for note in notes if not note.startswith("mean penalty")]
        checked = run([colltree, "check", file, "--for", target, "--json"] + on)
        answer = json.loads(checked.stdout)
        penalty = answer["penalty"]
        rules = sum(int(found) for note in model_notes for found in re.findall(r"\((\d+) rules?", note))
        print(f"| `{target}` | {100 * penalty['mean']:.2f} % | {penalty['instances']} | {penalty['without_time']} | {rules} |")
        # A file that leaves every call to the library is an error to who deploys it, and said above.
        if checked.returncode != 0 and not any("it changes nothing" in note for note in model_notes):
            bad = 1
            model_notes.append("not fit: " + checked.stderr.strip())
        reasons.append((target, model_notes))
    for target, notes in reasons:
        print(f"\n`{target}`" + ("" if notes else ": nothing is lost"))
        for note in notes:
            print(f"- {note}")
    return bad


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    os.makedirs(sys.argv[4], exist_ok=True)
    sys.exit(table(*sys.argv[1:5], sys.argv[5:]))
