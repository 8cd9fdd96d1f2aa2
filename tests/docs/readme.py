#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""readme.py BUILD [--update | simulated | LIBRARY]: runs the commands of README.md in order, in an empty folder, those of a real cluster with Open MPI and
with MPICH; each must end well (the slow ones of the simulated cluster only at COLLTREE_TEST_SHARE=100). What the first block shows is what its command prints, to the last digit, where the simulator is the
one that is named there. --update writes it anew into README.md; with a word only the commands of a simulated or of a real cluster are run.

A command is a line of a block without a language, or words in backquotes, that begins with colltree. As README says it of its commands:
--budget bounds the tuning, another --source stands for the other library with its format of rules, and packages are not installed nor
is anything built again. ./program is compiled from the tutorial; the launcher is that of the library, with more ranks than cores."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
README = os.path.join(ROOT, "README.md")
COMMAND = re.compile(r"(?:build/release/)?colltree \S")
MENTIONS = ("colltree run --record", "colltree check FILE", "colltree check decision.file")  # no commands to run
ANSWERS = {0: "holds", 1: "drifted", 3: "cannot tell"}  # of the doctor
LIBRARIES = ("openmpi", "mpich")
FULL = int(os.environ.get("COLLTREE_TEST_SHARE") or 10) >= 100
SLOW = re.compile(" report | evaluate compare ")


def fail(text):
    sys.exit(f"FAILED: README.md: {text}")


def commands(text):
    """Of the blocks and of the lines between them, in order."""
    found = []
    text = re.sub(r"^```[a-z]+\n.*?^```\n", "", text, flags=re.M | re.S)  # of another language
    for index, part in enumerate(re.split(r"^```\n", text, flags=re.M)):
        if index % 2 == 1:
            lines = [line.split(" && ")[-1] for line in part.splitlines()]
        else:
            lines = re.findall(r"`([^`]*)`", part)
        found += [" ".join(line.split()) for line in lines if COMMAND.match(line) and " ".join(line.split()) not in MENTIONS]
    return found


def shown_block(text):
    """Start and end of the block that shows what the first command prints."""
    start = text.index("```\ngrig (simulated") + 4
    return start, text.index("```", start)


def shown_of(output):
    """The number of cells and the verdict."""
    head = re.search(r"^grig \(simulated.*?\n\n", output, re.M | re.S)
    verdict = re.search(r"^Verdict for .*", output, re.M | re.S)
    if not head or not verdict:
        fail(f"no head or no verdict in:\n{output}")
    return head.group() + verdict.group()


class Folder:
    def __init__(self, build, path):
        self.path = path
        os.makedirs(os.path.join(path, "build"))
        os.symlink(build, os.path.join(path, "build", "release"))
        os.symlink(os.path.join(ROOT, "tests"), os.path.join(path, "tests"))
        os.mkdir(os.path.join(path, "bin"))
        for name in list(os.environ):
            if name.startswith("COLLTREE_"):
                del os.environ[name]
        self.environment = dict(os.environ, PATH=f"{path}/bin:{build}:{os.environ['PATH']}", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                                OMPI_MCA_rmaps_base_oversubscribe="1", ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0")

    def run(self, command):
        print(f"$ {command}", flush=True)
        done = subprocess.run(command, shell=True, cwd=self.path, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, errors="replace", check=False)
        lines = done.stdout.splitlines()
        is_answer = " doctor " in command and lines and ANSWERS.get(done.returncode) == lines[-1]
        if done.returncode and not is_answer:
            fail(f"exit code {done.returncode}: {command}\n{done.stdout}{done.stderr}")
        return done.stdout

    def use(self, library):
        """mpirun and ./program are the library's."""
        for name in ("mpirun", "mpicc"):
            script = os.path.join(self.path, "bin", name)
            with open(script, "w", encoding="utf-8") as file:
                file.write(f'#!/bin/sh\nexec {name}.{library} "$@"\n')
            os.chmod(script, 0o755)
        with open(os.path.join(ROOT, "docs", "tutorial.md"), encoding="utf-8") as tutorial:
            source = re.search(r"cat >program.c <<'END'\n(.*?)\n> END", tutorial.read(), re.S).group(1)
        with open(os.path.join(self.path, "program.c"), "w", encoding="utf-8") as program:
            program.write("".join(line.removeprefix("> ") + "\n" for line in source.splitlines()))
        self.run("mpicc program.c -o program")


def for_library(command, library, target):
    command = command.replace("--source openmpi", f"--source {library}").replace("openmpi-4.1", target)
    if " tune " in command:
        command += " --budget 20s"
    return command + (" --time-limit 5" if " doctor " in command else "")


def run_simulated(folder, text, listed, update):
    shown = shown_of(folder.run(listed[0]))
    start, end = shown_block(text)
    if update:
        with open(README, "w", encoding="utf-8") as file:
            file.write(text[:start] + shown + text[end:])
        return
    simulator = re.search(r"smpi-[0-9.]+", text).group()
    if f", {simulator})" not in shown:
        print(f"another simulator than {simulator}: its figures are not compared")
    elif shown.split() != text[start:end].split():
        fail(f"'{listed[0]}' prints now ({os.path.relpath(__file__, ROOT)} BUILD --update writes it):\n{shown}")
    for command in listed[1:]:
        if FULL or not SLOW.search(command):
            folder.run(command)


def run_real(folder, listed, library):
    target = subprocess.run(["bash", "-c", f". {ROOT}/tests/rule_target.sh; rule_target {folder.path}/build/release {library}"], check=True, stdout=subprocess.PIPE,
                            text=True).stdout.strip()
    folder.use(library)
    for command in listed:
        folder.run(for_library(command, library, target))
    for tuned in ("my-cluster", "portable"):
        shutil.rmtree(os.path.join(folder.path, tuned))


def main():
    build, update = os.path.abspath(sys.argv[1]), "--update" in sys.argv
    with open(README, encoding="utf-8") as file:
        text = file.read()
    listed = commands(text)
    real = next(i for i, command in enumerate(listed) if "--source openmpi" in command)
    chosen = [library for library in LIBRARIES if library in sys.argv]
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(build, path)
        if not chosen:
            run_simulated(folder, text, listed[:real], update)
        for library in [] if update or "simulated" in sys.argv else chosen or LIBRARIES:
            run_real(folder, listed[real:], library)
    print(f"ok: {len(listed)} commands")


main()
