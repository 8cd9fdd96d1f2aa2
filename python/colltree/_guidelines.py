# SPDX-License-Identifier: BSD-3-Clause
"""Self-consistent performance guidelines: a call that takes longer than other calls of the same library that do the same could be replaced by them.

Traeff, Gropp, Thakur: "Self-consistent MPI Performance Guidelines", IEEE TPDS 21(5), 2010; the composed calls also in Hunold, Carpen-Amarie,
Luebbe, Traeff: "PGMPI", 2016, and PGMPITuneLib.
"""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ._timings import INSTANCE, Json, Timings, fastest_of, load_timings, papers_label, predicted_note
from .errors import Error, PathLike
from .model import DEFAULT, Method, Model, read_model

# n: message size of the left side, p: ranks, each in the unit of its collective (docs/glossary.md). Left out is what needs times that a profile
# does not hold: scan by its exclusive form and a local reduction, bcast by allgatherv with all data at one rank.
_REPLACEMENTS = """
allreduce(n) <= reduce(n) + bcast(n)
allreduce(n) <= reduce_scatter_block(n/p) + allgather(n/p)
allreduce(n) <= reduce_scatter(n) + allgather(n/p)
allgather(n) <= gather(n) + bcast(n p)
allgather(n) <= alltoall(n)
allgather(n) <= allreduce(n p)
allgather(n) <= allgatherv(n)
alltoall(n) <= alltoallv(n)
barrier <= allreduce(the least size that was measured)
bcast(n) <= scatter(n/p) + allgather(n/p)
gather(n) <= allgather(n)
gather(n) <= reduce(n p)
gather(n) <= gatherv(n)
reduce(n) <= allreduce(n)
reduce(n) <= reduce_scatter_block(n/p) + gather(n/p)
reduce(n) <= reduce_scatter(n) + gather(n/p)
reduce_scatter(n) <= reduce(n) + scatterv(n/p)
reduce_scatter(n) <= reduce(n) + scatter(n/p)
reduce_scatter(n) <= allreduce(n)
reduce_scatter_block(n) <= reduce(n p) + scatter(n)
reduce_scatter_block(n) <= allreduce(n p)
reduce_scatter_block(n) <= reduce_scatter(n p)
scatter(n) <= bcast(n p)
scatter(n) <= scatterv(n)
""".strip().splitlines()
# Guidelines of one collective: their name and text.
_PATTERNS = {
    "a smaller message": "T(n) <= T(m) for n < m",
    "one message, not pieces": "T(k n) <= k T(n)",
    "a smaller communicator": "T on p ranks <= T on q for p < q",
}
TEXTS = {re.sub(r"\(.*?\)", "", text): text for text in _REPLACEMENTS} | _PATTERNS
_TERMS = {name: re.findall(r"(\w+)(?:\((.*?)\))?", text) for name, text in TEXTS.items() if name not in _PATTERNS}
# A time without an interval is as sure a violation as one whose intervals do not overlap; both come before what may be noise.
VERDICTS = ["not measured", "kept", "within noise", "broken, no interval", "certain"]
_KEPT, _NOISE, _NO_INTERVAL, _CERTAIN = 1, 2, 3, 4
Chooser = Callable[[Timings], Sequence[Method | None]]


def _default(timings: Timings) -> Sequence[Method | None]:
    return [Method(DEFAULT, None)] * len(timings.instances)


def _best(timings: Timings) -> Sequence[Method | None]:
    columns = fastest_of(np.where(timings.is_predicted, np.nan, timings.time_us))
    return [timings.methods[column] if column >= 0 else None for column in columns]


def _chosen_by(models: Sequence[Model]) -> Chooser:
    """Return the choice of several models together; what none of them decides for stays with the library."""
    deciding = {collective: model for model in models for collective in model.collectives}

    def choose(timings: Timings) -> Sequence[Method | None]:
        model = deciding.get(timings.collective)
        return _default(timings) if model is None else timings.chosen_by(model)

    return choose


def _costs(tables: Sequence[Timings], choose: Chooser) -> pd.DataFrame:
    """Return what a chooser does at each point: method, time_us (NaN: not measured; a prediction is no witness), low_us, high_us, sure."""
    parts = []
    for timings in tables:
        methods = choose(timings)
        column, time_us, is_predicted = timings.run_of(methods)
        time_us, rows = np.where(is_predicted, np.nan, time_us), np.arange(len(methods))
        sure = (column >= 0) & (timings.low_us[rows, column] < timings.high_us[rows, column])
        low_us, high_us = (np.where(sure, ends[rows, column], time_us) for ends in (timings.low_us, timings.high_us))
        part = pd.DataFrame({"time_us": time_us, "low_us": low_us, "high_us": high_us, "sure": sure})
        part["method"] = ["" if method is None else papers_label(method) for method in methods]
        parts.append(part.where(part["time_us"] > 0))
    return pd.concat(parts, ignore_index=True)


def _right_sides(points: pd.DataFrame) -> pd.DataFrame:
    """Return every right side whose sizes were all measured with the ranks and placement of its left side; nothing is interpolated.

    guideline, left, right, second (-1: none) are a name and numbers of points; the call on the right is made ``times`` times.
    """
    same_ranks = points.merge(points, on=["collective", "communicator_size", "nodes", "ranks_per_node"], suffixes=("", "_right"))
    n, m = same_ranks["message_size"], same_ranks["message_size_right"]
    pieces = (m > 0) & (m < n) & (n % m.where(m > 0, 1) == 0)
    others = points[points["collective"] != "reduce_scatter"]  # its size is the sum over all ranks, so each rank has less where they are more
    same_size = others.merge(others, on=["collective", "message_size"], suffixes=("", "_right"))
    larger = same_size["communicator_size"] < same_size["communicator_size_right"]
    for column in ("nodes", "ranks_per_node"):
        less, more = same_size[column], same_size[f"{column}_right"]
        larger &= ((less == 0) == (more == 0)) & (less <= more)
    found = [same_ranks[n < m], same_ranks[pieces].assign(times=(n // m.where(m > 0, 1))[pieces]), same_size[larger]]
    sides = [part.assign(guideline=name) for part, name in zip(found, _PATTERNS, strict=True)]
    held = set(points["collective"])
    replaced = [name for name, terms in _TERMS.items() if held.issuperset(collective for collective, _ in terms)]
    parts = [*(_replacements(points, name) for name in replaced), *sides]
    columns = ["guideline", "point", "point_right", "second", "times"]
    every = pd.concat([part.reindex(columns=columns) for part in parts], ignore_index=True)
    every = every.fillna({"second": -1, "times": 1}).astype({"point": int, "point_right": int, "second": int, "times": int})
    every = every.rename(columns={"point": "left", "point_right": "right"})
    place = every["guideline"].map({name: place for place, name in enumerate(TEXTS)})
    return every.assign(place=place).sort_values(["place", "left", "right"], ignore_index=True)


def _replacements(points: pd.DataFrame, name: str) -> pd.DataFrame:
    (collective, _), *terms = _TERMS[name]
    left = points[points["collective"] == collective]
    index = pd.MultiIndex.from_frame(points[["collective", *INSTANCE]])
    right = []
    for called, size in terms:
        n, p = left["message_size"], left["communicator_size"].clip(lower=1)
        wanted = n
        if size == "n p":
            wanted = (n * p).where(n <= (2**63 - 1) // p, -1)
        elif size == "n/p":
            wanted = (n // p).where(n % p == 0, -1)
        elif size != "n":
            ranks = ["communicator_size", "nodes", "ranks_per_node"]
            measured = points[(points["collective"] == called) & (points["message_size"] > 0)]
            wanted = left[ranks].merge(measured.groupby(ranks)["message_size"].min().reset_index(), how="left")["message_size"]
            wanted = wanted.fillna(-1).astype(np.int64).set_axis(left.index)
        asked = left.assign(collective=called, message_size=wanted)
        right.append(index.get_indexer(pd.MultiIndex.from_frame(asked[["collective", *INSTANCE]])))
    found: pd.DataFrame = left.assign(guideline=name, point_right=right[0], second=right[1] if len(right) > 1 else -1)
    return found.drop(index=found.index[np.any([place < 0 for place in right], axis=0)])


def _verdicts(sides: pd.DataFrame, costs: pd.DataFrame, tolerance: float) -> pd.DataFrame:
    """Return for each guideline and left side the right side that a chooser breaks most."""
    tested = sides.copy()
    times, has_second = sides["times"].to_numpy(), sides["second"].to_numpy() >= 0
    for column in ("time_us", "low_us", "high_us"):
        values = costs[column].to_numpy()
        tested[f"left_{column}"] = values[sides["left"]]
        tested[f"right_{column}"] = times * values[sides["right"]] + np.where(has_second, values[sides["second"]], 0.0)
    sure = costs["sure"].fillna(False).to_numpy(bool)
    sure_right = sure[sides["right"]] & (~has_second | sure[sides["second"]])
    tested["factor"] = tested["left_time_us"] / tested["right_time_us"]
    tested["verdict"] = np.select(
        [
            tested["factor"].isna(),
            ~(tested["left_time_us"] > (1 + tolerance) * tested["right_time_us"]),
            ~(tested["left_low_us"] > (1 + tolerance) * tested["right_high_us"]),
            ~(sure[sides["left"]] & sure_right),
        ],
        [0, _KEPT, _NOISE, _NO_INTERVAL],
        _CERTAIN,
    )
    tested["badness"] = tested["verdict"].replace(_NO_INTERVAL, _CERTAIN)
    worst = tested.sort_values(["place", "left", "badness", "factor"], ascending=[True, True, False, False], kind="stable")
    return worst.drop_duplicates(["place", "left"]).set_index(["place", "left"])


def test(tables: Sequence[Timings], choosers: dict[str, Chooser], about: Sequence[str], tolerance: float) -> Json:
    """Test the guidelines about some collectives, by what each chooser does on both sides.

    Broken: the left side takes more than (1 + tolerance) times as long; certain: also by the ends of the 95 % intervals. Where a guideline has
    several right sides at an instance, the one that is broken most counts.
    """
    points = pd.concat([timings.instances.assign(collective=timings.collective) for timings in tables], ignore_index=True)
    points["point"] = points.index
    sides = _right_sides(points)
    sides = sides[points["collective"].isin(about).to_numpy()[sides["left"]]].reset_index(drop=True)
    costs = {name: _costs(tables, choose) for name, choose in choosers.items()}
    cases = {name: _verdicts(sides, cost, tolerance) for name, cost in costs.items()}
    measured, rows = set(points["collective"]), []
    for place, (name, text) in enumerate(TEXTS.items()):
        if name in _TERMS and _TERMS[name][0][0] not in about:
            continue
        by = []
        for chooser, found in cases.items():
            verdict = found["verdict"][found.index.get_level_values("place") == place]
            tally = {"tested": verdict > 0, "broken": verdict >= _NO_INTERVAL, "certain": verdict == _CERTAIN, "within_noise": verdict == _NOISE}
            by.append({"chooser": chooser} | {key: int(counted.sum()) for key, counted in tally.items()})
        missing = [collective for collective, _ in _TERMS.get(name, []) if collective not in measured]
        rows.append({"name": name, "text": text, "not_measured": missing, "by": by})
    return {"tolerance": tolerance, "guidelines": rows, "violations": list(_violations(points, cases, costs))}


def _violations(points: pd.DataFrame, cases: dict[str, pd.DataFrame], costs: dict[str, pd.DataFrame]) -> Iterator[Json]:
    """Give what some chooser breaks, each once: by the first that does, the worst first."""
    listed = pd.Series(False, index=next(iter(cases.values())).index)
    for found in cases.values():
        broken = found[(found["verdict"] >= _NOISE) & ~listed].sort_values(["badness", "factor"], ascending=False, kind="stable")
        for key in list[Any](broken.index):
            by = [{"chooser": chooser} | _outcome(points, cases[chooser].loc[key], costs[chooser], key[1]) for chooser in cases]
            yield {**_instance(points, key[1]), "guideline": broken.at[key, "guideline"], "by": by}
        listed |= found["verdict"] >= _NOISE


def _instance(points: pd.DataFrame, point: int) -> Json:
    found = points.loc[point].to_dict()
    return {name: found[name] for name in ("collective", *INSTANCE)}


def _outcome(points: pd.DataFrame, test: Any, costs: pd.DataFrame, left: int) -> Json:
    if test["verdict"] == 0:
        return {"verdict": VERDICTS[0]}
    right = [(int(test["right"]), int(test["times"])), *([(int(test["second"]), 1)] if test["second"] >= 0 else [])]
    calls = [{**_instance(points, point), "times": times, "method": costs.at[point, "method"]} for point, times in right]
    sides = {side: {end: test[f"{side}_{end}"] for end in ("time_us", "low_us", "high_us")} for side in ("left", "right")}
    return {"verdict": VERDICTS[test["verdict"]], "method": costs.at[left, "method"], "factor": test["factor"], **sides, "calls": calls}


def of_profile(profile: PathLike, models: Sequence[PathLike], tolerance: float, options: Json) -> Json:
    """Return the document of the study; the models together are one choice, beside the library's own and the best that was measured."""
    name, asked = os.fspath(profile), options.get("collective")
    # What replaces a call may be any other collective, so all are loaded.
    system, tables = load_timings(profile, predict=False, **{**options, "collective": None})
    measured = [timings.collective for timings in tables]
    about = asked.split(",") if isinstance(asked, str) else asked
    for collective in about or []:
        if collective not in measured:
            raise Error(f"{name}: has no timings of {collective} on {system['system']}; it has {', '.join(measured)}")
    read = [read_model(path) for path in models]
    for model in read:
        if not set(model.collectives) & set(measured):
            raise Error(f"{model.path}: decides for {', '.join(model.collectives)} only, which is not among the timings asked for")
        for other, collective in ((other, name) for other in read for name in sorted(model.collectives) if name in other.collectives):
            if other is not model:
                raise Error(f"{model.path}, {other.path}: all decide for {collective}; name one model for each collective")
    choosers = {"default": _default, **({"chosen": _chosen_by(read)} if read else {}), "best": _best}
    every = {collective for terms in _TERMS.values() for collective, _ in terms} | set(measured)
    document = test(tables, choosers, about or sorted(every), tolerance)
    document |= {"schema": "colltree/guidelines/1", **system, "models": [os.fspath(path) for path in models]}
    note = predicted_note(tables)
    return document | ({"not_tested": note} if note else {})
