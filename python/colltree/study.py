# SPDX-License-Identifier: BSD-3-Clause
"""Studies over profiles: trees by leaves, guidelines, cliffs, portfolios and the cost of recorded calls.

The program ``colltree`` fits and judges; this module says what, and returns frames. ``profile`` is a path, ``P.db``, and ``options`` are those
of the program, such as ``collective="bcast"``, ``system="grig"``, ``ranks_per_node=16`` or ``without_default=True``. Every function raises
``Error`` with the program's one line, or because it is not installed. ``python3 -m colltree.study`` also runs them from the command line.
"""

import json
import os
import runpy
import sys
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pandas as pd

from . import _cliffs, _guidelines, _portfolio, drive
from .errors import Error, PathLike
from .model import Model, read_model

Row = dict[str, Any]
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
        drive.run(f"fit {kind}", profile, output=model, quiet=True, **options)
        return dict(json.loads(model.read_text(encoding="utf-8")))


def fit_all(kind: str, profile: PathLike, name: str, values: Iterable[Any], **options: Any) -> list[Row]:
    """Return the documents of models that differ in the option ``name``."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda value: fit(kind, profile, **{**options, name: value}), values))


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
    options["collective"] = ",".join(optimal["origin"]["collectives"])
    depths = range(fit("quadtree", profile, **options)["statistics"]["max_depth"] + 1)
    families = {
        "C4.5 by weight": fit_all("c45", profile, "weight", _WEIGHTS, confidence=25, **options),
        "quadtree by depth limit": fit_all("quadtree", profile, "max_depth", depths, **options),
    }
    frames = [_frontier("optimal: the least there is", optimal["statistics"])]
    for name, documents in families.items():
        points = [(_rule_leaves(found["body"]), found["statistics"]["performance_penalty"]["mean"]) for found in documents]
        frame = pd.DataFrame(sorted(points), columns=["leaves", "value"]).drop_duplicates("leaves")
        frames.append(frame.assign(curve=name, objective="mean", lower_bound=float("nan")))
    curves = pd.concat(frames, ignore_index=True)
    curves.attrs["title"] = f"{options['collective']} on {optimal['origin']['system']}"
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


def portfolio(profile: PathLike, *, within: float = 0.01, judge_on: PathLike | None = None, **options: Any) -> pd.DataFrame:
    """Return the smallest set of methods worth measuring on a similar machine: one row for each collective.

    Parameters
    ----------
    within : float
        At each instance the fastest of them may be slower than the best method by this fraction.
    judge_on : str or path, optional
        Another profile: column penalties also says what choosing among them loses there.

    Examples
    --------
    >>> study.portfolio("grig.db", within=0.05)[["collective", "at_least"]]  # doctest: +SKIP
    """
    return pd.DataFrame(_portfolio.of_profile(profile, within, judge_on, options)["collectives"])


def guidelines(profile: PathLike, *models: PathLike, tolerance: float = 0.05, **options: Any) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return how often each guideline is broken by each chooser, and the violations, the worst first (docs/tasks/judging.md).

    A call may be slower than its replacement by the fraction ``tolerance``. The models, one for each collective, are judged as ``chosen``.
    """
    document = _guidelines.of_profile(profile, models, tolerance, options)
    tallies = pd.json_normalize(document["guidelines"], "by", ["name", "text"])
    where = ["guideline", "collective", "communicator_size", "nodes", "ranks_per_node", "message_size"]
    violations = [{**{key: case.get(key) for key in where}, **by} for case in document["violations"] for by in case["by"]]
    return tallies, pd.json_normalize(violations, sep="_", max_level=1)


def cliffs(
    profile: PathLike, model: PathLike | None = None, *, factor: float = 1.5, cost: float = 0.001, **options: Any
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return where a decision changes and the time jumps by more than ``factor`` beyond the trend, and the leaves that save almost nothing.

    Without a model the best method of each instance decides. The removal of such a leaf adds at most the fraction ``cost`` to the mean penalty;
    ``smooth`` removes them.
    """
    found = _cliffs.of_profile(model, profile, factor, cost, options)["collectives"]
    jumps, islands = (pd.json_normalize(found, part, ["collective", "chooser"], sep="_") for part in ("jumps", "islands"))
    return jumps, islands


def smooth(model: PathLike, profile: PathLike, output: PathLike, *, within: float = 0.001, **options: Any) -> Model:
    """Write the model without leaves that are hardly worth their test, and return it; the mean penalty grows by at most ``within``.

    Examples
    --------
    >>> study.smooth("bcast.json", "grig.db", "smooth.json", within=0.01).statistics["leaves"]  # doctest: +SKIP
    """
    _cliffs.smooth(model, profile, output, within, options)
    return read_model(output)


def recorded_cost(record: PathLike, profile: PathLike | None = None, **options: Any) -> pd.DataFrame:
    """Return the calls of a record with their share of the run, and what the best methods of a profile would save (``colltree show``)."""
    found = drive.run_json("show", record, on=profile, quiet=True, **options)
    return pd.json_normalize(found["collectives"], "rows", ["collective"])


if __name__ == "__main__":
    # The scripts of the papers are beside the package in a checkout, and in it where it is installed.
    papers = next(folder / "papers" for folder in Path(__file__).parents if (folder / "papers").is_dir())
    sys.path.insert(0, str(papers))
    runpy.run_path(str(papers / "studies.py"), run_name="__main__")
