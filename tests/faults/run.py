#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""run.py BUILD SITE [FAULT...]: campaigns under each fault, then the same command once more (docs/results/reliability.md). The last line
begins with "ok: " when nothing was lost, repeated or mixed. The faults and the tries are
those of tests/sample.py: of COLLTREE_TEST_SHARE=100 each fault a few times, above it as often as faults.py says."""
import collections
import os
import random
import re
import sys
import tempfile
import time

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
import sample
from faults import ALL, FAULTS
from site_of import SITES


def shape(message):
    """A message without what differs from try to try."""
    return re.sub(r"\b\d+\b", "N", message)


def tries_of(name, site_name):
    *_, few, many = FAULTS[name]
    return (many if sample.SHARE > 100 else few)[ALL.index(site_name)]


def try_fault(site, name):
    what, how, make, *_ = FAULTS[name]
    began = time.monotonic()
    count = lost = repeated = mixed = 0
    messages, wrong = collections.Counter(), []
    for verdict in make(site, random.Random(f"{sample.seed()} {name} {site.name}"), tries_of(name, site.name)):
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
    with tempfile.TemporaryDirectory() as scratch:
        site = SITES[name](os.path.abspath(build), scratch)
        try:
            faults = wanted or sample.sampled(fault for fault in FAULTS if name in FAULTS[fault][3] and tries_of(fault, name) > 0)
            done = [try_fault(site, fault) for fault in faults]
        finally:
            site.close()
    tried = sum(count for count, _ in done)
    if any(bad for _, bad in done):
        sys.exit(f"FAILED: {sum(bad for _, bad in done)} of {len(done)} faults, {tried} tries (seed {sample.seed()})")
    print(f"ok: {tried} tries of {len(done)} faults, {name}, nothing lost, repeated or mixed (seed {sample.seed()})")


main()
