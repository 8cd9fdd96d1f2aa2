# SPDX-License-Identifier: BSD-3-Clause
"""The fewest sets that cover all elements, and the methods that they stand for."""

import random
from functools import reduce

import numpy as np
import pandas as pd
import pytest

from colltree import Method, _portfolio
from colltree._timings import INSTANCE, Timings


def random_elements(rng: random.Random, sets: int, count: int) -> list[int]:
    held = [sum(1 << number for number in range(sets) if rng.random() < 0.25) for _ in range(count)]
    return [bits or 1 << rng.randrange(sets) for bits in held]


def least_by_trying_all(elements: list[int], sets: int) -> int:
    return min(taken.bit_count() for taken in range(1 << sets) if all(taken & element for element in elements))


def is_cover(elements: list[int], sets: list[int]) -> bool:
    taken = reduce(lambda bits, number: bits | 1 << number, sets, 0)
    return all(taken & element for element in elements)


def test_the_cover_is_that_of_trying_all() -> None:
    rng = random.Random(7)
    for _ in range(150):
        sets = rng.randint(1, 9)
        elements = random_elements(rng, sets, rng.randrange(40))
        found, at_least = _portfolio.least_cover(elements, sets)
        assert is_cover(elements, found) and len(found) == least_by_trying_all(elements, sets) == at_least


def test_where_the_search_gives_up_the_bound_is_still_true() -> None:
    rng, gave_up = random.Random(8), 0
    for _ in range(60):
        elements = random_elements(rng, 10, 60)
        found, at_least = _portfolio.least_cover(elements, 10, most_nodes=1)
        assert is_cover(elements, found) and at_least <= least_by_trying_all(elements, 10)
        gave_up += at_least < len(found)
    assert gave_up > 0


def test_many_sets_and_ties() -> None:
    found, at_least = _portfolio.least_cover([1 << number | 1 << 200 + number // 2 for number in range(200)], 300)
    assert found == list(range(200, 300)) and at_least == 100
    assert _portfolio.least_cover([0b110, 0b110, 0b111], 3) == ([1], 1) and _portfolio.least_cover([], 3) == ([], 0)


def table(*rows: tuple[float, float, float]) -> Timings:
    """Times of alltoall by a, b and c on 3 ranks with 1, 2, 3, ... bytes; 0: was not measured, so it cannot run."""
    times = np.where(np.array(rows) == 0, np.nan, np.array(rows, dtype=float))
    instances = pd.DataFrame([(3, place + 1, 0, 0) for place in range(len(rows))], columns=INSTANCE)
    methods, nothing = [Method(name, None) for name in "abc"], np.full(len(rows), np.nan)
    return Timings("alltoall", instances, methods, times, times, times, np.zeros(times.shape, dtype=bool), nothing, (0, 0))


def test_the_fewest_methods_within_the_tolerance() -> None:
    # c is never the best, and alone within 1 % everywhere.
    timings = table((100, 200, 101), (200, 100, 101), (0, 100, 100.5))
    methods, exact = _portfolio.find(timings, 0)
    assert [method.algorithm for method in methods] == ["a", "b"] and exact["at_least"] == 2 and exact["of_methods"] == 3
    assert (exact["cells"], exact["all_cells"]) == (5, 8) and exact["time_share"] == pytest.approx(700 / 1002.5)
    assert [method.algorithm for method in _portfolio.find(timings, 0.009)[0]] == ["a", "b"]
    assert _portfolio.find(timings, 0.01)[1]["methods"] == [{"method": "c", "best_at": 3, "needed_at": 3}]


def test_where_one_is_needed() -> None:
    _, found = _portfolio.find(table((100, 100, 500), (100, 500, 500), (500, 100, 500), (0, 0, 0)), 0.01)
    assert found["methods"] == [{"method": "a", "best_at": 2, "needed_at": 1}, {"method": "b", "best_at": 1, "needed_at": 1}]


def test_the_penalty_is_that_of_the_fastest_of_them() -> None:
    timings = table((100, 200, 110), (200, 100, 150), (100, 0, 0))
    judged = _portfolio.judge(timings, timings.methods[1:])
    assert judged == {"instances": 2, "cannot_run": 1, "mean": pytest.approx(0.05), "max": pytest.approx(0.1)}
    timings.default_us[:2] = 50  # faster than every method
    assert _portfolio.judge(timings, [Method("default", None)]) == {"instances": 2, "cannot_run": 1, "mean": 0, "max": 0}
    timings.is_predicted[0, 0] = True  # what is lost there is not known
    assert _portfolio.judge(timings, timings.methods[1:]) == {"instances": 1, "cannot_run": 1, "mean": 0, "max": 0, "predicted": 1}
