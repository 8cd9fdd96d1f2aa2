# SPDX-License-Identifier: BSD-3-Clause
"""The timings of a collective as arrays of instances and methods, with intervals, as the program has them: what the studies compute with."""

import functools
import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from . import drive
from ._style import bytes_of
from .errors import Error, PathLike
from .model import DEFAULT, TIE, Method, Model, effective_methods
from .read import read_profile_parts, with_predictions

Floats = npt.NDArray[np.float64]
Json = dict[str, Any]
INSTANCE = ["communicator_size", "message_size", "nodes", "ranks_per_node"]
_POINT = [*INSTANCE, "algorithm", "segment_size"]
_MISSING = {"nodes": 0, "ranks_per_node": 0, "segment_size": -1}  # where a profile says nothing
_COPIED_SHARE = 0.95  # of the cells with several samples: from here on equal samples are copies of one figure
_FEWEST_CHANGES = 20
_DEVIATIONS_OF_95 = 1.96  # half a 95 % interval, in standard deviations
_MEDIAN_OF_SQUARES = 0.4549  # of a standard normal number


@dataclass
class Timings:
    """The timings of one collective on one system; arrays have the shape (instances, methods), and are NaN where a method cannot run."""

    collective: str
    instances: pd.DataFrame  # communicator_size, message_size, nodes and ranks_per_node (0: not known), sorted
    methods: list[Method]  # those that can be chosen, in the order by which ties go; the library's own choice is last, where it is one
    time_us: Floats
    low_us: Floats  # the ends of the 95 % intervals
    high_us: Floats
    is_predicted: npt.NDArray[np.bool_]  # not measured
    default_us: Floats  # of the library's own choice, by instance; NaN where it was not measured
    counts: tuple[int, int]  # the cells that were measured, and that a campaign wanted and did not measure
    has_catalogue: bool = True  # the program says what runs where a method cannot

    def chosen_by(self, model: Model) -> list[Method]:
        """Return the model's choice at each instance."""
        sizes = {name: self.instances[name].to_numpy() for name in INSTANCE}
        return [model.methods[index] for index in model.decide_index(self.collective, **sizes)]

    def run_of(self, methods: Sequence[Method | None]) -> tuple[npt.NDArray[np.int64], Floats, npt.NDArray[np.bool_]]:
        """Return for each instance the column and the time of its method (-1 and NaN: it cannot run), and whether that was predicted."""
        index: dict[Method | None, int] = {known: column for column, known in enumerate(self.methods)}
        rows, sizes = np.arange(len(methods)), self.instances.to_numpy()
        column = np.array([index.get(method, -1) for method in methods], dtype=np.int64)
        column[np.isnan(self.time_us[rows, column])] = -1
        for row in np.flatnonzero(column < 0).tolist():
            method = methods[row]
            if method is not None:
                ran = _running_method(self.collective, method, *sizes[row].tolist()) if self.has_catalogue else method
                known = (index[name] for name in effective_methods(ran, *sizes[row, :2].tolist()) if name in index)
                column[row] = next((place for place in known if not np.isnan(self.time_us[row, place])), -1)
        is_default = [method is not None and method.algorithm == DEFAULT for method in methods]
        time_us = np.where(is_default, self.default_us, np.where(column < 0, np.nan, self.time_us[rows, column]))
        return column, time_us, (column >= 0) & self.is_predicted[rows, column]

    def times_of(self, method: Method) -> Floats:
        """Return the time of each instance where the method is asked for, NaN where it cannot run."""
        return self.run_of([method] * len(self.instances))[1]

    def least_us(self) -> Floats:
        """Return the least time of each instance, NaN where there is none."""
        return np.asarray(np.fmin.reduce(self.time_us, axis=1))

    def penalties_of(self, method: Method) -> Floats:
        """Return the penalty of each instance where the method is asked for, a fraction, NaN where it cannot run."""
        chosen_us = self.times_of(method)
        best_us = np.fmin(chosen_us, self.least_us())
        return (chosen_us - best_us) / best_us


def fastest_of(times_us: Floats) -> Any:
    """Return the column of the least time of each row, the first among ties, -1 where there is none."""
    known_us = np.where(np.isnan(times_us), np.inf, times_us)
    least_us = known_us.min(axis=1, keepdims=True)
    return np.where(least_us[:, 0] < np.inf, np.argmax(known_us <= least_us * (1 + TIE), axis=1), -1)


def exactly(function: Callable[[float], float], values: Any) -> Floats:
    """Return a function of ``math`` of each value: numpy's own may differ from the program's in the last digit."""
    return np.array([function(value) for value in values], dtype=float)


def predicted_note(tables: Sequence[Timings]) -> str:
    """Return how many times were predicted, "" where none was."""
    predicted, every = sum(timings.counts[1] for timings in tables), sum(sum(timings.counts) for timings in tables)
    return f"{predicted} of {every} times were not measured but predicted (docs/tasks/tuning.md)" if predicted else ""


def papers_label(method: Method) -> str:
    """Return the name of a method as the papers and the program print it: ``SplitBinary_1K``."""
    if method.segment_size is None:
        return method.algorithm
    words = "".join(word[:1].upper() + word[1:] for word in method.algorithm.split("_"))
    return f"{words}_{bytes_of(method.segment_size) if method.segment_size else '0K'}"


@functools.cache
def _catalogue() -> dict[tuple[str, str], Json]:
    """Return the rows of the program's catalogue by collective and algorithm, in its order, by which ties go."""
    catalogue: dict[tuple[str, str], Json] = {}
    for row in drive.run_json("measure methods", quiet=True):
        known = catalogue.setdefault((row["collective"], row["algorithm"].split("@")[0]), {**row, "segmented": False})
        known["segmented"] |= row["segment_size"] > 0
    return catalogue


def _running_method(collective: str, method: Method, communicator_size: int, message_size: int, nodes: int, ranks_per_node: int) -> Method:
    """Return the method that runs where this one is asked for and its needs are not met or its parameters change nothing."""
    if method.segment_size is None:
        return method
    met = {
        "a power of two of ranks": communicator_size.bit_count() == 1,
        "an even number of ranks": communicator_size % 2 == 0,
        "as many bytes as ranks": message_size >= communicator_size,
        "segments": 0 < (method.segment_size or 0) < -(-message_size // max(communicator_size, 1)),
        "several nodes with several ranks on one": nodes > 1 and ranks_per_node > 1,
    }
    algorithm, *parameters = method.algorithm.split("@")
    while row := _catalogue().get((collective, algorithm)):
        is_large = communicator_size >= row["min_communicator_size"] and message_size >= row["min_message_size"]
        if row["fallback"] == algorithm or (is_large and all(met.get(need, True) for need in row["needs"].split(", "))):
            bounds = {"fanout": ranks_per_node, "requests": np.inf if row["segmented"] else communicator_size - 1}
            split = [parameter.partition("=") for parameter in parameters]
            parameters = ["".join(words) for words in split if not words[2].isdecimal() or int(words[2]) < bounds.get(words[0], np.inf)]
            break
        algorithm, parameters = row["fallback"], []
    return Method("@".join([algorithm, *parameters]), method.segment_size)


def load_timings(
    profile: PathLike,
    *,
    system: str | None = None,
    collective: str | list[str] | None = None,
    ranks_per_node: int = 0,
    time: str = "median",
    external: bool = False,
    without_default: bool = False,
    predict: bool = True,
) -> tuple[Json, list[Timings]]:
    """Return the system and provenance, and one table for each collective that has something to choose from, as they were asked for."""
    name = os.fspath(profile)
    asked = collective.split(",") if isinstance(collective, str) else collective
    of_system, found = Json(), dict[str, Timings]()
    for part in read_profile_parts(profile, system=system, collective=asked):
        if part.empty:
            raise Error(f"{name}: holds no timings; measure or import some")
        part = part.astype({column: str for column in ("system", "provenance", "collective", "algorithm")})
        here = {field: part[field].iloc[0] for field in ("system", "provenance")}
        if (of_system or here) != here:
            raise Error(f"{name}: holds several systems ({of_system['system']}, {here['system']}, ...); choose one with --system NAME")
        if predict and (part["kind"] == "predicted").any():
            part = with_predictions(part, profile)
        default_is_method = here["provenance"] != "simulated" and not without_default
        cells = _cells(part, time, external)
        timings = arrange(cells, part["collective"].iloc[0], default_is_method=default_is_method, ranks_per_node=ranks_per_node)
        of_system = here
        if len(timings.instances):
            found[timings.collective] = timings
    for wanted in asked or []:
        if wanted not in found:
            raise Error(f"{name}: has nothing to choose from for {wanted} on {of_system['system']}; measure several methods")
    if not found:
        raise Error(f"{name}: has no timings to choose from on {of_system['system']}; measure several methods")
    return of_system, [found[wanted] for wanted in dict.fromkeys(asked or found)]


def _cells(part: pd.DataFrame, time: str, external: bool) -> pd.DataFrame:
    """Return a row for each cell with a time, and for each that was wanted: its point, time_us, low_us, high_us and is_predicted."""
    part = part[part["kind"].isin(["measured", "predicted"]) & (external | ~part["algorithm"].str.startswith("ext:"))]
    part = part.assign(**{column: part[column].fillna(missing).astype(np.int64) for column, missing in _MISSING.items()})
    is_measured = part["kind"] == "measured"
    cells = _summarize(part[is_measured], part["provenance"].iloc[0], time)
    wanted = _placed(part[~is_measured], cells)
    known = cells[["algorithm", "segment_size"]].drop_duplicates()  # of a method without any time nothing can be predicted
    wanted = wanted.merge(known, on=["algorithm", "segment_size"]).drop_duplicates(_POINT)
    cells = pd.concat([cells.assign(is_predicted=False), wanted[[*_POINT, "time_us"]].assign(is_predicted=True)], ignore_index=True)
    return cells.astype({column: np.int64 for column in (*INSTANCE, "segment_size")} | {"is_predicted": bool})


def arrange(cells: pd.DataFrame, collective: str, *, default_is_method: bool, ranks_per_node: int = 0, has_catalogue: bool = True) -> Timings:
    """Return the cells as arrays, without instances where only the library's own choice has a time.

    Ties go by the program's catalogue, or without it by segment size and then by name.
    """
    catalogue = {name: place for place, name in enumerate(_catalogue() if has_catalogue else [])}

    def tie_order(method: Method) -> tuple[int, int, str]:
        place = catalogue.get((collective, method.algorithm.split("@")[0]), len(catalogue))
        return place, -1 if method.segment_size is None else method.segment_size, method.algorithm

    instances = cells.loc[cells["algorithm"] != DEFAULT, INSTANCE].drop_duplicates().sort_values(INSTANCE, ignore_index=True)
    if ranks_per_node:
        instances = instances[instances["ranks_per_node"] == instances["communicator_size"].clip(upper=ranks_per_node)].reset_index(drop=True)
    cells = cells.merge(instances.assign(row=np.arange(len(instances))), on=INSTANCE)
    pairs = zip(cells["algorithm"], cells["segment_size"], strict=True)
    names, default = [Method(algorithm, None if segment < 0 else int(segment)) for algorithm, segment in pairs], Method(DEFAULT, None)
    methods = [*sorted(set(names) - {default}, key=tie_order), default]
    place, row = {method: column for column, method in enumerate(methods)}, cells["row"].to_numpy()
    arrays: dict[str, Any] = {}
    for field, missing in {"time_us": np.nan, "low_us": np.nan, "high_us": np.nan, "is_predicted": False}.items():
        arrays[field] = np.full((len(instances), len(methods)), missing)
        arrays[field][row, [place[method] for method in names]] = cells[field]
    default_us, most = arrays["time_us"][:, -1].copy(), len(methods) - (not default_is_method or default not in names)
    counts = (int((~cells["is_predicted"]).sum()), int(cells["is_predicted"].sum()))
    kept = {field: array[:, :most] for field, array in arrays.items()}
    return Timings(collective, instances, methods[:most], **kept, default_us=default_us, counts=counts, has_catalogue=has_catalogue)


def _placed(wanted: pd.DataFrame, cells: pd.DataFrame) -> pd.DataFrame:
    """Give cells without a placement the one that their communicator size was measured with."""
    first = cells.sort_values(INSTANCE).drop_duplicates("communicator_size").set_index("communicator_size")
    unplaced = (wanted["ranks_per_node"] == 0) & wanted["communicator_size"].isin(first.index)
    placement = first.loc[wanted.loc[unplaced, "communicator_size"], ["nodes", "ranks_per_node"]]
    wanted.loc[unplaced, ["nodes", "ranks_per_node"]] = placement.to_numpy()
    return wanted


def _summarize(samples: pd.DataFrame, provenance: str, time: str) -> pd.DataFrame:
    """Return a row for each cell: its time, and between what it lies with 95 % confidence (NaN for other times than the median).

    Each session of a real system counts alike; those of a simulated one are taken together.
    """
    if provenance == "simulated":
        samples = samples.assign(campaign=0)
    jobs = medians(samples, ["campaign", *_POINT])
    if provenance == "imported":
        samples = _without_copies(samples)
    if time != "median":
        by_cell = samples.sort_values("time_us").groupby(_POINT)["time_us"]
        summary = by_cell.min() if time == "minimum" else by_cell.agg(lambda times: np.cumsum(times.to_numpy())[-1] / len(times))
        return summary.reset_index().assign(low_us=np.nan, high_us=np.nan)
    cells, by_cell = medians(samples, _POINT), jobs.groupby(_POINT)["time_us"]
    time_us, sessions = by_cell.median().to_numpy(), by_cell.size().to_numpy()
    factor = exactly(math.exp, _DEVIATIONS_OF_95 * _session_deviation(jobs) / np.sqrt(sessions))
    moved = time_us / cells["time_us"]
    return cells.assign(time_us=time_us, low_us=moved * cells["low_us"] / factor, high_us=moved * cells["high_us"] * factor)


def medians(samples: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Return for each group, sorted, time_us, the median of its samples, their count, and its 95 % interval by order statistics."""
    rows = samples.sort_values([*keys, "time_us"], ignore_index=True)
    groups = rows.groupby(keys, dropna=False)["time_us"]
    found, counts = groups.median().reset_index(), groups.size().to_numpy()
    first = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
    ranks = np.array([_enclosing_rank(int(count)) for count in counts], dtype=np.int64)
    times_us = rows["time_us"].to_numpy()
    return found.assign(low_us=times_us[first + ranks], high_us=times_us[first + counts - 1 - ranks], count=counts)


@functools.cache
def _enclosing_rank(count: int) -> int:
    """Return the largest k such that order statistics k and count-1-k enclose the median with 95 % confidence; 0: all that there is."""
    tail, rank = 0.0, 0
    for k in range((count - 1) // 2 + 1):
        tail += math.exp(math.lgamma(count + 1) - math.lgamma(k + 1) - math.lgamma(count - k + 1) + count * math.log(0.5))
        if 1 - 2 * tail < 0.95 or 2 * k + 1 >= count:
            break
        rank = k
    return rank


def _without_copies(samples: pd.DataFrame) -> pd.DataFrame:
    """Keep one of the equal samples of each cell of a campaign whose file repeats one figure instead of listing samples."""
    cells = samples.groupby(["campaign", *_POINT])["time_us"]
    repeated, equal = cells.transform("size") > 1, cells.transform("min") == cells.transform("max")
    first = cells.cumcount() == 0
    share = equal[first & repeated].groupby(samples["campaign"]).mean()
    copied = samples["campaign"].isin(share.index[share >= _COPIED_SHARE])
    return samples.loc[first | ~(copied & equal)]


def _session_deviation(jobs: pd.DataFrame) -> float:
    """Return the standard deviation of the logarithm of a method's time from one session to another, 0 where too little tells.

    What all methods of an instance have in common, a busier machine, does not count, nor does the noise of the medians. Where no job measured
    two methods of an instance, nothing is in common.
    """
    spread = exactly(math.log, np.where(jobs["low_us"] > 0, jobs["high_us"] / jobs["low_us"], 1)) / (2 * _DEVIATIONS_OF_95)
    jobs = jobs.assign(variance=spread * spread, session=jobs["campaign"].rank(method="dense").astype(int))
    together = jobs.duplicated(["campaign", *INSTANCE]).any()
    parts = [_changes_between(jobs.assign(session=jobs.groupby(_POINT).cumcount()), in_common=False)] if not together else []
    parts.append(_changes_between(jobs, in_common=True))
    changes = pd.concat(parts)
    if len(changes) < _FEWEST_CHANGES:
        return 0.0
    total = changes["size"].median() ** 2 / _MEDIAN_OF_SQUARES
    return math.sqrt(max(0.0, total - changes["variance"].median()) / 2)


def _changes_between(jobs: pd.DataFrame, in_common: bool) -> pd.DataFrame:
    """Return how much each method changed from a session to the next (size, of the logarithm) and the variance of that by the samples."""
    pairs = jobs.merge(jobs.assign(session=jobs["session"] - 1), on=["session", *_POINT], suffixes=("", "_next"))
    change = exactly(math.log, pairs["time_us_next"] / pairs["time_us"])
    variance = pairs["variance"] + pairs["variance_next"]
    if not in_common:
        return pd.DataFrame({"size": np.abs(change), "variance": variance})
    group = pairs.groupby(["session", *INSTANCE]).ngroup().to_numpy()
    count = np.bincount(group)[group] if len(group) else group
    common = np.bincount(group, weights=change / count)[group] if len(group) else change
    several = count > 1
    size = np.abs(change - common)[several] * np.sqrt(count[several] / (count[several] - 1))
    return pd.DataFrame({"size": size, "variance": variance[several]})
