# SPDX-License-Identifier: BSD-3-Clause
"""How much of a test's cases is tried now, for tests in Python; base/test_sample.h says it for those in C++, with the same two
variables: COLLTREE_TEST_SHARE, percent of the cases (10 where nothing is said, above 100 some tests try still more), and COLLTREE_TEST_SEED, the number that chooses them
(that of the commit where nothing is said)."""
import functools
import os
import pathlib
import subprocess

SHARE = int(os.environ.get("COLLTREE_TEST_SHARE") or 10)


@functools.cache
def seed() -> int:
    """The number that chooses, printed once, so that a failure can be repeated."""
    said = os.environ.get("COLLTREE_TEST_SEED")
    if not said:
        done = subprocess.run(["git", "rev-list", "--count", "HEAD"], cwd=pathlib.Path(__file__).parent, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, check=False)
        said = done.stdout.strip() or "1"
    print(f"COLLTREE_TEST_SHARE={SHARE} COLLTREE_TEST_SEED={said}", flush=True)
    return int(said)


def sampled(cases):
    """Those of the cases whose turn it is, at least one: every tenth at 10 percent, which tenth is said by the seed."""
    cases = list(cases)
    stride = min(round(100 / min(SHARE, 100)), len(cases))
    return cases[seed() % stride::stride] if stride > 1 else cases
