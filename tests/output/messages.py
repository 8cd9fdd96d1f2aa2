#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""messages.py SOURCES: every message of an error that the program throws, as the sources have it, beside the table messages.txt,
which is read by a person when it changes: exit code 1 if they differ. With --write the table is written. A line holds the file,
how the message ends the program (usage: exit code 2; unfinished: 3; at a line: "FILE:LINE: " stands before it, and "expected" before a noun), and
the text; {} is a value.
"""
import os
import re
import subprocess
import sys

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "messages.txt")
THROW = re.compile(r"throw\s+(?:\w+::)*(\w+)\s*[({]")
STRINGS = re.compile(r'"(?:[^"\\]|\\.)*"(?:\s*"(?:[^"\\]|\\.)*")*')
PIECE = re.compile(r'"((?:[^"\\]|\\.)*)"')
KINDS = {"Error": "", "UsageError": "usage: ", "ParseError": "at a line: ", "Unfinished": "unfinished: "}


def arguments(text, start):
    """What stands between a bracket that is open at `start` and its end."""
    at, depth = start, 1
    while depth:
        string = PIECE.match(text, at)
        if string:
            at = string.end()
            continue
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(text[at], 0)
        at += 1
    return text[start:at - 1]


def as_format(text):
    """The same with each `concat("at ", place)` as the format would be: "at {}", place."""
    call = re.search(r"\bconcat\(", text)
    if not call:
        return text
    inside = arguments(text, call.end())
    form, values, begin = "", [], 0
    for end in ends_of_arguments(inside):
        part = inside[begin:end].strip()
        begin = end + 1
        if STRINGS.fullmatch(part):
            form += "".join(PIECE.findall(part)).replace("{", "{{").replace("}", "}}")
        else:
            form += "{}"
            values.append(part)
    return text[:call.start()] + f'"{form}", ' + as_format(", ".join(values) + text[call.end() + len(inside) + 1:])


def ends_of_arguments(text):
    """Where the commas between the arguments of a call stand, and its end."""
    at, depth = 0, 0
    while at < len(text):
        string = PIECE.match(text, at)
        if string:
            at = string.end()
            continue
        depth += {"(": 1, "{": 1, "[": 1, ")": -1, "}": -1, "]": -1}.get(text[at], 0)
        if depth == 0 and text[at] == ",":
            yield at
        at += 1
    yield at


def messages(sources):
    listed = subprocess.run(["find", "libs", "tool", "c45", "-name", "*.cpp", "-o", "-name", "*.h"], cwd=sources, check=True, stdout=subprocess.PIPE, text=True).stdout
    for file in sorted(listed.split()):
        if re.search("_test\\.|/test_|/tests/|/perf/", file):
            continue
        with open(os.path.join(sources, file), encoding="utf-8") as source:
            text = source.read()
        for throw in THROW.finditer(text):
            if throw.group(1) not in KINDS:
                continue
            texts = ["".join(PIECE.findall(one)) for one in STRINGS.findall(as_format(arguments(text, throw.end())))]
            if texts:
                yield f"{file}: {KINDS[throw.group(1)]}{' | '.join(texts)}"


found = list(messages(sys.argv[1]))
if len(found) < 300:
    sys.exit(f"only {len(found)} messages were found")
if "--write" in sys.argv:
    with open(TABLE, "w", encoding="utf-8") as table:
        table.write("\n".join(found) + "\n")
with open(TABLE, encoding="utf-8") as table:
    known = table.read().splitlines()
for one in found:
    if one not in known:
        print(f"not in tests/output/messages.txt: {one}")
for one in known:
    if one not in found:
        print(f"no longer in the sources: {one}")
if found != known:
    sys.exit("read the new messages, then: tests/output/messages.py . --write")
print(f"ok: {len(found)} messages")
