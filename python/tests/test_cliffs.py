# SPDX-License-Identifier: BSD-3-Clause
"""Jumps and islands on a line of sizes."""

import copy
import random
from typing import Any

import numpy as np
import pandas as pd
import pytest

from colltree import Error, Method, _cliffs
from colltree._timings import INSTANCE, Timings

A, B = METHODS = [Method("a", None), Method("b", None)]
MESSAGE_SIZE = 1  # the attribute
ISLAND: Any = [MESSAGE_SIZE, 1, [0], [MESSAGE_SIZE, 4, [1], [0]]]  # a up to 1 byte, b up to 4, then a


def line(*rows: tuple[float, float]) -> Timings:
    """Times of a and b of bcast on 2 ranks with 1, 4, 16, ... bytes; 0: was not measured."""
    times = np.where(np.array(rows) == 0, np.nan, np.array(rows, dtype=float))
    instances = pd.DataFrame([(2, 4**place, 0, 0) for place in range(len(rows))], columns=INSTANCE)
    nothing = np.full(len(rows), np.nan)
    return Timings("bcast", instances, METHODS, times, times, times, np.zeros(times.shape, dtype=bool), nothing, (0, 0))


FOUR = line((1, 2), (1.1, 1), (1, 2), (1, 3))


def test_an_island_costs_what_the_other_side_would_add() -> None:
    found = _cliffs.find_islands(FOUR, ISLAND, METHODS, 1)
    assert [island["cost"] for island in found] == pytest.approx([0.1 / 4, 1 / 4, 3 / 4])
    assert [island["region"] for island in found] == ["message_size 2..4", "message_size 0..1", "message_size 5.."]
    assert found[0] | {"cost": 0} == {"region": "message_size 2..4", "method": "b", "instances": 1, "cost": 0, "instead": ["a"]}
    assert not _cliffs.find_islands(FOUR, ISLAND, METHODS, 0.02)
    assert _cliffs.region_text([(0, most) for most in _cliffs._MOST]) == "everywhere"


def test_islands_are_merged_within_the_bound() -> None:
    assert _cliffs.merge_islands(FOUR, copy.deepcopy(ISLAND), METHODS, 0.024) == ISLAND
    assert _cliffs.merge_islands(FOUR, copy.deepcopy(ISLAND), METHODS, 0.025) == [0]  # what is left on both sides is a: no test is needed


def test_nothing_that_cannot_run_is_put_in() -> None:
    timings = line((1, 2), (0, 1), (1, 2), (1, 3))
    assert "message_size 2..4" not in {island["region"] for island in _cliffs.find_islands(timings, ISLAND, METHODS, 10)}
    assert _cliffs.merge_islands(timings, copy.deepcopy(ISLAND), METHODS, 0) == ISLAND


def test_the_mean_penalty_never_grows_by_more_than_the_bound() -> None:
    rng = random.Random(11)
    for _ in range(20):
        times = [(1 + rng.randrange(10) / 10, 1 + rng.randrange(10) / 10) for _ in range(12)]
        timings, tree = line(*times), [0 if times[11][0] <= times[11][1] else 1]
        for place in range(10, -1, -1):  # one leaf for each instance, the best there
            tree = [MESSAGE_SIZE, 4**place, [0 if times[place][0] <= times[place][1] else 1], tree]
        leaves_of = _cliffs._Leaves(timings, tree, METHODS)
        leaves = 12
        for within in (0.0, 0.01, 0.05, 0.2, 10.0):
            merged = _cliffs.merge_islands(timings, copy.deepcopy(tree), METHODS, within)
            chosen = _cliffs._decide(merged, np.arange(12), leaves_of.values)
            assert leaves_of.penalties[np.arange(12), chosen].mean() <= within + 1e-9 and _cliffs._shape(merged)["leaves"] <= leaves
            leaves = _cliffs._shape(merged)["leaves"]
        assert leaves == 1


def random_tree(rng: random.Random, depth: int) -> Any:
    if depth == 0 or rng.random() < 0.35:
        return [rng.randrange(2)]
    return [rng.randrange(2), 2 ** rng.randrange(6), random_tree(rng, depth - 1), random_tree(rng, depth - 1)]


def test_what_is_kept_is_right_after_a_removal() -> None:
    rng = random.Random(12)
    for _ in range(5):
        timings = line(*((1 + rng.random(), 1 + rng.random()) for _ in range(36)))
        timings.instances = pd.DataFrame([(2**ranks, 2**size, 0, 0) for ranks in range(6) for size in range(6)], columns=INSTANCE)
        tree: Any = [0, 4, random_tree(rng, 7), random_tree(rng, 7)]
        kept = _cliffs._Leaves(timings, tree, METHODS)
        while found := kept.cheapest_first(9):
            anew = _cliffs._Leaves(timings, tree, METHODS).cheapest_first(9)
            assert [leaf._replace(path=()) for leaf in found] == [leaf._replace(path=()) for leaf in anew]
            kept.remove(found[0])
        assert len(tree) == 1


def jumps(timings: Timings, methods: list[Method], factor: float = 1.5) -> Any:
    return _cliffs.find_jumps(timings, methods, factor)


def test_jumps_are_measured_against_the_trend_beside() -> None:
    # a: 1, 4, 16, 64; b ten times that. By the trend the third is 16, but b takes 160.
    timings = line((1, 10), (4, 40), (16, 160), (64, 640))
    found = jumps(timings, [A, A, B, B])
    assert found[["from_message_size", "to_message_size", "before_method", "after_method"]].to_numpy().tolist() == [[4, 16, "a", "b"]]
    assert found.loc[0, ["expected_us", "after_us", "factor", "penalty_before", "penalty_after"]].tolist() == pytest.approx([16, 160, 10, 0, 9])
    assert jumps(timings, [A, A, B, B], 10.1).empty
    # The expected time follows the mean of the slopes before (a factor of 4) and after (a factor of 2).
    assert jumps(line((1, 10), (4, 40), (16, 160), (64, 320)), [A, A, B, B]).loc[0, "expected_us"] == pytest.approx(4 * 8**0.5)
    assert jumps(line((1, 4), (4, 8), (32, 16), (128, 64)), [A, A, B, B]).empty  # a change at the crossing is none


def test_without_neighbours_the_best_times_are_the_trend() -> None:
    found = jumps(line((1, 3), (2, 8)), [A, B])
    assert found.loc[0, ["expected_us", "factor"]].tolist() == pytest.approx([2, 4])
    assert jumps(line((1, 3), (2, 0)), [A, B]).empty  # b cannot run there


def test_several_placements_are_refused() -> None:
    timings = line((1, 2), (1, 2))
    timings.instances = pd.DataFrame([(4, 8, 2, 2), (4, 8, 4, 1)], columns=INSTANCE)
    with pytest.raises(Error, match=r"bcast on 4 ranks with 8 B was measured with several placements .* 2x2 and 4x1\); choose one"):
        jumps(timings, [A, B])
