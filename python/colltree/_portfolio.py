# SPDX-License-Identifier: BSD-3-Clause
"""The smallest set of methods of a collective worth measuring on a similar machine: one of them is hardly slower than the best everywhere."""

import os
from collections.abc import Iterable, Sequence

import numpy as np

from ._timings import Floats, Json, Timings, fastest_of, load_timings, papers_label
from .errors import PathLike
from .model import Method

MOST_NODES = 100_000  # of the search: seconds


def _minimal(elements: Sequence[int]) -> list[int]:
    """Return the elements that follow from no other: whatever covers another one need not cover them."""
    kept: list[int] = []
    for element in sorted(dict.fromkeys(elements), key=int.bit_count):
        if not any(other & element == other for other in kept):
            kept.append(element)
    return [element for element in dict.fromkeys(elements) if element in set(kept)]


class _Cover:
    """The search for the fewest sets that hold all elements, by branch and bound. An element is the bits of the sets that hold it."""

    def __init__(self, elements: Iterable[int], sets: int, most_nodes: int) -> None:
        self.elements = sorted(set(elements), key=lambda bits: [bits >> shift & (2**64 - 1) for shift in range(0, sets, 64)])
        self.sets, self.allowed = range(sets), (1 << sets) - 1
        self.nodes, self.most_nodes = 0, most_nodes
        self.chosen: list[int] = []
        before = -1
        while len(self.elements) != before:  # what one reduction removes makes room for the other
            before = len(self.elements)
            self.elements = _minimal(self.elements)
            self._forbid_held_sets()
        self.best = self._greedy()
        at_root = self._bound(self.elements)
        self._descend(self.elements)
        self.at_least = at_root if self.nodes > most_nodes else len(self.best)

    def _forbid_held_sets(self) -> None:
        """Forbid the sets of which another one holds all elements."""
        members = [sum(1 << place for place, element in enumerate(self.elements) if element >> number & 1) for number in self.sets]
        for number in self.sets:
            for other in self.sets:
                is_held = other != number and self.allowed >> other & 1 and members[number] & ~members[other] == 0
                if is_held and (members[number] != members[other] or other < number):
                    self.allowed &= ~(1 << number)
                    break
        self.elements = [element & self.allowed for element in self.elements]

    def _greedy(self) -> list[int]:
        left, taken = self.elements, []
        while left:
            covers = [sum(element >> number & 1 for element in left) for number in self.sets]
            taken.append(covers.index(max(covers)))
            left = [element for element in left if not element >> taken[-1] & 1]
        return taken

    def _bound(self, left: Sequence[int]) -> int:
        """Return a number of sets that any cover has: elements no two of which are in one set need a set each."""
        touched = apart = 0
        for element in sorted((element & self.allowed for element in left), key=int.bit_count):
            if not element & touched:
                touched |= element
                apart += 1
        return apart

    def _descend(self, left: Sequence[int]) -> None:
        self.nodes += 1
        if self.nodes > self.most_nodes or len(self.chosen) + self._bound(left) >= len(self.best):
            return
        if not left:
            self.best = list(self.chosen)
            return
        allowed = self.allowed
        fewest = min((element & allowed for element in left), key=int.bit_count)
        for number in (number for number in self.sets if fewest >> number & 1):
            self.chosen.append(number)
            self._descend([element for element in left if not element >> number & 1])
            self.chosen.pop()
            self.allowed &= ~(1 << number)  # whatever holds it has been tried
        self.allowed = allowed


def least_cover(elements: Iterable[int], sets: int, most_nodes: int = MOST_NODES) -> tuple[list[int], int]:
    """Return the fewest sets that hold all elements, ascending, and a number of which it is proved that no cover has fewer.

    Ties go to the sets with small numbers. After ``most_nodes`` nodes the best cover so far counts, and the bound is that of the root.
    """
    cover = _Cover(elements, sets, most_nodes)
    return sorted(cover.best), cover.at_least


def _sum(values: Floats) -> float:
    """Return the sum in the order of the values, so that it is the program's to the last digit."""
    return float(np.cumsum(values)[-1]) if len(values) else 0.0


def judge(timings: Timings, methods: Sequence[Method]) -> Json:
    """Return what is lost where only these methods can be chosen, the fastest of them at each instance.

    Instances where the time of the fastest or of the best is a prediction are counted and not judged: it may be far off.
    """
    runs = [timings.run_of([method] * len(timings.instances)) for method in methods]
    times_us, are_predicted = np.column_stack([run[1] for run in runs]), np.column_stack([run[2] for run in runs])
    rows, fastest = np.arange(len(times_us)), fastest_of(times_us)
    chosen_us, can_run = times_us[rows, fastest], fastest >= 0
    best_us = np.fmin(chosen_us, timings.least_us())
    predicted = timings.is_predicted[rows, np.maximum(fastest_of(timings.time_us), 0)] | are_predicted[rows, fastest]
    values = np.sort(((chosen_us - best_us) / best_us)[can_run & ~predicted])
    found: Json = {"instances": len(values), "cannot_run": int((~can_run).sum())}
    found |= {"mean": _sum(values) / max(len(values), 1), "max": max([0.0, *values[-1:]])}
    return found | ({"predicted": int((can_run & predicted).sum())} if predicted.any() else {})


def find(timings: Timings, within: float) -> tuple[list[Method], Json]:
    """Return the fewest methods of which one is within a fraction of the best at every instance, and what each is there for."""
    times_us = np.column_stack([timings.times_of(method) for method in timings.methods])
    good = times_us <= (1 + within) * timings.least_us()[:, None]
    elements = [sum(1 << int(column) for column in np.flatnonzero(row)) for row in good if row.any()]
    sets, at_least = least_cover(elements, len(timings.methods))
    methods = [timings.methods[number] for number in sets]
    fastest, alone = fastest_of(times_us[:, sets]) if sets else np.array([]), good[:, sets].sum(axis=1) == 1
    members = [
        {"method": papers_label(method), "best_at": int((fastest == place).sum()), "needed_at": int(((fastest == place) & alone).sum())}
        for place, method in enumerate(methods)
    ]
    by_method = [column[~np.isnan(column)] for column in timings.time_us.T]
    all_us = _sum(np.concatenate(by_method))
    of_set = [by_method[number] for number in sets]
    return methods, {
        "methods": members,
        "at_least": at_least,
        "of_methods": sum(len(times) > 0 for times in by_method),
        "cells": sum(map(len, of_set)),
        "all_cells": sum(map(len, by_method)),
        "time_share": _sum(np.concatenate(of_set)) / all_us if sets else 0.0,
    }


def of_profile(profile: PathLike, within: float, judge_on: PathLike | None, options: Json) -> Json:
    """Return the document of the study; ``judge_on`` names another profile, where the methods are judged, too."""
    system, tables = load_timings(profile, **options)
    others = load_timings(judge_on, **{**options, "system": None})[1] if judge_on else []
    collectives = []
    for timings in tables:
        methods, found = find(timings, within)
        if not methods:
            continue
        judged = [(profile, timings), *((judge_on, other) for other in others if other.collective == timings.collective)]
        penalties = [{"profile": os.fspath(path)} | judge(other, methods) for path, other in judged if path]
        collectives.append({"collective": timings.collective, **found, "penalties": penalties})
    return {"schema": "colltree/portfolio/1", **system, "within": within, "collectives": collectives}
