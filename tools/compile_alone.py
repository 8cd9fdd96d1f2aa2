#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compiles every source file and every header alone, without writing an object file: unity builds and precompiled headers
hide a missing #include. A file is compiled with the command that BUILD has for it (also as a part of a unity file); a header, or
a source without a command of its own, with the command of a neighbour in its folder or in the folder above.

  tools/compile_alone.py BUILD changed [COMPILER]   the files that differ from the last commit or changed in the last commits, each with one
                                                    of its commands: 5 at most, 24 at COLLTREE_TEST_SHARE=33
  tools/compile_alone.py BUILD all [COMPILER]       every file, for each MPI library; twenty minutes of a core
  tools/compile_alone.py BUILD FILE... [-- COMPILER]

COMPILER replaces the compiler of BUILD, as clang++. Prints what does not compile; exit code 1 if there is such a file.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ("libs", "tool", "include", "c45", "tests", "perf")
MOST_CHANGED = 24 if int(os.environ.get("COLLTREE_TEST_SHARE") or 10) >= 33 else 5
# What needs more than the project's own dependencies, or is no program of its own.
APART = re.compile(r"^(tests/(data|intel|ucc)/|tests/live/entered\.cpp|perf/|c45/perf/)")


def git(*words):
    return subprocess.run(["git", "-C", ROOT, *words], check=True, capture_output=True, text=True).stdout.split("\n")


def sources():
    listed = git("ls-files", "--cached", "--others", "--exclude-standard", "--", *SOURCES)
    return [f for f in listed if re.search(r"\.(cpp|hpp|h|c)$", f) and not APART.search(f) and (ROOT / f).exists()]


def changed():
    """The newest first."""
    recent = git("diff", "--name-only", "HEAD") + git("ls-files", "--others", "--exclude-standard")
    recent += git("log", "-n", "30", "--format=", "--name-only")
    known = set(sources())
    return [f for f in dict.fromkeys(recent) if f in known][:MOST_CHANGED]


def parts(file):
    """The files that a unity file includes, or the file itself."""
    if "/Unity/" not in file:
        return [file]
    return re.findall(r'^#include "(.+)"$', pathlib.Path(file).read_text(), re.M)


def kept(words):
    """Of a command what says how a file is read."""
    skip = False
    for word in words:
        if skip or word in ("-c", "-Winvalid-pch"):
            skip = False
        elif word in ("-o", "-include"):
            skip = True
        elif not re.match(r"-(O|g|fsanitize|fno-sanitize|M)", word):
            yield word


def commands(build):
    """File -> the different ways in which it is compiled, as tuples of words without the file's name."""
    ways = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        if "ccache" in os.path.basename(words[0]):
            del words[0]
        way = tuple(word for word in kept(words) if word != entry["file"])
        for file in parts(entry["file"]):
            if (path := pathlib.Path(file)).is_relative_to(ROOT):
                ways.setdefault(str(path.relative_to(ROOT)), {})[way] = None
    return {file: list(each) for file, each in ways.items()}


def distance(file, other, ways):
    """How unlike two files are: by name, by whether they are tests (GoogleTest's flags), by whether they speak MPI."""
    speaks_mpi = any("COLLTREE_MPI_FLAVOUR" in word for way in ways for word in way)
    return (pathlib.PurePath(other).stem != pathlib.PurePath(file).stem, other.endswith("_test.cpp") != file.endswith("_test.cpp"),
            "<mpi.h>" in (ROOT / file).read_text() and not speaks_mpi, other)


def ways_of(file, known):
    if file in known:
        return known[file]
    path = pathlib.PurePath(file)
    for folder in [path.parent, *path.parent.parents]:
        near = [f for f in known if pathlib.PurePath(f).parent == folder and f.endswith(".c") == file.endswith(".c")]
        if near:
            return known[min(near, key=lambda f: distance(file, f, known[f]))]
    return next(iter(known.values()))


def different(ways):
    """One way for each MPI library: sanitizers and position make no difference here."""
    flavour = lambda way: [word for word in way if word.startswith("-DCOLLTREE_MPI_FLAVOUR")]
    return list({str(flavour(way)): way for way in ways}.values())


def compile_alone(file, way, compiler):
    if compiler and file.endswith(".c"):
        compiler = compiler.replace("clang++", "clang").replace("g++", "gcc")
    words = [compiler or way[0], *(word for word in way[1:] if not (compiler and word == "-fno-gnu-unique")), "-fsyntax-only", "-Wall", "-Wextra", "-Wno-missing-field-initializers",
             "-Wno-unknown-warning-option", "-Werror"]
    if file.endswith((".h", ".hpp")):
        words += ["-include", str(ROOT / file), "-x", "c++", "/dev/null"]
    else:
        words.append(str(ROOT / file))
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    return f"{file} does not compile alone:\n{done.stderr}" if done.returncode else ""


def main():
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    known = commands(pathlib.Path(sys.argv[1]))
    what, compiler = sys.argv[2:], None
    if "--" in what:
        what, compiler = what[: what.index("--")], what[-1]
    elif what[0] in ("all", "changed"):
        what, compiler = what[0], next(iter(what[1:]), None)
    files = {"all": sources, "changed": changed}.get(str(what), lambda: what)()
    work = [(file, way) for file in files for way in different(ways_of(file, known))[: 1 if what == "changed" else None]]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as cores:
        bad = 0
        for text in filter(None, cores.map(lambda one: compile_alone(*one, compiler), work)):
            print(text, flush=True)
            bad += 1
    print(f"{bad} do not compile" if bad else f"ok: {len(files)} files compile alone")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
