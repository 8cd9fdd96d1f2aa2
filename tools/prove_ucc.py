#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Proves a rules file for UCC (ucc or ucc-conf) with an installed UCC, on the host, without a GPU:

    tools/prove_ucc.py COLLTREE UCC_PREFIX RULES [LAUNCHER]

UCC_PREFIX/bin/ucc_info says the version and the algorithms of TL/UCP: each name in the file must be one of them. Then
UCC_PREFIX/bin/ucc_perftest makes a team on each number of ranks that the file distinguishes and on one beside, under
LAUNCHER ('mpirun -np {ranks}'), with the file's UCC_TL_UCP_TUNE and UCC_LOG_LEVEL=info; UCC prints the score map that it
made. Just below and just at every threshold of the file the map must have two ranges where `colltree explain --rules` says two
methods: the score map does not name algorithms. Prints the differences and one line of counts; exit code 1 if
there is a difference or nothing was asked.
"""
import functools
import os
import re
import subprocess
import sys

VARIABLE = "UCC_TL_UCP_TUNE"
UNITS = {"": 1, "B": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
OWN = "the library's own choice"
MOST_RANKS = 64  # of one job


def number(text):
    """ "4K" as UCC writes sizes; None: no end. """
    if text.lower() == "inf":
        return None
    found = re.fullmatch(r"(\d+)([BKMGT]?)", text.upper())
    if not found:
        sys.exit(f"'{text}' is no size")
    return int(found.group(1)) * UNITS[found.group(2)]


def tokens(file):
    """(value of the variable, [(collective, first byte, byte behind the last, least ranks, most ranks, algorithm)])"""
    with open(file) as lines:
        values = [line.split("=", 1)[1].strip().strip("'\"") for line in lines if line.lstrip("export ").startswith(VARIABLE)]
    if not values:
        sys.exit(f"{file}: no {VARIABLE}")
    rows = []
    for token in values[-1].split("#"):
        parts = token.split(":")
        size, team, algorithm = (0, None), (0, None), ""
        for part in parts[1:]:
            if part.startswith("@"):
                algorithm = part[1:]
            elif part.startswith("["):
                team = tuple(number(end) for end in (part[1:-1].split("-") * 2)[:2])
            elif "-" in part:
                size = tuple(number(end) for end in part.split("-"))
        for collective in parts[0].split(","):
            rows.append((collective, *size, *team, algorithm))
    return values[-1], rows


def algorithms(info):
    """{collective: names} of TL/UCP, as ucc_info -A prints them."""
    names, collective, ours = {}, "", False
    for line in info.splitlines():
        if re.match(r"\S+/\S+ algorithms:", line):
            ours = line.startswith("tl/ucp ")
        elif ours and re.fullmatch(r"  \S+", line):
            collective = line.strip().lower()
        elif ours and (found := re.match(r"\s+\d+ :\s+(\S+) :", line)):
            names.setdefault(collective, set()).add(found.group(1))
    return names


def score_map(log):
    """{collective: [(first, last or None)]} of host memory on TL/UCP, of the last map printed for each."""
    ranges, collective = {}, ""
    for line in log.splitlines():
        if found := re.search(r"(?:^|\s)([A-Z][a-z_]+):\s*$", line):
            collective = found.group(1).lower()
        if (found := re.search(r"[Hh]ost: (\{.*)$", line)) and collective:
            ranges[collective] = [(number(first), number(last)) for first, last, layer in
                                  re.findall(r"\{(\w+)\.\.(\w+)\}:(\w+):", found.group(1)) if layer == "TL_UCP"]
    return ranges


@functools.cache
def said(colltree, rules, collective, ranks, size, kind):
    text = subprocess.run([colltree, "explain", collective, str(ranks), str(size), "--rules", rules, "--for", kind], check=True,
                          capture_output=True, text=True).stdout
    found = re.search(r"looked up as (\d+) bytes", text)
    return int(found.group(1)) if found else size, re.search(r"^method: (.*)$", text, re.M).group(1)


def asked_ranks(rows):
    """Both sides of every bound on the team size, as far as a job can have them."""
    asked = {2}
    for row in rows:
        for bound in (row[3], row[4]):
            if bound is not None:
                asked |= {bound, bound + 1, max(2, bound - 1)}
    return sorted(ranks for ranks in asked if 2 <= ranks <= MOST_RANKS)


def main(colltree, prefix, rules, launcher="mpirun -np {ranks}"):
    kind = "ucc-conf" if "[team_size" in open(rules).read() else "ucc"
    value, rows = tokens(rules)
    program = lambda name: os.path.join(prefix, "bin", name)
    version = subprocess.run([program("ucc_info"), "-v"], check=True, capture_output=True, text=True).stdout.splitlines()[0]
    known = algorithms(subprocess.run([program("ucc_info"), "-A"], check=True, capture_output=True, text=True).stdout)
    names = differences = calls = 0
    for collective, *_, algorithm in rows:
        names += 1
        if algorithm not in known.get(collective, set()):
            differences += 1
            print(f"{collective}: this UCC has no algorithm '{algorithm}'")
    for ranks in asked_ranks(rows):
        for collective in sorted({row[0] for row in rows}):
            command = launcher.format(ranks=ranks).split() + [program("ucc_perftest"), "-c", collective, "-m", "host", "-b", "1",
                                                              "-e", "1", "-n", "1", "-w", "1"]
            run = subprocess.run(command, capture_output=True, text=True, env={**os.environ, VARIABLE: value, "UCC_LOG_LEVEL": "info"})
            ranges = score_map(run.stdout + run.stderr).get(collective)
            if not ranges:
                sys.exit(f"no score map of {collective} on {ranks} ranks: {' '.join(command)}")
            keys = {end for row in rows if row[0] == collective and row[3] <= ranks and (row[4] is None or ranks <= row[4])
                    for end in row[1:3] if end}
            for key in sorted(keys):
                sides = [said(colltree, rules, collective, ranks, size, kind) for size in sides_of(colltree, rules, collective, ranks, key, kind)]
                where = [next((at for at, (first, last) in enumerate(ranges) if first <= size and (last is None or size <= last)), None)
                         for size, _ in sides]
                calls += 1
                if (sides[0][1] != sides[1][1]) != (where[0] != where[1]):
                    differences += 1
                    print(f"{collective} on {ranks} ranks, {sides[0][0]} and {sides[1][0]} bytes: the file says {sides[0][1]} and "
                          f"{sides[1][1]}, UCC has them in {'two ranges' if where[0] != where[1] else 'one range'}")
    print(f"{version}: {names} names, {calls} thresholds compared; {differences} mismatches")
    return 1 if differences or not calls else 0


def sides_of(colltree, rules, collective, ranks, key, kind):
    """Message sizes just below and just at a key, which may be one block times the ranks."""
    scale = max(1, said(colltree, rules, collective, ranks, 1, kind)[0])
    at = -(-key // scale)
    return at - 1, at


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
