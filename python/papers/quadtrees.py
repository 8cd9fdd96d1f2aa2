# SPDX-License-Identifier: BSD-3-Clause
"""What limits cost a quadtree: the studies of the paper of 2007 on any profile."""

from collections.abc import Callable
from typing import Any

import pandas as pd

from colltree import Error
from colltree.errors import PathLike
from colltree.study import Row, fit, fit_all

CSV = "limit reshape max_depth_limit accuracy_threshold leaves nodes tests min_depth max_depth mean_depth".split()
CSV += [f"penalty_{name}" for name in ("min", "max", "mean", "median", "p95")]


def _row(limit: str, value: Any, document: Row) -> Row:
    settings, found = document["parameters"], document["statistics"]
    row: Row = {"limit": limit, "reshape": settings.get("reshape", "none"), "max_depth_limit": None, "accuracy_threshold": 1.0}
    row["max_depth_limit" if limit == "max_depth" else limit] = value
    row["tests"] = sum(len(node) > 1 for node in document["body"]["nodes"])
    return row | {key: found[key] for key in ("leaves", "nodes", "min_depth", "max_depth", "mean_depth", "performance_penalty")}


def _depth(profile: PathLike, options: Row) -> list[Row]:
    limits = range(fit("quadtree", profile, **options)["statistics"]["max_depth"] + 1)
    return [_row("max_depth", *pair) for pair in zip(limits, fit_all("quadtree", profile, "max_depth", limits, **options), strict=True)]


def _threshold(profile: PathLike, options: Row, step_percent: int = 5) -> list[Row]:
    """Return a row for each threshold; where trees of two have as many nodes, those between are the same, as they only grow."""
    values = [percent / 100 for percent in range(step_percent, 101, step_percent)]
    found: dict[int, Row] = {}
    asked, spans = [0, len(values) - 1], [(0, len(values) - 1)]
    while asked:
        documents = fit_all("quadtree", profile, "accuracy_threshold", [values[place] for place in asked], **options)
        found |= dict(zip(asked, documents, strict=True))
        nodes = {place: document["statistics"]["nodes"] for place, document in found.items()}
        differing = [(low, high) for low, high in spans if nodes[low] != nodes[high] and high - low > 1]
        asked = [(low + high) // 2 for low, high in differing]
        spans = [span for (low, high), middle in zip(differing, asked, strict=True) for span in ((low, middle), (middle, high))]
    known = [max(place for place in found if place <= index) for index in range(len(values))]
    return [_row("accuracy_threshold", value, found[place]) for value, place in zip(values, known, strict=True)]


def _limits(profile: PathLike, options: Row) -> list[Row]:
    by_threshold, rows = _threshold(profile, options, 1), []
    for row in _depth(profile, options):
        distances = [abs(near["mean_depth"] - row["mean_depth"]) for near in by_threshold]
        # The higher threshold among equals.
        nearest = max(place for place, distance in enumerate(distances) if distance == min(distances))
        rows += [row, by_threshold[nearest]]
    return rows


def _encodings(profile: PathLike, options: Row) -> list[Row]:
    settings = [{**options, "reshape": reshape} for reshape in ("even", "none")]
    reshaped, rows = [_depth(profile, one) + _threshold(profile, one) for one in settings], []
    for row in _depth(profile, {**options, "reshape": "end"}):
        most = row["performance_penalty"]["mean"] + 1e-12  # rounding
        as_good = [[tree for tree in trees if tree["performance_penalty"]["mean"] <= most] for trees in reshaped]
        rows += [row, *(min(trees, key=lambda tree: int(tree["tests"])) for trees in as_good if trees)]
    return rows


STUDIES: dict[str, tuple[Callable[[PathLike, Row], list[Row]], str]] = {
    "depth": (_depth, "the penalty of quadtrees for each depth limit (tables 1 and 2 of 2007)"),
    "threshold": (_threshold, "penalty and depth for each accuracy threshold (figure 5 of 2007)"),
    "limits": (_limits, "depth limit and threshold at equal mean depth (figure 6 of 2007)"),
    "encodings": (_encodings, "the nodes of the three reshapings at equal penalty"),
}


def quadtrees(what: str, profile: PathLike, **options: Any) -> pd.DataFrame:
    """Return what limits cost a quadtree, the studies of the paper of 2007.

    Parameters
    ----------
    what : str
        ``"depth"``: each depth limit from 0 until the tree is exact; ``"threshold"``: accuracy thresholds of 5, 10, ... 100 %; ``"limits"``:
        each row of depth, and after it the threshold (steps of 1 %) with the nearest mean depth; ``"encodings"``: each row of depth, and
        after it the smallest tree of each other reshaping with no greater mean penalty, where there is one.
    profile, **options
        The profile, and the options of ``colltree fit quadtree``. Several collectives become an octree.

    Returns
    -------
    DataFrame
        One row for each tree: limit, reshape, max_depth_limit (missing: none), accuracy_threshold (a share, 1: none), leaves, nodes, tests
        (of the rule tree), min_depth, max_depth, mean_depth, and penalty_mean, penalty_max and the like, which are fractions.

    Examples
    --------
    >>> quadtrees("depth", "grig.db", collective="bcast")[["max_depth_limit", "leaves", "penalty_mean"]]  # doctest: +SKIP
    """
    if what not in STUDIES:
        raise Error(f"{what}: is no study of quadtrees; these are {', '.join(STUDIES)}")
    return frame_of(STUDIES[what][0](profile, options))


def frame_of(rows: list[Row]) -> pd.DataFrame:
    frame = pd.json_normalize(rows, sep=" ").rename(columns=lambda name: name.replace("performance_penalty ", "penalty_"))
    frame["max_depth_limit"] = pd.array([row["max_depth_limit"] for row in rows], dtype="Int64")
    return frame[[*CSV, *(name for name in frame if name not in CSV)]]
