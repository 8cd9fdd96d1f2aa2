#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The examples of the commands in tool/cli/commands.def, with the files of a test in place of the reader's: so a new command
is tried by every test in this folder without a row there. As a program: NAME|ARGUMENTS, a line each, for run.sh."""
import pathlib
import re
import shlex
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import sample

TABLE = pathlib.Path(__file__).resolve().parents[2] / "tool/cli/commands.def"
TEXT = r'((?:"(?:[^"\\]|\\.)*"\s*)+)'
ROW = re.compile(rf"^COLLTREE_(?:SUB)?COMMAND\((?:\"[^\"]*\"|(\w+)),\s*(\w+),\s*{TEXT},\s*{TEXT}\)", re.MULTILINE)
# Their examples measure, need a file or a program that tests do not have, or take long: the tests have rows for them.
APART = {"tune", "measure", "measure kit", "import", "evaluate compare", "verify", "verify doctor", "verify program", "run"}


def examples(files, output):
    """(COMMAND, its words) of each. `files`: what stands for a profile, by its ending; `output`: for what follows -o."""
    for above, name, _, example in ROW.findall(TABLE.read_text()):
        command = f"{above} {name}".strip()
        if command in APART:
            continue
        words = shlex.split("".join(re.findall(r'"((?:[^"\\]|\\.)*)"', example)))[1:]
        given = []
        for before, word in zip(["", *words], words):
            ending = pathlib.PurePath(word).suffix
            given.append(output if before == "-o" else files.get(ending, word))
        if command == "report" and sample.SHARE < 33:
            given[1:1] = ["--fit", "optimal:leaves=32"]  # to look for what is deployed takes longer than all other commands
        yield command, given


def kinds(colltree):
    """The kinds of models that `colltree fit` knows, as its help lists them."""
    text = subprocess.run([colltree, "fit", "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return re.findall(r"^  (\S+)", text.partition("Subcommands:\n")[2].partition("\n\n")[0], re.MULTILINE)


if __name__ == "__main__":
    for command, line in examples({".db": "p.db", ".json": "m.json", ".cdt": "m.cdt", ".rules": "r.rules"}, "FILE"):
        print(f"{command}|{' '.join(line)}")
