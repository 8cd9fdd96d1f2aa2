# SPDX-License-Identifier: BSD-3-Clause
"""Reads compact decision files (docs/reference/formats/cdt.md)."""

import struct
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ._tree import ATTRIBUTES, Decision, Table, Tree

MAGIC = b"\x89CDT\r\n\x1a\n"
VERSION = 1
_RULED_BY_LIBRARY = 2**64 - 1
_LEAF = 0x8000
_TREE, _TABLE = 1, 2


@dataclass(frozen=True)
class Content:
    """What a file holds; methods are pairs of an algorithm and a segment size in bytes (None: ruled by the library)."""

    methods: list[tuple[str, int | None]]
    decisions: dict[str, Decision]
    origin: dict[str, str]
    description: str


def _require(holds: object, what: str) -> None:
    if not holds:
        raise ValueError(what)


def _checksum(content: bytes) -> int:
    value = 0xCBF29CE484222325
    for byte in content:
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return value


def _array(content: bytes, dtype: str, count: int, offset: int) -> npt.NDArray[Any]:
    size = count * np.dtype(dtype).itemsize
    _require(offset + size <= len(content), "a part reaches beyond its end")
    return np.frombuffer(content, dtype=dtype, count=count, offset=offset)


def _string(strings: bytes, offset: int) -> str:
    end = strings.find(b"\0", offset)
    _require(offset <= len(strings) and end >= 0, "a text has no end")
    return strings[offset:end].decode("utf-8")


def _tree(section: bytes, methods: int) -> Tree:
    tests, root = struct.unpack_from("<II", section)
    rows = _array(section, "<u2,<u2,<u8", tests, 8)
    references = np.concatenate([rows["f0"], rows["f1"], [root]]).astype(np.int64)
    # The methods follow the tests as leaves.
    nodes = np.where(references & _LEAF, tests + (references & ~_LEAF), references)
    origins = np.concatenate([np.arange(tests), np.arange(tests), [-1]])
    _require(np.all(nodes < tests + methods) and np.all(nodes > origins), "a reference leads to no later test or method")
    attribute = (rows["f2"] & np.uint64(7)).astype(np.int64)
    _require(np.all(attribute < len(ATTRIBUTES)), "a test asks for an unknown attribute")
    leaves = np.full(methods, -1, dtype=np.int64)
    return Tree(
        attribute=np.concatenate([attribute, leaves]),
        threshold=np.concatenate([rows["f2"] >> np.uint64(3), np.zeros(methods, dtype=np.uint64)]),
        low=np.concatenate([nodes[:tests], leaves]),
        high=np.concatenate([nodes[tests:-1], leaves]),
        method=np.concatenate([np.full(tests, -1, dtype=np.int64), np.arange(methods)]),
        root=int(nodes[-1]),
    )


def _table(section: bytes, methods: int) -> Table:
    axes, cell_bytes, cell_count, _ = struct.unpack_from("<IIII", section)
    _require(1 <= axes <= len(ATTRIBUTES) and cell_bytes in (1, 2), "a table has a wrong head")
    heads = [struct.unpack_from("<IIIIII", section, 16 + 24 * axis) for axis in range(axes)]
    at = 16 + 24 * axes
    thresholds = []
    for attribute, _, buckets, count, probes, _ in heads:
        values = _array(section, "<u8", count, at).astype(np.uint64)
        _require(attribute < len(ATTRIBUTES) and np.all(values[:-1] < values[1:]), "an axis of a table is wrong")
        thresholds.append(values)
        at += 8 * (count + probes) + (2 * buckets + 7) // 8 * 8
    shape = tuple(len(values) + 1 for values in thresholds)
    _require(np.prod(shape, dtype=object) == cell_count, "a table has a wrong number of cells")
    cells = _array(section, f"<u{cell_bytes}", cell_count, at).astype(np.int64)
    _require(np.all(cells < methods), "a cell names no method")
    return Table(tuple(head[0] for head in heads), tuple(thresholds), cells.reshape(shape))


def read(content: bytes) -> Content:
    """Return what a compact decision file holds; ValueError and struct.error say what breaks a rule of the format."""
    _require(len(content) >= 64 and content[:8] == MAGIC, "it does not begin as such a file")
    version, size, checksum = struct.unpack_from("<IIQ", content, 8)
    _require(version == VERSION, f"it has version {version}, and this package reads {VERSION}: update colltree")
    _require(size == len(content), f"it has {len(content)} bytes instead of {size}")
    _require(checksum == _checksum(content[24:]), "its checksum is wrong")
    count, methods_at, roots, roots_at, strings_at, strings_size = struct.unpack_from("<IIIIII", content, 24)
    _require(1 <= count < _LEAF and 1 <= roots <= 256, "it has a wrong number of methods or collectives")
    _require(strings_at + strings_size <= size, "its strings reach beyond its end")
    strings = content[strings_at : strings_at + strings_size]
    methods: list[tuple[str, int | None]] = []
    for index in range(count):
        segment, name, _ = struct.unpack_from("<QII", content, methods_at + 16 * index)
        _require(segment == _RULED_BY_LIBRARY or segment < 2**63, "a segment size is too large")
        methods.append((_string(strings, name), None if segment == _RULED_BY_LIBRARY else segment))
    decisions: dict[str, Decision] = {}
    for index in range(roots):
        name, form, begin, length = struct.unpack_from("<IIII", content, roots_at + 16 * index)
        collective = _string(strings, name)
        _require(form in (_TREE, _TABLE) and begin + length <= size, f"its decision for {collective} has a wrong head")
        _require(collective not in decisions, f"it decides for {collective} twice")
        section = content[begin : begin + length]
        decisions[collective] = _tree(section, count) if form == _TREE else _table(section, count)
    texts = [_string(strings, offset) for offset in struct.unpack_from("<IIII", content, 48)]
    origin = {name: text for name, text in zip(("provenance", "algorithms", "mpi"), texts[1:], strict=True) if text}
    return Content(methods, decisions, origin, texts[0])
