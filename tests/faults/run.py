#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""run.py BUILD SITE [FAULT...]: campaigns under each fault, then the same command once more (docs/results/reliability.md). The last line
begins with "ok: " when nothing was lost, repeated or mixed. COLLTREE_TEST_FULL=1 tries as often as faults.py says,
COLLTREE_TEST_FULL=N so often at most; COLLTREE_TEST_SEED another seed."""
import collections
import os
import random
import re
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from faults import ALL, FAULTS
from site_of import SITES


def shape(message):
    """A message without what differs from try to try."""
    return re.sub(r"\b\d+\b", "N", message)


def try_fault(site, name, seed, full):
    what, how, make, _, few, many = FAULTS[name]
    tries = (many if full else few)[ALL.index(site.name)]
    if full > 1:
        tries = min(tries, full)
    if tries == 0:
        return None
    began = time.monotonic()
    count = lost = repeated = mixed = 0
    messages, wrong = collections.Counter(), []
    for verdict in make(site, random.Random(f"{seed} {name} {site.name}"), tries):
        count += 1
        lost, repeated, mixed = lost + verdict.lost, repeated + verdict.repeated, mixed + verdict.mixed
        if verdict.message:
            messages[shape(verdict.message)] += 1
        if verdict.bad:
            wrong.append(f"try {count}: {verdict}")
            print(f"{name}, {site.name}: {wrong[-1]}", flush=True)
    print(f"| {what} | {how} | {site.name} | {count} | {lost} | {repeated} | {mixed} | "
          f"{'; '.join(f'{message} ({times})' for message, times in messages.most_common(3))} |  {time.monotonic() - began:.0f} s",
          flush=True)
    return count, bool(wrong)


def main():
    build, name, *wanted = sys.argv[1:]
    seed = os.environ.get("COLLTREE_TEST_SEED", "1")
    full = int(os.environ.get("COLLTREE_TEST_FULL", "0"))
    with tempfile.TemporaryDirectory() as scratch:
        site = SITES[name](os.path.abspath(build), scratch)
        try:
            done = [result for fault in wanted or FAULTS
                    if name in FAULTS[fault][3] and (result := try_fault(site, fault, seed, full))]
        finally:
            site.close()
    tried = sum(count for count, _ in done)
    if any(bad for _, bad in done):
        sys.exit(f"FAILED: {sum(bad for _, bad in done)} of {len(done)} faults, {tried} tries (seed {seed})")
    print(f"ok: {tried} tries of {len(done)} faults, {name}, nothing lost, repeated or mixed (seed {seed})")


main()
