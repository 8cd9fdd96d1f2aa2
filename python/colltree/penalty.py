# SPDX-License-Identifier: BSD-3-Clause
"""Times of cells, best methods and performance penalties of a frame that ``read_profile`` returned (docs/glossary.md)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from ._timings import Timings, arrange, fastest_of
from .errors import Error
from .model import DEFAULT, Method, Model, with_methods

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


def _timings(profile: pd.DataFrame, collective: str) -> Timings:
    """Return the times as arrays, without the program's catalogue of methods: ties go by segment size and then by name."""
    cells = with_placement(point_times(profile, collective), profile, collective).fillna({"segment_size": -1})
    cells = cells.assign(is_predicted=cells["predicted"], low_us=np.nan, high_us=np.nan)
    # In a simulated system the library's own choice is for comparison only.
    is_simulated = bool((profile["provenance"] == "simulated").any())
    timings = arrange(cells, collective, default_is_method=not is_simulated, has_catalogue=False)
    if timings.instances.empty:
        raise Error(f"only the library's own choice was measured for {collective}; measure other methods")
    return timings


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
    timings = _timings(profile, collective)
    first = fastest_of(timings.time_us)
    frame = with_methods(timings.instances[_INSTANCE], [timings.methods[i] for i in first])
    return frame.assign(time_us=timings.time_us[np.arange(len(first)), first])


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
    timings = _timings(profile, collective)
    chosen = list(timings.methods if methods is None else methods)
    costs = np.column_stack([timings.times_of(method) for method in chosen])
    return TrainingData(timings.instances[_INSTANCE], np.where(np.isnan(costs), np.inf, costs), chosen)


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
    timings = _timings(profile, collective)
    if model is None and np.isnan(timings.default_us).all():
        raise Error(f"the library's own choice was not measured for {collective}; give a model, or measure the method default")
    chosen = timings.chosen_by(model) if model else [Method(DEFAULT, None)] * len(timings.instances)
    _, time_us, _ = timings.run_of(chosen)
    best_us = np.fmin(timings.least_us(), time_us)
    return with_methods(timings.instances[_INSTANCE], chosen).assign(time_us=time_us, best_us=best_us, penalty=time_us / best_us - 1)


def with_placement(frame: pd.DataFrame, profile: pd.DataFrame, collective: str) -> pd.DataFrame:
    """Return the instances with the columns nodes and ranks_per_node, 0 where they are not known."""
    rows = profile.loc[profile["collective"] == collective, [*_INSTANCE, *PLACEMENT]].dropna().drop_duplicates(_INSTANCE)
    found = frame.merge(rows, on=_INSTANCE, how="left")
    return found.assign(**{name: found[name].fillna(0).astype(np.int64) for name in PLACEMENT})
