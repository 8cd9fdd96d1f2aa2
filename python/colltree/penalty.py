# SPDX-License-Identifier: BSD-3-Clause
"""Times of cells, best methods and performance penalties of a frame that ``read_profile`` returned (docs/glossary.md)."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from .errors import Error
from .model import Method, Model, methods_of, with_methods

DEFAULT = "default"  # the library's own choice
TIE = 1e-9  # relative
_INSTANCE = ["communicator_size", "message_size"]
PLACEMENT = ["nodes", "ranks_per_node"]


def point_times(profile: pd.DataFrame, collective: str) -> pd.DataFrame:
    """Return the time of each method of a collective at each instance: the median of its samples.

    Parameters
    ----------
    profile : DataFrame
        Timings of one system and placement, as ``read_profile`` returns them. Predicted cells count where they have a time.

    Returns
    -------
    DataFrame
        communicator_size, message_size (bytes), algorithm, segment_size, time_us and predicted (bool). Several campaigns of a real system
        count alike (the median of their medians). Methods ``ext:*``, which are not in the MPI library, are omitted.

    Examples
    --------
    >>> colltree.point_times(profile, "bcast").nsmallest(3, "time_us")
    """
    rows = profile[(profile["collective"] == collective) & profile["time_us"].notna()]
    rows = rows[~rows["algorithm"].astype(str).str.startswith("ext:")]
    if rows.empty:
        held = ", ".join(sorted(profile["collective"].astype(str).unique()))
        raise Error(f"the profile holds no times of {collective}; it holds {held or 'nothing'}")
    systems = sorted(rows["system"].astype(str).unique())
    if len(systems) > 1:
        raise Error(f"the profile holds several systems ({', '.join(systems)}); choose one with profile[profile.system == 'NAME']")
    placed = rows[[*_INSTANCE, "nodes", "ranks_per_node"]].drop_duplicates().dropna()
    if placed.duplicated(_INSTANCE).any():
        raise Error("the profile holds several placements of one instance; choose one with profile[profile.ranks_per_node == N]")
    keys = [*_INSTANCE, "algorithm", "segment_size"]
    rows = rows.assign(algorithm=rows["algorithm"].astype(str), predicted=rows["kind"] == "predicted")
    if (rows["provenance"] != "simulated").all():
        rows = rows.groupby([*keys, "campaign"], dropna=False).agg(time_us=("time_us", "median"), predicted=("predicted", "all")).reset_index()
    return rows.groupby(keys, dropna=False).agg(time_us=("time_us", "median"), predicted=("predicted", "all")).reset_index()


def _matrix(points: pd.DataFrame) -> pd.DataFrame:
    """Return the times with one row for each instance and one column for each ``Method``; where a method has none, it is missing."""
    methods = methods_of(points)
    columns = sorted(set(methods), key=_tie_order)
    place = {method: i for i, method in enumerate(columns)}
    index = pd.MultiIndex.from_frame(points[_INSTANCE]).unique().sort_values()
    values = np.full((len(index), len(columns)), np.nan)
    values[index.get_indexer(pd.MultiIndex.from_frame(points[_INSTANCE])), [place[method] for method in methods]] = points["time_us"]
    return pd.DataFrame(values, index=index, columns=pd.Index(columns, tupleize_cols=False))


def _tie_order(method: Method) -> tuple[bool, int, str]:
    return method.algorithm == DEFAULT, -1 if method.segment_size is None else method.segment_size, method.algorithm


def _candidates(matrix: pd.DataFrame, profile: pd.DataFrame) -> pd.DataFrame:
    """Return the methods that a decision may choose, at the instances where a method beside the library's own choice has a time.

    In a simulated system the library's own choice is for comparison only.
    """
    simulated = (profile["provenance"] == "simulated").any()
    is_default = np.array([method.algorithm == DEFAULT for method in list[Any](matrix.columns)])
    known = matrix.loc[:, ~is_default].notna().any(axis=1)
    return matrix.loc[known, ~is_default] if simulated else matrix.loc[known]


def _known_candidates(profile: pd.DataFrame, collective: str) -> pd.DataFrame:
    candidates = _candidates(_matrix(point_times(profile, collective)), profile)
    if candidates.empty:
        raise Error(f"only the library's own choice was measured for {collective}; measure other methods")
    return candidates


def best_methods(profile: pd.DataFrame, collective: str) -> pd.DataFrame:
    """Return the best method of each instance.

    Ties within a relative 1e-9 go by segment size and then by name, and last to the library's own choice. The program goes by the order of
    its catalogue; where that matters, write the map with ``colltree show P.db --map -o map.csv`` and use ``read_map``.

    Returns
    -------
    DataFrame
        communicator_size, message_size (bytes), algorithm, segment_size and time_us. The parameters are those of ``point_times``.

    Examples
    --------
    >>> colltree.best_methods(profile, "bcast").algorithm.value_counts()
    """
    matrix = _known_candidates(profile, collective)
    values = matrix.to_numpy()
    least = np.nanmin(values, axis=1, keepdims=True)
    first = np.argmax(values <= least * (1 + TIE), axis=1)
    frame = with_methods(matrix.index.to_frame(index=False), [matrix.columns[i] for i in first])
    return frame.assign(time_us=values[np.arange(len(first)), first])


def effective_methods(method: Method, communicator_size: int, message_size: int) -> list[Method]:
    """Return the names under which a method may have been measured at an instance, the requested one first (docs/glossary.md).

    Examples
    --------
    >>> effective_methods(Method("binomial", 1024), 8, 64)
    [Method(algorithm='binomial', segment_size=1024), Method(algorithm='binomial', segment_size=0)]
    """
    ran = effective_method(method, communicator_size, message_size)
    return list(dict.fromkeys([method, ran, Method(re.sub(r"@radix=\d+$", "", ran.algorithm), ran.segment_size)]))


def effective_method(method: Method, communicator_size: int, message_size: int) -> Method:
    """Return the method that really runs: without segments that cut nothing, and binary where a message cannot be split in two.

    Examples
    --------
    >>> effective_method(Method("binomial", 1024), 8, 64)
    Method(algorithm='binomial', segment_size=0)
    """
    algorithm, segment = method
    if algorithm.startswith("split_binary") and (communicator_size < 3 or message_size < 2):
        algorithm = algorithm.replace("split_binary", "binary", 1)
    radix = re.search(r"radix=(\d+)", algorithm)
    if radix and int(radix[1]) >= communicator_size:
        algorithm = algorithm.replace(radix[0], f"radix={1 << max(communicator_size - 1, 1).bit_length()}")
    if segment:
        piece = message_size
        if algorithm.startswith("split_binary"):
            piece = -(-message_size // 2)
        elif algorithm.startswith("segmented_ring"):
            piece = -(-message_size // communicator_size)
        segment = 0 if segment >= piece else segment
    return Method(algorithm, segment)


def _times_of(matrix: pd.DataFrame, methods: Sequence[Method]) -> npt.NDArray[np.float64]:
    """Return the time of each instance with the method that is asked for there, missing where it cannot run."""
    times, column = matrix.to_numpy(), {method: i for i, method in enumerate(list[Any](matrix.columns))}
    found = np.full(len(matrix), np.nan)
    for row, (instance, method) in enumerate(zip(list[Any](matrix.index), methods, strict=True)):
        known = (times[row, column[name]] for name in effective_methods(method, *instance) if name in column)
        found[row] = next((time for time in known if not np.isnan(time)), np.nan)
    return found


class TrainingData(NamedTuple):
    """What a learner is given: ``X``, a frame of instances; ``costs`` in microseconds, shape (instances, methods); ``methods``."""

    X: pd.DataFrame
    costs: npt.NDArray[np.float64]
    methods: list[Method]


def training_data(profile: pd.DataFrame, collective: str, methods: Sequence[Method] | None = None) -> TrainingData:
    """Return the instances of a profile (communicator_size, message_size) and what each method costs there, for learners.

    ``methods`` gives the columns of costs another order than by segment size and name, or fewer. Learners take the first of equal costs, so
    the methods of a quadtree or an optimal tree of the profile break ties as the program does. A cost is infinite where the method cannot
    run. The other parameters are those of ``point_times``.

    Examples
    --------
    >>> X, costs, methods = colltree.training_data(profile, "bcast")
    """
    matrix = _known_candidates(profile, collective)
    chosen = list[Any](matrix.columns if methods is None else methods)
    costs = np.column_stack([_times_of(matrix, [method] * len(matrix)) for method in chosen])
    costs[np.isnan(costs)] = np.inf
    return TrainingData(matrix.index.to_frame(index=False), costs, chosen)


def penalties(profile: pd.DataFrame, collective: str, model: Model | None = None) -> pd.DataFrame:
    """Return the performance penalty of a model, or without one of the library's own choice, at each instance that ``best_methods`` returns.

    Returns
    -------
    DataFrame
        communicator_size, message_size (bytes), algorithm and segment_size (the choice), time_us (missing: the choice has no time there, so it
        cannot run), best_us and penalty, a fraction: (time_us - best_us) / best_us.

    Examples
    --------
    >>> colltree.penalties(profile, "bcast", model).penalty.mean()
    """
    every = _matrix(point_times(profile, collective))
    candidates = _candidates(every, profile)
    if candidates.empty:
        raise Error(f"only the library's own choice was measured for {collective}; measure other methods")
    every = every.loc[candidates.index]
    frame = every.index.to_frame(index=False)
    if model is None:
        default = Method(DEFAULT, None)
        if default not in list[Any](every.columns):
            raise Error(f"the library's own choice was not measured for {collective}; give a model, or measure the method default")
        chosen = [default] * len(frame)
    else:
        placed = with_placement(frame, profile, collective)
        placement = {name: placed[name].to_numpy() for name in PLACEMENT}
        index = model.decide_index(collective, frame["communicator_size"].to_numpy(), frame["message_size"].to_numpy(), **placement)
        chosen = [model.methods[i] for i in index]
    time_us = _times_of(every, chosen)
    best_us = np.fmin(np.nanmin(candidates.to_numpy(), axis=1), time_us)
    return with_methods(frame, chosen).assign(time_us=time_us, best_us=best_us, penalty=time_us / best_us - 1)


def with_placement(frame: pd.DataFrame, profile: pd.DataFrame, collective: str) -> pd.DataFrame:
    """Return the instances with the columns nodes and ranks_per_node, 0 where they are not known."""
    rows = profile.loc[profile["collective"] == collective, [*_INSTANCE, *PLACEMENT]].dropna().drop_duplicates(_INSTANCE)
    found = frame.merge(rows, on=_INSTANCE, how="left")
    return found.assign(**{name: found[name].fillna(0).astype(np.int64) for name in PLACEMENT})
