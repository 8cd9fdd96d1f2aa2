# SPDX-License-Identifier: BSD-3-Clause
"""Where decisions are rough: jumps, where the decision changes and the time with it, and islands, leaves that are hardly worth their test."""

import json
import math
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from . import drive
from ._timings import INSTANCE, Json, Timings, exactly, fastest_of, load_timings, papers_label, predicted_note
from ._tree import ATTRIBUTES, Indices, Tree, values_of
from .errors import Error, PathLike, read_text
from .model import Method, Model, read_model

Node = list[Any]  # [attribute, threshold, low, high] or [method], as docs/reference/formats/model.md has them; children are nodes themselves
_MOST = (2**64 - 1,) * 4 + (1, 1)  # of each attribute


def find_jumps(timings: Timings, methods: list[Method], least_factor: float = 1.5) -> pd.DataFrame:
    """Return the neighbouring instances between which the decision changes and the time jumps, the greatest jump first.

    Lines run along communicator sizes and along message sizes. The trend is the mean slope of the logarithm of the time against that of the
    size over the steps before and after in which the decision does not change; where there is none, that of the best time.
    """
    _, time_us, is_predicted = timings.run_of(methods)
    points = timings.instances.assign(method=[papers_label(method) for method in methods], time_us=time_us, is_predicted=is_predicted)
    placed = points[points.duplicated(["communicator_size", "message_size"], keep=False)].sort_values(INSTANCE)
    if len(placed):
        size, message, *_ = placed[INSTANCE].iloc[0]
        placements = " and ".join(f"{nodes}x{ranks}" for nodes, ranks in placed[["nodes", "ranks_per_node"]].head(2).to_numpy())
        what = f"{timings.collective} on {size} ranks with {message} B was measured with several placements"
        raise Error(f"{what} (nodes x ranks per node {placements}); choose one with --ranks-per-node")
    points["best_us"] = np.fmin(time_us, timings.least_us())
    points = points[points["time_us"].notna()]
    points = points.assign(log_time=exactly(math.log, points["time_us"]), log_best=exactly(math.log, points["best_us"]))
    lines = [("communicator_size", "message_size"), ("message_size", "communicator_size")]
    jumps = pd.concat([_jumps_along(points.sort_values([*line], ignore_index=True), *line) for line in lines], ignore_index=True)
    jumps = jumps[jumps["factor"] > least_factor]
    return jumps.sort_values("factor", ascending=False, kind="stable", ignore_index=True)


def _jumps_along(points: pd.DataFrame, line: str, size: str) -> pd.DataFrame:
    """Return the jumps along lines with one value of ``line``; the points are sorted along them."""
    octave = exactly(lambda value: math.log2(value) if value else -1.0, points[size])
    points = points.assign(octave=octave)
    after = points.groupby(points[line].to_numpy()).shift(-1)
    is_step = after["octave"].notna()
    width = after["octave"] - points["octave"]
    changes = is_step & (points["method"] != after["method"])
    slope = ((after["log_time"] - points["log_time"]) / width).where(is_step & ~changes)
    beside = [slope.groupby(points[line]).shift(shift) for shift in (1, -1)]
    best = (after["log_best"] - points["log_best"]) / width
    steps = beside[0].notna().astype(int) + beside[1].notna()
    trend = ((beside[0].fillna(0) + beside[1].fillna(0)) / steps.where(steps > 0)).fillna(best)
    expected = points["log_time"] + trend * width
    found = pd.DataFrame(
        {f"{end}_{name}": part[name] for end, part in (("from", points), ("to", after)) for name in ("communicator_size", "message_size")}
        | {f"{end}_{name}": part[name] for end, part in (("before", points), ("after", after)) for name in ("method", "log_time", "log_best")}
    ).assign(expected=expected, predicted=points["is_predicted"] | after["is_predicted"].fillna(False).astype(bool))[changes]
    for end in ("before", "after"):
        found[f"{end}_us"] = exactly(math.exp, found[f"{end}_log_time"])
        found[f"penalty_{end}"] = exactly(math.expm1, found[f"{end}_log_time"] - found[f"{end}_log_best"])
    found["factor"] = exactly(math.exp, (found["after_log_time"] - found["expected"]).abs())
    found["expected_us"] = exactly(math.exp, found["expected"])
    return found.astype({f"to_{name}": np.int64 for name in ("communicator_size", "message_size")})


def nested(tree: Tree, node: int | None = None) -> Node:
    """Return a tree in which every node has one parent; only what its root reaches."""
    node = tree.root if node is None else node
    if tree.low[node] < 0:
        return [int(tree.method[node])]
    children = [nested(tree, int(child)) for child in (tree.low[node], tree.high[node])]
    return [int(tree.attribute[node]), int(tree.threshold[node]), *children]


class _Leaf(NamedTuple):
    """A leaf, and what its removal would change: its test becomes the other side of it."""

    path: tuple[Node, ...]  # from the root to its test
    is_low: bool
    region: tuple[tuple[int, int], ...]
    instances: int
    instead: list[int]  # the methods that would decide there
    breaks: bool  # an instance would choose a method that cannot run there
    cost: float  # what is added to the mean penalty

    def side(self, low: bool) -> Node:
        return list(self.path[-1][2 if low else 3])


class _Leaves:
    """The leaves of a tree, in order. What is known of a subtree is kept until it changes."""

    def __init__(self, timings: Timings, root: Node, methods: list[Method]) -> None:
        self.values = values_of(*(timings.instances[name].to_numpy().astype(np.uint64) for name in INSTANCE))
        self.penalties = np.column_stack([timings.penalties_of(method) for method in methods])
        self.root, self.known = root, dict[int, list[_Leaf]]()

    def cheapest_first(self, most_cost: float) -> list[_Leaf]:
        """Return those whose removal costs at most this much and makes no instance choose a method that cannot run there."""
        leaves = self._below((self.root,), tuple((0, most) for most in _MOST), np.arange(len(self.penalties)))
        return sorted((leaf for leaf in leaves if not leaf.breaks and leaf.cost <= most_cost), key=lambda leaf: (leaf.cost, leaf.instances))

    def remove(self, leaf: _Leaf) -> None:
        """Replace the test above a leaf by its other side."""
        below = [leaf.path[-1]]
        for node in below:
            below += node[2:]
        for node in (*leaf.path, *below):  # those above have other leaves then, those below other instances
            self.known.pop(id(node), None)
        leaf.path[-1][:] = leaf.side(not leaf.is_low)

    def _below(self, path: tuple[Node, ...], region: tuple[tuple[int, int], ...], rows: Indices) -> list[_Leaf]:
        if len(path[-1]) == 1 or id(path[-1]) in self.known:
            return self.known.get(id(path[-1]), [])
        attribute, threshold, low, high = path[-1]
        goes_low = self.values[attribute][rows] <= threshold
        least, most = region[attribute]
        leaves = []
        for is_low, child, other in ((True, low, high), (False, high, low)):
            bounds = (least, min(most, threshold)) if is_low else (max(least, threshold + 1), most)
            inner, side = (*region[:attribute], bounds, *region[attribute + 1 :]), rows[goes_low == is_low]
            leaves += self._below((*path, child), inner, side) if len(child) > 1 else [self._leaf(path, is_low, inner, side, child[0], other)]
        self.known[id(path[-1])] = leaves
        return leaves

    def _leaf(self, path: tuple[Node, ...], is_low: bool, region: tuple[tuple[int, int], ...], rows: Indices, method: int, other: Node) -> _Leaf:
        instead = _decide(other, rows, self.values)
        before, after = self.penalties[rows, method], self.penalties[rows, instead]
        added = np.where(np.isnan(after), 0.0, after - np.where(np.isnan(before), 0.0, before))
        cost = float(np.cumsum(added)[-1]) / len(self.penalties) if len(rows) else 0.0
        breaks = bool((np.isnan(after) & ~np.isnan(before)).any())
        return _Leaf(path, is_low, region, len(rows), sorted(set(instead.tolist())), breaks, cost)


def _decide(node: Node, rows: Any, values: Any) -> Indices:
    """Return the method of each of the rows in a tree."""
    methods = np.empty(len(rows), dtype=np.int64)
    pending = [(node, np.arange(len(rows)))]
    while pending:
        node, places = pending.pop()
        if len(node) == 1:
            methods[places] = node[0]
        elif len(places):
            goes_low = values[node[0]][rows[places]] <= node[1]
            pending += [(node[2], places[goes_low]), (node[3], places[~goes_low])]
    return methods


def region_text(region: Iterable[tuple[int, int]]) -> str:
    """Return a text such as ``communicator_size 3..12, message_size 8193..`` with what is bounded."""
    bounds = zip(ATTRIBUTES, region, _MOST, strict=True)
    texts = [f"{name} {low}..{'' if high == 2**64 - 1 else high}" for name, (low, high), most in bounds if (low, high) != (0, most)]
    return ", ".join(texts) or "everywhere"


def find_islands(timings: Timings, root: Node, methods: list[Method], most_cost: float) -> list[Json]:
    """Return every leaf whose removal adds at most this much to the mean penalty, the cheapest first, then the fewest instances."""
    return [
        {
            "region": region_text(leaf.region),
            "method": papers_label(methods[leaf.side(leaf.is_low)[0]]),
            "instances": leaf.instances,
            "cost": leaf.cost,
            "instead": [papers_label(methods[index]) for index in leaf.instead],
        }
        for leaf in _Leaves(timings, root, methods).cheapest_first(most_cost)
    ]


def merge_islands(timings: Timings, root: Node, methods: list[Method], within: float) -> Node:
    """Remove islands, the cheapest first, as long as the mean penalty grows by no more than ``within`` in all; the tree is changed.

    Greedy: no claim that no smaller tree exists.
    """
    leaves, spent = _Leaves(timings, root, methods), 0.0
    bound = within * (1 + 1e-12)  # a sum at the bound must not pass it by rounding
    while True:
        leaf = next((leaf for leaf in leaves.cheapest_first(bound) if spent + leaf.cost <= bound), None)
        if leaf is None:
            return root
        spent += leaf.cost
        leaves.remove(leaf)


def _known(path: PathLike, on: PathLike, options: Json) -> tuple[Model, Any, list[Timings]]:
    model = read_model(path)
    system, tables = load_timings(on, **options)
    known = [timings for timings in tables if timings.collective in model.collectives]
    if not known:
        raise Error(f"{model.path}: decides for {', '.join(model.collectives)} only, which is not among the timings asked for")
    if not model._trees:
        raise Error(f"{model.path}: has no tree; give the model (M.json) that the compact decision file was made of")
    return model, system, known


def of_profile(model: PathLike | None, on: PathLike, factor: float, cost: float, options: Json) -> Json:
    """Return the document of the study; without a model the best method of each instance decides, which has no leaves."""
    read, system, known = (None, *load_timings(on, **options)) if model is None else _known(model, on, options)
    collectives = []
    for timings in known:
        chosen = timings.chosen_by(read) if read else [timings.methods[column] for column in fastest_of(timings.time_us)]
        jumps = [_jump_json(jump) for jump in list[Any](find_jumps(timings, chosen, factor).to_dict("records"))]
        islands = find_islands(timings, nested(read._trees[timings.collective]), read.methods, cost) if read else []
        collectives.append({"collective": timings.collective, "chooser": os.fspath(model or "best"), "jumps": jumps, "islands": islands})
    document = {"schema": "colltree/cliffs/1", **system, "collectives": collectives}
    note = predicted_note(known)
    return document | ({"note": note} if note else {})


def _jump_json(jump: Json) -> Json:
    sizes = {end: {name: jump[f"{end}_{name}"] for name in ("communicator_size", "message_size")} for end in ("from", "to")}
    figures = {name: jump[name] for name in ("before_us", "after_us", "expected_us", "factor", "penalty_before", "penalty_after")}
    found = {**sizes, "before": jump["before_method"], "after": jump["after_method"], **figures}
    return found | ({"predicted": True} if jump["predicted"] else {})


def smooth(model: PathLike, on: PathLike, output: PathLike, within: float, options: Json) -> Json:
    """Write the model without leaves that are hardly worth their test, of kind ``rules``, and return its statistics."""
    read, _, known = _known(model, on, options)
    tables = {timings.collective: timings for timings in known}
    roots = {collective: nested(tree) for collective, tree in read._trees.items()}
    before = sum(_shape(root)["leaves"] for root in roots.values())
    for collective in roots.keys() & tables.keys():
        merge_islands(tables[collective], roots[collective], read.methods, within)
    nodes: list[Node] = []
    body = {"roots": [{"collective": collective, "node": _append(root, nodes)} for collective, root in roots.items()], "nodes": nodes}
    document = json.loads(read_text(model))
    document.pop("text", None)
    statistics: Json = {"smoothed": {"kind": read.kind, "within": within, "leaves_before": before}}
    document |= {"kind": "rules", "parameters": {}, "body": body, "statistics": statistics}
    file, asked = Path(output), {name: value for name, value in options.items() if value}
    file.write_text(json.dumps(document), encoding="utf-8")
    judged = drive.run_json("evaluate", output, on=on, quiet=True, **asked)
    by_collective = {entry["collective"]: entry["choosers"][-1]["performance_penalty"] for entry in judged["collectives"]}
    for penalty in (judged["performance_penalty"], *by_collective.values()):
        penalty.pop("mean_interval", None)
    statistics |= {name: judged[name] for name in ("leaves", "nodes", "min_depth", "max_depth", "mean_depth", "performance_penalty")}
    statistics |= {collective: _shape(root) for collective, root in roots.items()} | {"cannot_run": len(judged["cannot_run"])}
    statistics |= {"performance_penalty_by_collective": by_collective} if len(by_collective) > 1 else {}
    file.write_text(json.dumps(document, sort_keys=True) + "\n", encoding="utf-8")
    return statistics


def _append(node: Node, nodes: list[Node]) -> int:
    """Append a tree to the nodes of a model and return the index of its root."""
    place = len(nodes)
    nodes.append(node[:1])
    if len(node) > 1:
        nodes[place] = [ATTRIBUTES[node[0]], node[1], _append(node[2], nodes), _append(node[3], nodes)]
    return place


def _shape(node: Node) -> Json:
    """Return the numbers of leaves and nodes, and the depths of the leaves, summed as the program does to the last digit."""
    if len(node) == 1:
        return {"leaves": 1, "nodes": 1, "min_depth": 0, "max_depth": 0, "mean_depth": 0.0}
    low, high = _shape(node[2]), _shape(node[3])
    leaves, nodes = low["leaves"] + high["leaves"], low["nodes"] + high["nodes"] + 1
    mean = 1 + (low["mean_depth"] * low["leaves"] + high["mean_depth"] * high["leaves"]) / leaves
    ends = {"min_depth": 1 + min(low["min_depth"], high["min_depth"]), "max_depth": 1 + max(low["max_depth"], high["max_depth"])}
    return {"leaves": leaves, "nodes": nodes, **ends, "mean_depth": mean}
