# SPDX-License-Identifier: BSD-3-Clause
"""Decisions of one collective over arrays: a rule tree, and the table of intervals that it is turned into where that is small.

A tree is a list of nodes as docs/reference/formats/model.md has them. All thresholds of an attribute divide its axis into intervals; a table
holds the method of each combination of intervals, so a million decisions are one binary search for each axis and one look-up.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Integers: TypeAlias = npt.NDArray[np.uint64]
Indices: TypeAlias = npt.NDArray[np.int64]

ATTRIBUTES = (
    "communicator_size",
    "message_size",
    "nodes",
    "ranks_per_node",
    "communicator_size_is_power_of_two",
    "message_size_is_even",
)
MOST_CELLS = 1 << 22  # a table above this size is not made: its tree is walked


def values_of(communicator_size: Integers, message_size: Integers, nodes: Integers, ranks_per_node: Integers) -> tuple[Integers, ...]:
    """Return the values of ``ATTRIBUTES`` at some instances, each in the shape of the argument that it depends on."""
    one = np.uint64(1)
    is_power_of_two = np.asarray((communicator_size != 0) & ((communicator_size & (communicator_size - one)) == 0), dtype=np.uint64)
    return communicator_size, message_size, nodes, ranks_per_node, is_power_of_two, np.asarray((message_size & one) ^ one, dtype=np.uint64)


@dataclass(frozen=True)
class Table:
    """A method for each combination of intervals: for each axis its attribute and n ascending thresholds, and cells of shape (n + 1) for each axis.

    A value belongs to the first interval whose threshold it does not exceed.
    """

    attributes: tuple[int, ...]
    thresholds: tuple[Integers, ...]
    cells: Indices

    def decide(self, values: Sequence[Integers]) -> Indices:
        """Return the indices of the methods, in the shape that the values broadcast to."""
        flat: Indices | np.int64 = np.int64(0)
        for axis, attribute in enumerate(self.attributes):
            stride = math.prod(self.cells.shape[axis + 1 :])
            flat = flat + np.searchsorted(self.thresholds[axis], values[attribute], side="left") * stride
        return np.asarray(self.cells.ravel()[flat], dtype=np.int64)


@dataclass(frozen=True)
class Tree:
    """A rule tree: arrays over its nodes, shape (nodes,). Children come after their parents; ``low`` is -1 in a leaf."""

    attribute: Indices
    threshold: Integers
    low: Indices
    high: Indices
    method: Indices
    root: int

    def tests(self) -> dict[int, set[int]]:
        """Return the thresholds of each attribute that the nodes below the root test."""
        found: dict[int, set[int]] = {}
        reached = {self.root}
        for node in range(self.root, len(self.low)):
            if node in reached and self.low[node] >= 0:
                reached.update((int(self.low[node]), int(self.high[node])))
                found.setdefault(int(self.attribute[node]), set()).add(int(self.threshold[node]))
        return found

    def to_table(self) -> Table | None:
        """Return the same decisions as a table, or None where it would have too many cells."""
        tests = {attribute: sorted(found) for attribute, found in sorted(self.tests().items())}
        shape = tuple(len(found) + 1 for found in tests.values())
        if math.prod(shape) > MOST_CELLS:
            return None
        axis_of = {attribute: axis for axis, attribute in enumerate(tests)}
        place = {attribute: {value: i for i, value in enumerate(found)} for attribute, found in tests.items()}
        cells = np.zeros(shape, dtype=np.int64)
        pending = [(self.root, tuple((0, size) for size in shape))]
        while pending:
            node, box = pending.pop()
            if self.low[node] < 0:
                cells[tuple(slice(*side) for side in box)] = self.method[node]
                continue
            attribute = int(self.attribute[node])
            axis = axis_of[attribute]
            begin, end = box[axis]
            cut = min(max(place[attribute][int(self.threshold[node])] + 1, begin), end)
            for child, side in ((self.low[node], (begin, cut)), (self.high[node], (cut, end))):
                if side[0] < side[1]:
                    pending.append((int(child), (*box[:axis], side, *box[axis + 1 :])))
        return Table(tuple(tests), tuple(np.array(found, dtype=np.uint64) for found in tests.values()), cells)

    def decide(self, values: Sequence[Integers]) -> Indices:
        """Return the indices of the methods by walking the tree with all instances at once, level by level."""
        columns = np.stack(np.broadcast_arrays(*values))
        shape, columns = columns.shape[1:], columns.reshape(len(ATTRIBUTES), -1)
        node = np.full(columns.shape[1], self.root, dtype=np.int64)
        left = np.flatnonzero(self.low[node] >= 0)
        while left.size:
            tested = node[left]
            goes_low = columns[self.attribute[tested], left] <= self.threshold[tested]
            node[left] = tested = np.where(goes_low, self.low[tested], self.high[tested])
            left = left[self.low[tested] >= 0]
        return self.method[node].reshape(shape)


Decision: TypeAlias = Tree | Table
