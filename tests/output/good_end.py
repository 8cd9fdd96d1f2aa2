# SPDX-License-Identifier: BSD-3-Clause
"""How colltree and colltree-c45 may end, whatever they are asked: by themselves, in words of their own, with one line of error
unless all is well."""
import os
import re

NOT_ERRORS = re.compile(r" [0-9]+/[0-9]+ [a-z]+ \([0-9]+ %\)|^note: |^measuring into [^:]*: [0-9]+ cells?, about |^D: up to about .* node hours")
NOT_OURS = re.compile(r"Sanitizer|runtime error|terminate called|not written for|basic_string|vector::|std::|bad_alloc|Assertion")
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


C45 = "colltree-c45"


def command_line(colltree, words):
    """Of a command with its words: words behind colltree-c45 are those of that program, which lies beside."""
    if words and os.fsdecode(words[0]) == C45:
        return [os.path.join(os.path.dirname(colltree), C45), *words[1:]]
    return [colltree, *words]


def faults_of(code, errors):
    """What is wrong with such an exit code and standard error (None: nobody read it), in words."""
    if code not in (0, 1, 2):
        yield "its end"
    if errors is None:
        return
    lines = [line for line in errors.removesuffix("\n").split("\n") if errors and not NOT_ERRORS.search(line)]
    if NOT_OURS.search(errors):
        yield "not our words"
    # The second line of wrong usage is a hint.
    if code in (1, 2) and not (1 <= len(lines) <= code and lines[0].startswith(("colltree: ", f"{C45}: "))):
        yield "not one line (and a hint)"
    if any(len(line) > 4200 for line in lines):
        yield "a long line"
    if CONTROL.search(errors):
        yield "control characters"
