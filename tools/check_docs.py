#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_docs.py: each relative link of a tracked page leads to a file and, with #, to one of its headings; each page that a source
or a message names exists; the manual (docs without docs/results, and without the table that a program counts) keeps within a step
above its bound of lines. Prints each fault; exit code 1 if there is one.
"""
import os
import re
import subprocess
import sys

MANUAL_LINES = 2613
STEP = 25  # lines above that bound at which it fails
os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
tracked = subprocess.run(["git", "grep", "-Il", "", "--", ".", ":!CHANGELOG.md", ":!tests/fuzz/corpus"], check=True, stdout=subprocess.PIPE, text=True).stdout.split("\n")[:-1]
faults = []


def prose(page):
    """The lines of a page as (number, text), without its code blocks."""
    inside = False
    with open(page, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.startswith("```"):
                inside = not inside
            elif not inside:
                yield number, line


def anchors(page):
    """The names of a page's headings, as GitHub makes them."""
    titles = (line.lstrip("#").strip().lower() for _, line in prose(page) if re.match("#+ ", line))
    return {re.sub(r"[^\w\- ]", "", title.replace("`", "")).replace(" ", "-") for title in titles}


for page in (file for file in tracked if file.endswith(".md")):
    for number, line in prose(page):
        for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", line)):
            if re.match("[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            path = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            if not os.path.exists(path):
                faults.append(f"{page}:{number}: the link {target} leads to no file")
            elif anchor and anchor not in anchors(path):
                faults.append(f"{page}:{number}: the link {target} leads to no heading")
for file in tracked:
    if os.path.basename(file) == "check_docs.py":
        continue
    with open(file, encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            for page in re.findall(r"(?<![\w/(])docs/[\w/-]+\.md", line):
                if not os.path.exists(page):
                    faults.append(f"{file}:{number}: names {page}, which is no file")
manual = 0
for page in tracked:
    if page.endswith(".md") and page.startswith("docs/") and not page.startswith("docs/results/"):
        with open(page, encoding="utf-8") as file:
            manual += file.read().split("<!-- counted by")[0].count("\n")
if manual > MANUAL_LINES + STEP:
    faults.append(f"check_docs.py: the manual has {manual} lines, above the bound of {MANUAL_LINES}")
over = f", above the bound of {MANUAL_LINES}, within the step of {STEP}" if manual > MANUAL_LINES else ""
print("\n".join(faults) or f"{manual} lines of manual{over}, no dead link")
sys.exit(bool(faults))
