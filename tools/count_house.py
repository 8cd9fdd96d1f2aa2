#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Counts what makes a house hard to hold, in the C and C++ files of the product below the folders that are named, without tests:
lines of code (neither blank nor comment nor a lone brace), the share of comments, types and functions (by universal-ctags; 0 without it), comments that
begin as a fragment, and variables whose names are no noun. Prints a line NAME NUMBER for each; tools/check_size.sh holds the bounds."""

import re
import subprocess
import sys

TESTS = re.compile(r"_test\.(cpp|h)$|(^|/)test_[^/]*$|(^|/)(tests?|perf|examples)/")
LONE = {"}", "{", "};", "});", "),", ")"}
FRAGMENT = re.compile(r"// *(What|Of|Whether|Where|As|By) ")
COMMENT = re.compile("//.*")
STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')
ODD_NAME = re.compile(r"\b(?!return\b)(?:auto|auto&|const auto&|[A-Za-z_:<>]+&?)\s+(?:one|at|of|all|other|own|so|t[o]ld|made)\s*(?:[:;=,)({])")

listed = subprocess.run(["git", "ls-files", *sys.argv[1:]], capture_output=True, text=True, check=True).stdout.splitlines()
files = [file for file in listed if re.search(r"\.(cc|cpp|h|hpp|c|def|hh)$", file) and not TESTS.search(file)]
code = comments = blocks = fragments = odd_names = 0
for file in files:
    with open(file, encoding="utf-8", errors="replace") as stream:
        text = stream.read()
    odd_names += len(ODD_NAME.findall(COMMENT.sub("", STRING.sub('""', text))))
    in_block = was_comment = False
    for line in map(str.strip, text.split("\n")):
        is_comment = line.startswith("//") and "SPDX" not in line
        if is_comment and not was_comment:
            blocks += 1
            fragments += bool(FRAGMENT.match(line))
        was_comment = is_comment
        if line and (in_block or line.startswith(("//", "/*"))):
            comments += 1
            in_block = (in_block or line.startswith("/*")) and "*/" not in line
        elif line and line not in LONE:
            code += 1

tags = ["ctags", "-L", "-", "--languages=C++,C", "--map-C++=+.h", "--kinds-C++=fcsgu", "--kinds-C=fsgu", "--fields=+K", "-o", "-"]
try:
    kinds = [line.split("\t")[3] for line in subprocess.run(tags, input="\n".join(files), capture_output=True, text=True).stdout.splitlines() if line[0] != "!"]
except FileNotFoundError:
    kinds = []
functions = kinds.count("function")
print(f"code {code}\ntypes {len(kinds) - functions}\nfunctions {functions}")
print(f"comments_in_1000 {round(1000 * comments / (code + comments))}\nfragments_in_1000 {round(1000 * fragments / max(blocks, 1))}\nodd_names {odd_names}")
