# SPDX-License-Identifier: BSD-3-Clause
"""Guidelines on small tables by hand; the sizes are of docs/glossary.md."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from colltree import Method, _guidelines
from colltree._study_command import guidelines_text
from colltree._timings import INSTANCE, Timings

RANKS = 4
Instance = tuple[str, int, int, int, int]  # collective, ranks, bytes, nodes, ranks per node
A, B, DEFAULT = Method("a", None), Method("b", None), Method("default", None)


def at(collective: str, size: int, ranks: int = RANKS) -> Instance:
    return (collective, ranks, size, 0, 0)


def tables(measured: dict[Instance, Any], methods: tuple[Method, ...] = (A,)) -> list[Timings]:
    """A table for each collective: the times of the methods, the first of which is that of the default; without intervals."""
    found = []
    for collective in sorted({instance[0] for instance in measured}):
        rows = sorted(instance for instance in measured if instance[0] == collective)
        times = np.array([measured[row] for row in rows], dtype=float).reshape(len(rows), len(methods))
        instances = pd.DataFrame([row[1:] for row in rows], columns=INSTANCE)
        predicted = np.zeros(times.shape, dtype=bool)
        found.append(Timings(collective, instances, list(methods), times, times.copy(), times.copy(), predicted, times[:, 0].copy(), (times.size, 0)))
    return found


def judged(timings: list[Timings], tolerance: float = 0.05, **choosers: Any) -> dict[str, Any]:
    about = [one.collective for one in timings]
    return _guidelines.test(timings, choosers or {"default": _guidelines._default, "best": _guidelines._best}, about, tolerance)


def broken(document: dict[str, Any], by: int = 0) -> list[str]:
    """The guidelines that a chooser breaks, the first listed first: "allgather <= gather + bcast: 8 B"."""
    cases = [case for case in document["violations"] if case["by"][by]["verdict"] not in ("kept", "not measured")]
    return [f"{case['guideline']}: {case['message_size']} B" for case in cases]


def tally(document: dict[str, Any], name: str, by: int = 0) -> dict[str, int]:
    found = next((row["by"][by] for row in document["guidelines"] if row["name"] == name), {"tested": 0})
    return {key: value for key, value in found.items() if key != "chooser"}


ROWS = [
    ("allreduce <= reduce + bcast", at("allreduce", 32), [at("reduce", 32), at("bcast", 32)]),
    ("allreduce <= reduce_scatter_block + allgather", at("allreduce", 32), [at("reduce_scatter_block", 8), at("allgather", 8)]),
    ("allreduce <= reduce_scatter + allgather", at("allreduce", 32), [at("reduce_scatter", 32), at("allgather", 8)]),
    ("allgather <= gather + bcast", at("allgather", 8), [at("gather", 8), at("bcast", 32)]),
    ("allgather <= alltoall", at("allgather", 8), [at("alltoall", 8)]),
    ("allgather <= allreduce", at("allgather", 8), [at("allreduce", 32)]),
    ("allgather <= allgatherv", at("allgather", 8), [at("allgatherv", 8)]),
    ("alltoall <= alltoallv", at("alltoall", 8), [at("alltoallv", 8)]),
    ("barrier <= allreduce", at("barrier", 0), [at("allreduce", 4)]),
    ("bcast <= scatter + allgather", at("bcast", 32), [at("scatter", 8), at("allgather", 8)]),
    ("gather <= allgather", at("gather", 8), [at("allgather", 8)]),
    ("gather <= reduce", at("gather", 8), [at("reduce", 32)]),
    ("gather <= gatherv", at("gather", 8), [at("gatherv", 8)]),
    ("reduce <= allreduce", at("reduce", 32), [at("allreduce", 32)]),
    ("reduce <= reduce_scatter_block + gather", at("reduce", 32), [at("reduce_scatter_block", 8), at("gather", 8)]),
    ("reduce <= reduce_scatter + gather", at("reduce", 32), [at("reduce_scatter", 32), at("gather", 8)]),
    ("reduce_scatter <= reduce + scatterv", at("reduce_scatter", 32), [at("reduce", 32), at("scatterv", 8)]),
    ("reduce_scatter <= reduce + scatter", at("reduce_scatter", 32), [at("reduce", 32), at("scatter", 8)]),
    ("reduce_scatter <= allreduce", at("reduce_scatter", 32), [at("allreduce", 32)]),
    ("reduce_scatter_block <= reduce + scatter", at("reduce_scatter_block", 8), [at("reduce", 32), at("scatter", 8)]),
    ("reduce_scatter_block <= allreduce", at("reduce_scatter_block", 8), [at("allreduce", 32)]),
    ("reduce_scatter_block <= reduce_scatter", at("reduce_scatter_block", 8), [at("reduce_scatter", 32)]),
    ("scatter <= bcast", at("scatter", 8), [at("bcast", 32)]),
    ("scatter <= scatterv", at("scatter", 8), [at("scatterv", 8)]),
    ("a smaller message", at("bcast", 8), [at("bcast", 12)]),
    ("one message, not pieces", at("bcast", 8), [at("bcast", 4)]),
    ("a smaller communicator", at("bcast", 8), [at("bcast", 8, 5)]),
]


def measured(row: tuple[str, Instance, list[Instance]], left_us: float, right_us: float) -> dict[Instance, float]:
    times = 2 if row[0] == "one message, not pieces" else 1
    return {row[1]: left_us} | {instance: right_us / len(row[2]) / times for instance in row[2]}


def test_each_has_a_row() -> None:
    assert [row[0] for row in ROWS] == list(_guidelines.TEXTS)


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_sides(row: tuple[str, Instance, list[Instance]]) -> None:
    name, left, right = row
    document = judged(tables(measured(row, 12, 10)))
    assert broken(document) == [f"{name}: {left[2]} B"]  # this one only
    test = document["violations"][0]["by"][0]
    assert test["verdict"] == "broken, no interval" and test["factor"] == pytest.approx(1.2)
    assert [tuple(call[key] for key in ("collective", *INSTANCE)) for call in test["calls"]] == right
    assert all(call["times"] == (2 if name == "one message, not pieces" else 1) for call in test["calls"])
    # The right side's times are the left's: in a sum each call has its part.
    assert tally(judged(tables(measured(row, 10, 10))), name) == {"tested": 1, "broken": 0, "certain": 0, "within_noise": 0}
    # Beside it nothing is interpolated.
    for place, call in enumerate(right):
        other = (name, left, [*right[:place], (*call[:2], 7, 0, 0), *right[place + 1 :]])
        if name not in ("a smaller message", "barrier <= allreduce"):
            assert tally(judged(tables(measured(other, 12, 10)), default=_guidelines._default), name)["tested"] == 0
    # The same ranks and placement.
    for field in (1, 3, 4):
        call = list(right[0])
        call[field] += 1
        if name != "a smaller communicator":
            assert tally(judged(tables(measured((name, left, [tuple(call), *right[1:]]), 12, 10)), default=_guidelines._default), name)["tested"] == 0


def test_tolerance_is_a_fraction_of_the_right_side() -> None:
    timings = tables(measured(ROWS[0], 12, 10))
    assert broken(judged(timings, 0.19)) == ["allreduce <= reduce + bcast: 32 B"] and not broken(judged(timings, 0.21))


def test_a_part_that_is_no_whole_number_is_skipped() -> None:
    for times, name in (
        ({at("bcast", 34): 9, at("scatter", 8): 1, at("allgather", 8): 1}, "bcast <= scatter + allgather"),
        ({at("bcast", 9): 9, at("bcast", 4): 1}, "one message, not pieces"),
        ({at("scatter", 2**62): 9, at("bcast", 0): 1}, "scatter <= bcast"),  # n p beyond what a size can be
    ):
        assert tally(judged(tables(times)), name)["tested"] == 0


def test_of_several_right_sides_the_one_that_is_broken_most() -> None:
    document = judged(tables({at("bcast", 8): 12, at("bcast", 16): 10, at("bcast", 32): 6, at("bcast", 64): 11}))
    assert broken(document) == ["a smaller message: 8 B", "a smaller message: 16 B"]
    test = document["violations"][0]["by"][0]
    assert [call["message_size"] for call in test["calls"]] == [32] and test["factor"] == 2
    barrier = judged(tables({at("barrier", 0): 9, at("allreduce", 0): 1, at("allreduce", 8): 4, at("allreduce", 4): 3}))
    test = next(case["by"][0] for case in barrier["violations"] if case["guideline"] == "barrier <= allreduce")
    assert test["calls"][0]["message_size"] == 4 and test["factor"] == 3  # the least, but not that of nothing


@pytest.mark.parametrize(
    "small,large,is_part",
    [
        (("bcast", 4, 8, 4, 1), ("bcast", 8, 8, 8, 1), 1),
        (("bcast", 4, 8, 1, 4), ("bcast", 8, 8, 1, 8), 1),
        (("bcast", 4, 8, 4, 1), ("bcast", 8, 8, 1, 8), 0),
        (("bcast", 4, 8, 1, 4), ("bcast", 8, 8, 8, 1), 0),
        (("bcast", 4, 8, 0, 0), ("bcast", 8, 8, 8, 1), 0),
        (("bcast", 4, 8, 4, 1), ("bcast", 8, 16, 8, 1), 0),
        (("reduce_scatter", 4, 8, 4, 1), ("reduce_scatter", 8, 8, 8, 1), 0),  # each rank has less where they are more
    ],
)
def test_a_communicator_is_part_of_another(small: Instance, large: Instance, is_part: int) -> None:
    assert tally(judged(tables({small: 9, large: 1})), "a smaller communicator")["tested"] == is_part


def with_intervals(gather: tuple[float, float], allgather: tuple[float, float]) -> list[Timings]:
    """Gather takes 12 us, allgather 10 us, between these bounds."""
    timings = tables({at("allgather", 8): 10, at("gather", 8): 12})
    for table, (low, high) in zip(timings, (allgather, gather), strict=True):
        table.low_us[:], table.high_us[:] = low, high
    return timings


def verdict(timings: list[Timings], by: int) -> str:
    return next(case["by"][by]["verdict"] for case in judged(timings)["violations"] if case["guideline"] == "gather <= allgather")


@pytest.mark.parametrize(
    "gather,allgather,expected",
    [
        ((11, 13), (9, 10.4), "certain"),
        ((10.3, 13), (9, 10.4), "within noise"),
        ((11, 13), (9, 10.6), "within noise"),  # 5 % more
        ((12, 12), (10, 10), "broken, no interval"),
        ((11, 13), (10, 10), "broken, no interval"),  # of one side only
        ((10, 13), (10, 10), "within noise"),
        ((np.nan, np.nan), (np.nan, np.nan), "broken, no interval"),
    ],
)
def test_certain_where_intervals_do_not_overlap(gather: tuple[float, float], allgather: tuple[float, float], expected: str) -> None:
    assert verdict(with_intervals(gather, allgather), 1) == expected


def test_bounds_of_a_sum_are_sums() -> None:
    timings = tables({at("bcast", 4): 3, at("bcast", 8): 12})  # 2 x 3
    for low, expected in ((9, "certain"), (8.2, "within noise")):
        timings[0].low_us[:], timings[0].high_us[:] = [[2], [low]], [[4], [15]]
        test = next(case["by"][1] for case in judged(timings)["violations"] if case["guideline"] == "one message, not pieces")
        assert test["right"] == {"time_us": 6, "low_us": 4, "high_us": 8} and test["verdict"] == expected


def test_the_default_has_the_interval_of_its_column() -> None:
    timings = with_intervals((11, 13), (9, 10.4))
    assert verdict(timings, 0) == "broken, no interval"
    for table in timings:
        table.methods.append(DEFAULT)
        for name, factor in (("time_us", 1), ("low_us", 0.99), ("high_us", 1.01)):
            setattr(table, name, np.column_stack([getattr(table, name), table.default_us * factor]))
        table.is_predicted = np.zeros(table.time_us.shape, dtype=bool)
    assert verdict(timings, 0) == "certain"


def test_each_chooser_decides_on_both_sides() -> None:
    timings = tables({at("allgather", 8): (10, 10), at("gather", 8): (12, 5)}, (A, B))

    def fixed(method: Method) -> Any:
        return lambda table: [method if table.collective == "gather" else A] * len(table.instances)

    choosers = {"default": _guidelines._default, "a": fixed(A), "b": fixed(B), "c": fixed(Method("c", None)), "best": _guidelines._best}
    case = next(case for case in judged(timings, **choosers)["violations"] if case["guideline"] == "gather <= allgather")
    assert [test["verdict"] for test in case["by"]] == ["broken, no interval", "broken, no interval", "kept", "not measured", "kept"]
    assert case["by"][4]["method"] == "b" and case["by"][4]["calls"][0]["method"] == "a"
    assert case["by"][3] == {"chooser": "c", "verdict": "not measured"}


def test_what_was_not_measured_is_not_tested() -> None:
    timings = with_intervals((12, 12), (10, 10))
    timings[0].default_us[:] = np.nan
    assert [tally(judged(timings), "gather <= allgather", by)["tested"] for by in (0, 1)] == [0, 1]
    timings[0].is_predicted[:] = True  # a prediction is no witness against a library
    assert tally(judged(timings), "gather <= allgather", 1)["tested"] == 0


def test_the_best_is_the_best_that_was_measured() -> None:
    timings = tables({at("allgather", 8): (10, 10), at("gather", 8): (12, 5)}, (A, B))
    timings[1].is_predicted[0, 1] = True
    test = next(case["by"][1] for case in judged(timings)["violations"] if case["guideline"] == "gather <= allgather")
    assert test["method"] == "a" and test["factor"] == 1.2


def test_the_worst_first_and_noise_last() -> None:
    times = {at("allgather", 8): 10, at("allgather", 9): 10, at("allgather", 10): 10, at("gather", 8): 12, at("gather", 9): 30, at("gather", 10): 40}
    timings = tables(times)
    timings[0].low_us[:], timings[0].high_us[:] = [[9.9], [10], [10]], [[10.1], [10], [10]]
    timings[1].low_us[:], timings[1].high_us[:] = [[11], [29], [1]], [[13], [31], [90]]
    document = judged(timings, best=_guidelines._best)
    assert broken(document) == [f"gather <= allgather: {size} B" for size in (9, 8, 10)]
    assert tally(document, "gather <= allgather") == {"tested": 3, "broken": 2, "certain": 1, "within_noise": 1}


def some_tables() -> list[Timings]:
    """By default allgather with 16 B is twice as slow as alltoall, by b it is not; of gather the method a breaks what the default keeps."""
    times = {"allgather": [(10, 10, 9), (40, 40, 12)], "alltoall": [(10, 10, 10), (20, 20, 20)], "gather": [(9, 30, 8), (10, 10, 10)]}
    rows = {(name, RANKS, 8 << place, 4, 1): row[1:] for name, of_name in times.items() for place, row in enumerate(of_name)}
    found = tables(rows, (A, B))
    for table in found:
        table.default_us[:] = [row[0] for row in times[table.collective]]
    return found


def text_of(timings: list[Timings], chosen: Method, about: list[str], most: int = 20) -> str:
    choosers = {"default": _guidelines._default, "chosen": lambda table: [chosen] * len(table.instances), "best": _guidelines._best}
    document = _guidelines.test(timings, choosers, about, 0.05)
    return guidelines_text(document | {"system": "s", "provenance": "measured", "models": []}, most).partition("\n\n")[2]


ALL = ["allgather", "alltoall", "gather", "barrier"]


def test_text() -> None:
    assert (
        text_of(some_tables(), A, ALL)
        == """\
  broken/tested                default  chosen  best
  allgather(n) <= alltoall(n)  1/2      1/2     0/2
  gather(n) <= allgather(n)    0/2      1/2     0/2
  T(n) <= T(m) for n < m       0/3      1/3     0/3
  T(k n) <= k T(n)             1/3      1/3     0/3

default: 2 violations; chosen removes 0; best removes 2
  factor  certain  guideline                where                             takes  instead of  chosen  best     by
  x2      ?        allgather <= alltoall    allgather, 4 ranks (4 x 1), 16 B  40 us  20 us       x2      removed  alltoall 16 B
  x2      ?        one message, not pieces  allgather, 4 ranks (4 x 1), 16 B  40 us  20 us       x2      removed  2 x 8 B

chosen: 4 violations; where the default has none: 2 violations
  factor  certain  guideline            where                         takes  instead of  best     by
  x3      ?        gather <= allgather  gather, 4 ranks (4 x 1), 8 B  30 us  10 us       removed  allgather 8 B
  x3      ?        a smaller message    gather, 4 ranks (4 x 1), 8 B  30 us  10 us       removed  16 B

best: 0 violations

  not tested                                              because
  allgather(n) <= gather(n) + bcast(n p)                  no times of bcast
  allgather(n) <= allreduce(n p)                          no times of allreduce
  allgather(n) <= allgatherv(n)                           no times of allgatherv
  alltoall(n) <= alltoallv(n)                             no times of alltoallv
  barrier <= allreduce(the least size that was measured)  no times of barrier, allreduce
  gather(n) <= reduce(n p)                                no times of reduce
  gather(n) <= gatherv(n)                                 no times of gatherv
  T on p ranks <= T on q for p < q                        no times at sizes that fit
  Measure what is missing into the same profile to test them.
"""
    )


def test_text_about_some_and_to_a_limit() -> None:
    one = text_of(some_tables(), A, ALL, 1)
    assert "  and 1 more; --most N or --json\n" in one and "2 x 8 B" not in one
    assert "factor" not in text_of(some_tables(), A, ALL, 0) and "more" not in text_of(some_tables(), A, ALL, 2)
    text = text_of(some_tables(), A, ["gather"])
    assert "  gather(n) <= allgather(n)  0/2      1/2     0/2\n" in text and "  T(n) <= T(m) for n < m     0/1      1/1     0/1\n" in text
    assert "alltoall" not in text and "\ndefault: 0 violations\n" in text


def test_text_of_a_default_that_was_not_measured_and_of_noise() -> None:
    timings = some_tables()
    for table in timings:
        table.default_us[:] = np.nan
    text = text_of(timings, B, ALL)
    assert "\ndefault: not measured, so nothing is known of it\n" in text and "\nchosen: 0 violations\n" in text
    assert "  gather(n) <= allgather(n)    -        0/2     0/2\n" in text
    noisy = tables({("allgather", RANKS, 8, 4, 1): 9, ("gather", RANKS, 8, 4, 1): 10})
    noisy[1].default_us[:], noisy[1].low_us[:], noisy[1].high_us[:] = 9, 5, 15
    text = text_of(noisy, Method("c", None), ALL)
    assert "  gather(n) <= allgather(n)  0/1      -       0/1 (+1 ~)\n" in text and "  x1.11   no       gather <= allgather  " in text
    assert "\nbest: 0 violations, 1 more that may be noise; where the default has none: 0 violations, 1 more that may be noise\n" in text
