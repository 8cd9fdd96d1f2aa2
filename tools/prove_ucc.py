#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Proves a rules file for UCC (ucc or ucc-conf) with an installed UCC, on the host, without a GPU:

    tools/prove_ucc.py COLLTREE UCC_PREFIX RULES [LAUNCHER]

UCC_PREFIX/bin/ucc_info says the version and the algorithms of TL/UCP: each name in the file must be one of them. Then
UCC_PREFIX/bin/ucc_perftest makes a team on numbers of ranks that the file distinguishes and on one beside, under LAUNCHER
('mpirun -np {ranks}'), with the file's UCC_TL_UCP_TUNE (or the file as UCC_CONFIG_FILE) and UCC_LOG_LEVEL=info; UCC prints the
score map that it made. A string that UCC could not parse is a failure, whatever the map says: the defaults can look the same. Just
below and just at thresholds of the file the map must have two ranges where `colltree explain --rules` says two methods: the
score map does not name algorithms. UCC cuts the map of a collective at 1024 characters: thresholds behind the cut are counted
as not shown. Of long files some team sizes and thresholds are asked, evenly chosen, and the rest is counted. Prints the
differences and one line of counts; exit code 1 if there is a difference or nothing was compared.
"""
import functools
import os
import re
import subprocess
import sys

VARIABLE = "UCC_TL_UCP_TUNE"
UNITS = {"": 1, "B": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
OURS = {"reduce_scatter": "reduce_scatter_block", "reduce_scatterv": "reduce_scatter"}
MOST_RANKS = 64  # of one job
MOST_TEAMS = 12  # jobs
MOST_KEYS = 10  # thresholds of one collective in one job


def number(text):
    """ "4K" as UCC writes sizes; None: no end. """
    if text.lower() in ("inf", "auto"):
        return None
    found = re.fullmatch(r"(\d+)([BKMGT]?)B?", text.upper())
    if not found:
        sys.exit(f"'{text}' is no size")
    return int(found.group(1)) * UNITS[found.group(2)]


def range_of(text):
    """(first, last) of "2-4", "2-inf" or "5"."""
    ends = text.split("-")
    return number(ends[0]), number(ends[-1])


def strings(file):
    """[((least, most) ranks of the section, value of the variable)], and whether it is a ucc.conf."""
    found, section, conf = [], (0, None), False
    with open(file) as lines:
        for line in lines:
            text = line.strip()
            if text.startswith("["):
                conf = True
                sizes = re.search(r"team_size=([\d-]+)", text)
                section = range_of(sizes.group(1)) if sizes else (0, None)
            elif match := re.match(rf"(export\s+)?{VARIABLE}\s*=\s*(.*)$", text):
                value = match.group(2)
                quoted = re.match(r"(['\"])(.*?)\1", value)
                found.append((section, quoted.group(2) if quoted else value.split(" ")[0]))
    if not found:
        sys.exit(f"{file}: no {VARIABLE}")
    return (found, True) if conf else (found[-1:], False)


def fields(token):
    """Collectives, sizes, teams and the algorithm of one token; sizes are (first byte, byte behind the last)."""
    collectives, sizes, teams, algorithm = [], [(0, None)], [(0, None)], ""
    for part in filter(None, token.lower().split(":")):
        if part.startswith("@"):
            algorithm = part[1:]
        elif part.startswith("["):
            teams = [range_of(one) for one in part[1:-1].split(",")]
        elif re.match(r"\d.*-", part):
            sizes = [range_of(one) for one in part.split(",")]
        elif re.match(r"[a-z]", part) and not re.match(r"inf$|host|cuda|rocm", part):
            collectives = part.split(",")
    return collectives, sizes, teams, algorithm


def rows_of(found):
    """[(collective, first byte, byte behind the last, least ranks, most ranks, algorithm)] of all tokens with an algorithm."""
    rows = []
    for (least, most), value in found:
        for token in filter(None, value.split("#")):
            collectives, sizes, teams, algorithm = fields(token)
            for collective in collectives if algorithm else []:
                for size in sizes:
                    for team in teams:
                        ends = [end for end in (team[1], most) if end is not None]
                        rows.append((collective, *size, max(team[0], least), min(ends) if ends else None, algorithm))
    return rows


def algorithms(info):
    """{collective: names, in the order of their numbers} of TL/UCP, as ucc_info -A prints them."""
    names, collective, ours = {}, "", False
    for line in info.splitlines():
        if re.match(r"\S+/\S+ algorithms:", line):
            ours = line.startswith("tl/ucp ")
        elif ours and re.fullmatch(r"  \S+", line):
            collective = line.strip().lower()
        elif ours and (found := re.match(r"\s+\d+ :\s+(\S+) :", line)):
            names.setdefault(collective, []).append(found.group(1))
    return names


def score_map(log):
    """{collective: [(first, last or None, layer)]} of host memory, of the last map printed for each. {1000} is a range too."""
    ranges, collective = {}, ""
    for line in log.splitlines():
        if found := re.search(r"(?:^|\s)([A-Z][a-z_]+):\s*$", line):
            collective = found.group(1).lower()
        if (found := re.search(r"[Hh]ost: (\{.*)$", line)) and collective:
            ranges[collective] = [(number(first), number(last or first), layer) for first, last, layer in
                                  re.findall(r"\{(\w+)(?:\.\.(\w+))?\}:(\w+):\w", found.group(1))]
    return ranges


@functools.cache
def said(colltree, rules, collective, ranks, size, kind):
    text = subprocess.run([colltree, "explain", OURS.get(collective, collective), str(ranks), str(size), "--rules", rules, "--for",
                           kind], check=True, capture_output=True, text=True).stdout
    found = re.search(r"looked up as (\d+) bytes", text)
    return int(found.group(1)) if found else size, re.search(r"^method: (.*)$", text, re.M).group(1)


def some(values, most):
    """Evenly chosen, the ends among them."""
    values = sorted(values)
    if len(values) <= most:
        return values
    return sorted({values[at * (len(values) - 1) // (most - 1)] for at in range(most)})


def asked_ranks(rows):
    """Both sides of every bound on the team size, as far as a job can have them."""
    asked = {2}
    for row in rows:
        for bound in (row[3], row[4]):
            if bound is not None:
                asked |= {bound, bound + 1, max(2, bound - 1)}
    return {ranks for ranks in asked if 2 <= ranks <= MOST_RANKS}


class Proof:
    def __init__(self, colltree, prefix, rules, launcher):
        self.colltree, self.rules, self.launcher = colltree, rules, launcher
        self.program = lambda name: os.path.join(prefix, "bin", name)
        self.found, self.conf = strings(rules)
        self.rows = rows_of(self.found)
        self.kind = "ucc-conf" if self.conf else "ucc"
        self.names = self.differences = self.calls = self.not_shown = self.not_tried = 0

    def differ(self, text):
        self.differences += 1
        print(text)

    def check_names(self):
        info = subprocess.run([self.program("ucc_info"), "-A"], check=True, capture_output=True, text=True).stdout
        known = algorithms(info)
        for collective, algorithm in sorted({(row[0], row[5]) for row in self.rows}):
            self.names += 1
            names = known.get(collective, [])
            if algorithm not in names and not (algorithm.isdigit() and int(algorithm) < len(names)):
                self.differ(f"{collective}: this UCC has no algorithm '{algorithm}'")

    def maps_on(self, ranks):
        """The score maps of one job, of all collectives. None: UCC could not take the file."""
        own = {"UCC_CONFIG_FILE": os.path.abspath(self.rules)} if self.conf else {VARIABLE: self.found[0][1]}
        command = self.launcher.format(ranks=ranks).split() + [self.program("ucc_perftest"), "-c", "allreduce", "-m", "host", "-b", "1",
                                                               "-e", "1", "-n", "1", "-w", "1"]
        run = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **own, "UCC_LOG_LEVEL": "info"})
        log = run.stdout + run.stderr
        if failed := re.search(r"(?:failed to parse|not supported for|overlaping range|incorrect algorithm).*", log):
            self.differ(f"on {ranks} ranks UCC says: {failed.group(0)}")
            return None
        maps = score_map(log)
        if not maps:
            sys.exit(f"no score map on {ranks} ranks: {' '.join(command)}")
        return maps

    def sides_of(self, collective, ranks, key):
        """Just below and just at a key, which may be one block times the ranks: what is said of each."""
        ask = lambda size: said(self.colltree, self.rules, collective, ranks, size, self.kind)
        at = -(-key // max(1, ask(1)[0]))
        return ask(at - 1), ask(at)

    def compare(self, collective, ranks, ranges):
        keys = {end for row in self.rows if row[0] == collective and row[3] <= ranks and (row[4] is None or ranks <= row[4])
                for end in row[1:3] if end}
        chosen = some(keys, MOST_KEYS)
        self.not_tried += len(keys) - len(chosen)
        shown = ranges[-1][1]
        for key in chosen:
            sides = self.sides_of(collective, ranks, key)
            if shown is not None and max(size for size, _ in sides) > shown:
                self.not_shown += 1
                continue
            self.calls += 1
            where = [next((at for at, (first, last, _) in enumerate(ranges) if first <= size and (last is None or size <= last)), None)
                     for size, _ in sides]
            if (sides[0][1] != sides[1][1]) != (where[0] != where[1]):
                self.differ(f"{collective} on {ranks} ranks, {sides[0][0]} and {sides[1][0]} bytes: the file says {sides[0][1]} and "
                            f"{sides[1][1]}, UCC has them in {'two ranges' if where[0] != where[1] else 'one range'}")

    def run(self):
        version = subprocess.run([self.program("ucc_info"), "-v"], check=True, capture_output=True, text=True).stdout.splitlines()[0]
        self.check_names()
        for ranks in some(asked_ranks(self.rows), MOST_TEAMS):
            maps = self.maps_on(ranks)
            for collective in sorted({row[0] for row in self.rows}) if maps is not None else []:
                if collective in maps and maps[collective]:
                    self.compare(collective, ranks, maps[collective])
                else:
                    self.differ(f"{collective} on {ranks} ranks: UCC has no score map")
        print(f"{version}: {self.names} names, {self.calls} thresholds compared, {self.not_shown} not shown, {self.not_tried} not tried; "
              f"{self.differences} mismatches")
        return 1 if self.differences or not self.calls else 0


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    sys.exit(Proof(*sys.argv[1:4], sys.argv[4] if len(sys.argv) == 5 else "mpirun -np {ranks}").run())
