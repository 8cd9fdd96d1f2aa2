# SPDX-License-Identifier: BSD-3-Clause
"""Studies over profiles: what limits cost a quadtree, trees by leaves, guidelines, cliffs, portfolios and the cost of recorded calls.

The program ``colltree`` fits and judges; this module says what, and returns frames. ``profile`` is a path, ``P.db``, and ``options`` are those
of the program, such as ``collective="bcast"``, ``system="grig"``, ``ranks_per_node=16`` or ``without_default=True``. Every function raises
``Error`` with the program's one line, or because it is not installed. ``python3 -m colltree.study`` is the same as a command.
"""

import argparse
import json
import os
import runpy
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pandas as pd

from . import drive
from .errors import Error, PathLike
from .model import Model

Row = dict[str, Any]
_CSV = "limit reshape max_depth_limit accuracy_threshold leaves nodes tests min_depth max_depth mean_depth".split()
_CSV += [f"penalty_{name}" for name in ("min", "max", "mean", "median", "p95")]
_WEIGHTS = (1, 2, 4, 6, 8, 12, 20, 40, 80, 160)


def fit(kind: str, profile: PathLike, **options: Any) -> Row:
    """Fit a model (``colltree fit KIND``) and return its document (docs/reference/formats/model.md).

    Examples
    --------
    >>> study.fit("quadtree", "grig.db", collective="bcast", max_depth=2)["statistics"]["leaves"]  # doctest: +SKIP
    13
    """
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model.json"
        drive.run(f"fit {kind}", os.fspath(profile), output=model, quiet=True, **options)
        return dict(json.loads(model.read_text(encoding="utf-8")))


def _fit_all(kind: str, profile: PathLike, name: str, values: Iterable[Any], **options: Any) -> list[Row]:
    """Return the documents of models that differ in the option ``name``."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda value: fit(kind, profile, **{**options, name: value}), values))


def _row(limit: str, value: Any, document: Row) -> Row:
    settings, found = document["parameters"], document["statistics"]
    row: Row = {"limit": limit, "reshape": settings.get("reshape", "none"), "max_depth_limit": None, "accuracy_threshold": 1.0}
    row["max_depth_limit" if limit == "max_depth" else limit] = value
    row["tests"] = sum(len(node) > 1 for node in document["body"]["nodes"])
    return row | {key: found[key] for key in ("leaves", "nodes", "min_depth", "max_depth", "mean_depth", "performance_penalty")}


def _depth(profile: PathLike, options: Row) -> list[Row]:
    limits = range(fit("quadtree", profile, **options)["statistics"]["max_depth"] + 1)
    return [_row("max_depth", *pair) for pair in zip(limits, _fit_all("quadtree", profile, "max_depth", limits, **options), strict=True)]


def _threshold(profile: PathLike, options: Row, step_percent: int = 5) -> list[Row]:
    """Return a row for each threshold; where trees of two have as many nodes, those between are the same, as they only grow."""
    values = [percent / 100 for percent in range(step_percent, 101, step_percent)]
    found: dict[int, Row] = {}
    asked, spans = [0, len(values) - 1], [(0, len(values) - 1)]
    while asked:
        documents = _fit_all("quadtree", profile, "accuracy_threshold", [values[place] for place in asked], **options)
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
        rows += [row, *(min(trees, key=lambda tree: int(tree["tests"])) for trees in as_good)]
    return rows


_QUADTREES: dict[str, tuple[Callable[[PathLike, Row], list[Row]], str]] = {
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
        after it the smallest tree of each other reshaping with no greater mean penalty.
    profile, **options
        The profile, and the options of ``colltree fit quadtree``. Several collectives become an octree.

    Returns
    -------
    DataFrame
        One row for each tree: limit, reshape, max_depth_limit (missing: none), accuracy_threshold (a share, 1: none), leaves, nodes, tests
        (of the rule tree), min_depth, max_depth, mean_depth, and penalty_mean, penalty_max and the like, which are fractions.

    Examples
    --------
    >>> study.quadtrees("depth", "grig.db", collective="bcast")[["max_depth_limit", "leaves", "penalty_mean"]]  # doctest: +SKIP
    """
    if what not in _QUADTREES:
        raise Error(f"{what}: is no study of quadtrees; these are {', '.join(_QUADTREES)}")
    return _frame(_QUADTREES[what][0](profile, options))


def _frame(rows: list[Row]) -> pd.DataFrame:
    frame = pd.json_normalize(rows, sep=" ").rename(columns=lambda name: name.replace("performance_penalty ", "penalty_"))
    frame["max_depth_limit"] = pd.array([row["max_depth_limit"] for row in rows], dtype="Int64")
    return frame[[*_CSV, *(name for name in frame if name not in _CSV)]]


def leaves(profile: PathLike, *, most: int = 32, **options: Any) -> pd.DataFrame:
    """Return the mean penalty of quadtrees, C4.5 trees and optimal trees (with at most ``most`` leaves) by their leaves.

    Returns
    -------
    DataFrame
        curve, objective, leaves, value (the penalty, a fraction) and lower_bound: what no tree of this size can go below (missing for trees
        that are not optimal). Trees with equal leaves are one row. ``plot.penalty_by_leaves`` draws it.

    Examples
    --------
    >>> study.leaves("grig.db", collective="bcast").groupby("curve").value.min()  # doctest: +SKIP
    """
    optimal = fit("optimal", profile, leaves=most, **options)
    [only] = optimal["origin"]["collectives"]
    options["collective"] = only
    depths = range(fit("quadtree", profile, **options)["statistics"]["max_depth"] + 1)
    families = {
        "C4.5 by weight": _fit_all("c45", profile, "weight", _WEIGHTS, confidence=25, **options),
        "quadtree by depth limit": _fit_all("quadtree", profile, "max_depth", depths, **options),
    }
    frames = [_frontier("optimal: the least there is", optimal["statistics"])]
    for name, documents in families.items():
        points = [(_rule_leaves(found["body"]), found["statistics"]["performance_penalty"]["mean"]) for found in documents]
        frame = pd.DataFrame(sorted(points), columns=["leaves", "value"]).drop_duplicates("leaves")
        frames.append(frame.assign(curve=name, objective="mean", lower_bound=float("nan")))
    curves = pd.concat(frames, ignore_index=True)
    curves.attrs["title"] = f"{only} on {optimal['origin']['system']}"
    return curves


def _rule_leaves(body: Row) -> int:
    """Return the leaves of the rule trees of a model; children come after their parents."""
    counts: dict[int, int] = {}
    for index, node in reversed(list(enumerate(body["nodes"]))):
        counts[index] = 1 if len(node) == 1 else counts[node[2]] + counts[node[3]]
    return sum(counts[root["node"]] for root in body["roots"])


def _frontier(curve: str, statistics: Row) -> pd.DataFrame:
    rows = [(curve, statistics["certificate"]["objective"], *(*point, point[1])[:3]) for point in statistics["frontier"]]
    frame = pd.DataFrame(rows, columns=["curve", "objective", "leaves", "value", "lower_bound"])
    return frame.astype({"value": float, "lower_bound": float})


def frontier(*models: Model) -> pd.DataFrame:
    """Return the least value of each number of leaves of models of ``colltree fit optimal``, in the form of ``leaves``.

    Examples
    --------
    >>> colltree.plot.penalty_by_leaves(study.frontier(colltree.read_model("optimal.json")))  # doctest: +SKIP
    """
    for model in models:
        if "certificate" not in model.statistics:
            raise Error(f"{model.path}: has no frontier; only models of colltree fit optimal have one")
    return pd.concat([_frontier(model.path.stem, model.statistics) for model in models], ignore_index=True)


def _judged(command: str, words: Sequence[PathLike], options: Row) -> Row:
    return dict(json.loads(drive.run(command, *(os.fspath(word) for word in words), quiet=True, json=True, **options)))


def portfolio(profile: PathLike, **options: Any) -> pd.DataFrame:
    """Return the smallest set of methods worth measuring on a similar machine: one row for each collective (``colltree study portfolio``).

    ``within="1%"`` is what the fastest of them may lose, and ``judge_on="other.db"`` also judges them there (column penalties).
    """
    return pd.DataFrame(_judged("study portfolio", [profile], options)["collectives"])


def guidelines(profile: PathLike, *models: PathLike, **options: Any) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return how often each guideline is broken by each chooser, and the violations, the worst first (``colltree evaluate guidelines``)."""
    document = _judged("evaluate guidelines", [profile, *models], options)
    tallies = pd.json_normalize(document["guidelines"], "by", ["name", "text"])
    where = ["guideline", "collective", "communicator_size", "nodes", "ranks_per_node", "message_size"]
    violations = [{**{key: case.get(key) for key in where}, **by} for case in document["violations"] for by in case["by"]]
    return tallies, pd.json_normalize(violations, sep="_", max_level=1)


def cliffs(profile: PathLike, model: PathLike | None = None, **options: Any) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return where a decision changes and the time jumps, and the leaves that ``fit smooth`` would remove (``colltree evaluate cliffs``)."""
    found = _judged("evaluate cliffs", [model] if model else [], {"on": profile, **options})["collectives"]
    jumps, islands = (pd.json_normalize(found, part, ["collective", "chooser"], sep="_") for part in ("jumps", "islands"))
    return jumps, islands


def recorded_cost(record: PathLike, profile: PathLike | None = None, **options: Any) -> pd.DataFrame:
    """Return the calls of a record with their share of the run, and what the best methods of a profile would save (``colltree show``)."""
    found = _judged("show", [record], {"profile": profile, **options})["collectives"]
    return pd.json_normalize(found, "rows", ["collective"])


def _text(value: Any) -> str:
    return "" if pd.isna(value) else str(value).removesuffix(".0")


def _run(asked: Row) -> None:
    what, output, is_json = asked.pop("what"), asked.pop("output"), asked.pop("json")
    rows = _QUADTREES[what][0](asked.pop("profile"), asked)
    frame = _frame(rows)
    columns = [*_CSV, *(["penalty_predicted"] if "penalty_predicted" in frame else [])]
    lines = [
        [column.replace("penalty_predicted", "predicted") for column in columns],
        *frame[columns].fillna({"penalty_predicted": 0}).to_numpy(object),
    ]
    text = json.dumps(rows, indent=2, sort_keys=True) if is_json else "\n".join(",".join(_text(value) for value in line) for line in lines)
    Path(output).write_text(text + "\n", encoding="utf-8") if output else print(text)


def _reproduce(arguments: list[str]) -> None:
    """Run the scripts of the papers, which are beside the package in a checkout and in it where it is installed."""
    here = Path(__file__).parent
    folder = here / "papers" if (here / "papers").is_dir() else here.parent / "papers"
    sys.path.insert(0, str(folder))
    sys.argv = ["colltree.study reproduce", *arguments]
    runpy.run_path(str(folder / "reproduce.py"), run_name="__main__")


def main(arguments: list[str]) -> int:
    """Run ``python3 -m colltree.study``; return its exit code."""
    parser = argparse.ArgumentParser(prog="python3 -m colltree.study", description="the studies of the papers of 2006 and 2007")
    studies = parser.add_subparsers(dest="what", required=True)
    studies.add_parser("reproduce", add_help=False, help="the tables and figures of a paper, on simulated clusters")
    for what, (_, summary) in _QUADTREES.items():
        study = studies.add_parser(what, help=summary, description=summary)
        study.add_argument("profile", help="the profile (P.db)")
        study.add_argument("-o", "--output", help="the file to write (default: standard output)")
        for option in ("collective", "system", "ranks-per-node", "time", "reshape", "third"):
            study.add_argument(f"--{option}", help="as for colltree fit quadtree")
        for flag, meaning in {"external": "as for colltree fit quadtree", "without-default": "likewise", "json": "print JSON instead of CSV"}.items():
            study.add_argument(f"--{flag}", action="store_true", help=meaning)
    try:
        if arguments[:1] == ["reproduce"]:
            _reproduce(arguments[1:])
        else:
            _run(vars(parser.parse_args(arguments)))
    except (Error, OSError) as error:
        print(f"colltree: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
