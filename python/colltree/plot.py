# SPDX-License-Identifier: BSD-3-Clause
"""Pictures by matplotlib: decision maps, penalties, times, trees and studies. Each function draws into one ``Axes`` and returns it.

Methods have the colours of Okabe and Ito, which differ for every colour vision, and hatches where several methods share a colour. The default
size fits one column of a paper (3.4 inches wide).
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection
from matplotlib.patches import Patch, Rectangle

from ._curves import campaign_cost, limit_lines, penalty_by_leaves
from ._style import LINE_COLOURS, MARKERS, method_label, new_axes, styles, tick_text
from ._tree_figure import tree
from .errors import Error
from .model import Method, Model
from .penalty import best_methods, penalties, point_times

__all__ = ["campaign_cost", "decision_map", "limit_lines", "method_label", "penalty_by_leaves", "penalty_map", "styles", "times", "tree"]
STEPS = (0.05, 0.10, 0.25, 0.50)  # of the penalty, as the program draws them
_PENALTY_COLOURS = ("#FFFFFF", "#FDE0B0", "#E69F00", "#B04A00", "#4A1400")
_NOT_MEASURED = "#D8D8D8"
_CANNOT_RUN = "#CC79A7"


def _legend_beside(ax: Axes, handles: list[Patch], length: float, height: float) -> None:
    ax.legend(handles=handles, fontsize=6, loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, handlelength=length, handleheight=height)


def _log_size(message_size: Any) -> Any:
    """Return the place of a message size on the axis; an empty message counts as half a byte."""
    return np.log2(np.maximum(np.asarray(message_size, dtype=float), 0.5))


class _Grid:
    """The cells of a map: message sizes from left to right (logarithmic), communicator sizes upwards; a cell ends half way to the next."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.message_sizes = np.unique(frame["message_size"].to_numpy(np.int64))
        self.communicator_sizes = np.unique(frame["communicator_size"].to_numpy(np.int64))
        self._x = self._edges(_log_size(self.message_sizes))
        self._y = self._edges(np.log2(self.communicator_sizes))

    @staticmethod
    def _edges(centres: Any) -> Any:
        half = np.diff(centres) / 2 if len(centres) > 1 else np.array([0.5])
        return np.concatenate([[centres[0] - half[0]], centres[:-1] + half[: len(centres) - 1], [centres[-1] + half[-1]]])

    def rectangle(self, communicator_size: int, message_size: int) -> Rectangle:
        i = int(np.searchsorted(self.message_sizes, message_size))
        j = int(np.searchsorted(self.communicator_sizes, communicator_size))
        return Rectangle((self._x[i], self._y[j]), self._x[i + 1] - self._x[i], self._y[j + 1] - self._y[j])

    def rectangles(self, frame: pd.DataFrame) -> list[Rectangle]:
        return [self.rectangle(*pair) for pair in zip(frame["communicator_size"], frame["message_size"], strict=True)]

    def draw(self, ax: Axes, rectangles: list[Rectangle], colour: str, hatch: str, label: str) -> None:
        if rectangles:
            ax.add_collection(PatchCollection(rectangles, facecolor=colour, hatch=hatch, edgecolor="#00000090", linewidth=0.2, label=label))

    def finish(self, ax: Axes) -> None:
        """Set the limits and a tick for some of the sizes on each axis."""
        for sizes, places, axis in (
            (self.message_sizes, _log_size(self.message_sizes), ax.xaxis),
            (self.communicator_sizes, np.log2(self.communicator_sizes), ax.yaxis),
        ):
            kept = _spread(places, 6)
            axis.set_ticks(places[kept], [tick_text(size) for size in sizes[kept]], fontsize=7)
        ax.set_xlim(self._x[0], self._x[-1])
        ax.set_ylim(self._y[0], self._y[-1])
        ax.set_facecolor(_NOT_MEASURED)
        ax.set_xlabel("message size [bytes]")
        ax.set_ylabel("communicator size [ranks]")


def _spread(places: Any, most: int) -> list[int]:
    """Return the indices of at most ``most`` places with a distance that leaves room for a label."""
    least = (places[-1] - places[0]) / most
    kept = [0]
    for i in range(1, len(places)):
        if places[i] - places[kept[-1]] >= least * 0.999:
            kept.append(i)
    return kept


def decision_map(
    profile: pd.DataFrame,
    collective: str,
    *,
    model: Model | None = None,
    ax: Axes | None = None,
    most_named: int = 10,
    looks: Mapping[Method, tuple[str, str]] | None = None,
) -> Axes:
    """Draw the best method of each instance, or with a model the model's choice.

    Parameters
    ----------
    profile : DataFrame
        Timings of one system (``read_profile``), or a decision map (``read_map``), which gives the instances.
    collective : str
        Its name.
    model : Model, optional
        Draw what this model chooses.
    ax : Axes, optional
        Where to draw; a new figure for one column of a paper if it is not given.
    most_named : int
        Number of methods in the legend, those with most instances first; the rest is counted. 0: no legend.
    looks : mapping, optional
        A colour and a hatch for each method, as ``styles`` returns them, so that several maps agree.

    Returns
    -------
    Axes

    Raises
    ------
    Error
        The profile holds no times of the collective, or several systems or placements; the model does not decide for the collective.

    Examples
    --------
    >>> colltree.plot.decision_map(profile, "bcast", model=model).figure.savefig("map.pdf")
    """
    if "origin" in profile:
        frame = profile[profile["collective"] == collective].copy()
        if frame.empty:
            raise Error(f"the map holds no {collective}; it holds {', '.join(sorted(profile['collective'].unique()))}")
        if model is not None:
            frame = _chosen(frame, model, collective)
    else:
        frame = best_methods(profile, collective) if model is None else penalties(profile, collective, model)
    segments = frame["segment_size"].astype(object).where(frame["segment_size"].notna(), None)
    methods = [Method(*pair) for pair in zip(frame["algorithm"], segments, strict=True)]
    by_count = pd.Series(methods, dtype=object).map(method_label).value_counts()
    order = sorted(set(methods), key=lambda method: (-by_count[method_label(method)], method_label(method)))
    look = {method: looks[method] for method in order} if looks else styles(order)
    grid, ax = _Grid(frame), new_axes(ax)
    cells = grid.rectangles(frame)
    for method, (colour, hatch) in look.items():
        grid.draw(ax, [cell for cell, chosen in zip(cells, methods, strict=True) if chosen == method], colour, hatch, method_label(method))
    grid.finish(ax)
    named = order[:most_named]
    handles = [Patch(facecolor=look[one][0], hatch=look[one][1], edgecolor="#00000090", linewidth=0.2, label=method_label(one)) for one in named]
    if len(order) > most_named:
        handles.append(Patch(facecolor="none", edgecolor="none", label=f"and {len(order) - most_named} others"))
    if most_named > 0:
        _legend_beside(ax, handles, 2.5, 1.4)
    ax.set_title(f"{collective}: {'best method' if model is None else f'choice of {model.path.name}'}", fontsize=8)
    return ax


def _chosen(frame: pd.DataFrame, model: Model, collective: str) -> pd.DataFrame:
    index = model.decide_index(collective, frame["communicator_size"].to_numpy(np.int64), frame["message_size"].to_numpy(np.int64))
    segments = pd.array([model.methods[i].segment_size for i in index], dtype="Int64")
    return frame.assign(algorithm=[model.methods[i].algorithm for i in index], segment_size=segments)


def penalty_map(profile: pd.DataFrame, collective: str, *, model: Model | None = None, ax: Axes | None = None) -> Axes:
    """Draw where a model loses, or without one where the library's own choice loses.

    White is below 5 %, with darker steps at 10, 25 and 50 %; grey was not measured, and crosses mark where the choice cannot run.

    Parameters
    ----------
    profile : DataFrame
        Timings of one system (``read_profile``).
    collective : str
        Its name.
    model : Model, optional
        The model to judge.
    ax : Axes, optional
        Where to draw; a new figure for one column of a paper if it is not given.

    Returns
    -------
    Axes

    Raises
    ------
    Error
        As ``penalties``.

    Examples
    --------
    >>> colltree.plot.penalty_map(profile, "bcast")
    """
    frame = penalties(profile, collective, model)
    step = np.where(frame["penalty"].isna(), -1, np.searchsorted(STEPS, frame["penalty"].to_numpy(), side="right"))
    grid, ax = _Grid(frame), new_axes(ax)
    cells = grid.rectangles(frame)
    edges = [f"{100 * value:.0f}" for value in STEPS]
    names = [f"below {edges[0]} %", *(f"{a} to {b} %" for a, b in zip(edges, edges[1:], strict=False)), f"{edges[-1]} % and more"]
    looks = {i: (colour, "", name) for i, (colour, name) in enumerate(zip(_PENALTY_COLOURS, names, strict=True))}
    looks[-1] = (_CANNOT_RUN, "xxx", "cannot run")
    for value, (colour, hatch, label) in looks.items():
        grid.draw(ax, [cell for cell, found in zip(cells, step, strict=True) if found == value], colour, hatch, label)
    grid.finish(ax)
    shown = [look for value, look in looks.items() if value >= 0 or (step == -1).any()]
    handles = [Patch(facecolor=colour, hatch=hatch, edgecolor="#00000090", linewidth=0.4, label=name) for colour, hatch, name in shown]
    _legend_beside(ax, handles, 2.0, 1.2)
    judged = "the library's own choice" if model is None else model.path.name
    ax.set_title(f"{collective}: penalty of {judged},\nmean {100 * frame['penalty'].mean():.2g} %", fontsize=8)
    return ax


def times(profile: pd.DataFrame, collective: str, communicator_size: int, *, methods: Iterable[Method] | None = None, ax: Axes | None = None) -> Axes:
    """Draw times against message size, with 95 % confidence intervals of the medians where there are at least six samples.

    Parameters
    ----------
    profile : DataFrame
        Timings of one system (``read_profile``).
    collective : str
        Its name.
    communicator_size : int
        Ranks.
    methods : iterable of Method, optional
        What to draw; by default the methods that are best at some message size, at most eight, and the library's own choice.
    ax : Axes, optional
        Where to draw; a new figure for one column of a paper if it is not given.

    Returns
    -------
    Axes

    Raises
    ------
    Error
        As ``point_times``; or nothing was measured with this communicator size.

    Examples
    --------
    >>> colltree.plot.times(profile, "bcast", 8)
    """
    points = point_times(profile, collective)
    held = sorted(points["communicator_size"].unique())
    points = points[points["communicator_size"] == communicator_size]
    if points.empty:
        raise Error(f"the profile holds no {collective} on {communicator_size} ranks; it holds {', '.join(str(size) for size in held)}")
    rows = profile[(profile["collective"] == collective) & (profile["communicator_size"] == communicator_size)]
    chosen = _telling_methods(points) if methods is None else [Method(*method) for method in methods]
    ax = new_axes(ax)
    for i, method in enumerate(chosen):
        line = _of_method(points, method).sort_values("message_size")
        samples = _of_method(rows[rows["kind"] == "measured"], method).groupby("message_size")["time_us"]
        ends = [_median_interval(samples.get_group(size)) if size in samples.groups else (np.nan, np.nan) for size in line["message_size"]]
        around = np.abs(np.array(ends).T - line["time_us"].to_numpy())
        is_default = method.algorithm == "default"
        ax.errorbar(
            np.maximum(line["message_size"].to_numpy(float), 0.5),
            line["time_us"],
            yerr=np.nan_to_num(around),
            label=method_label(method),
            color="black" if is_default else LINE_COLOURS[i % len(LINE_COLOURS)],
            linestyle="--" if is_default else "-",
            marker=MARKERS[i % len(MARKERS)],
            markersize=3,
            linewidth=1,
            capsize=1.5,
        )
    ax.set_xscale("log", base=2)
    ax.set_yscale("log")
    sizes = np.unique(points["message_size"].to_numpy())
    kept = _spread(_log_size(sizes), 6)
    ax.set_xticks(np.maximum(sizes[kept], 0.5), [tick_text(size) for size in sizes[kept]], fontsize=7)
    ax.set_xlabel("message size [bytes]")
    ax.set_ylabel("time [µs]")
    ax.set_title(f"{collective} on {communicator_size} ranks", fontsize=8)
    ax.legend(fontsize=6, frameon=False)
    return ax


def _of_method(frame: pd.DataFrame, method: Method) -> pd.DataFrame:
    segment = frame["segment_size"]
    same = segment.isna() if method.segment_size is None else (segment == method.segment_size).fillna(False)
    return frame[(frame["algorithm"] == method.algorithm) & same.astype(bool)]


def _telling_methods(points: pd.DataFrame) -> list[Method]:
    """Return the methods that are best at some message size, at most eight, and the library's own choice last."""
    candidates = points[points["algorithm"] != "default"]
    best = candidates.sort_values(["message_size", "time_us"]).drop_duplicates("message_size")
    segments = best["segment_size"].astype(object).where(best["segment_size"].notna(), None)
    counted = pd.Series(1, index=range(len(best))).groupby([best["algorithm"].to_numpy(), segments.fillna(-1).to_numpy()]).sum()
    chosen = [Method(algorithm, None if segment == -1 else int(segment)) for algorithm, segment in counted.sort_values(ascending=False).index]
    default = [Method("default", None)] if (points["algorithm"] == "default").any() else []
    return chosen[:8] + default


def _median_interval(samples: pd.Series) -> tuple[float, float]:
    """Return the order statistics that enclose the median with at least 95 % confidence, missing for fewer than six samples."""
    values = np.sort(samples.to_numpy(float))
    n = len(values)
    below, outside = 0, 0.5**n
    if n < 6 or 2 * outside > 0.05:
        return np.nan, np.nan
    term = 0.5**n
    while True:
        term *= (n - below) / (below + 1)
        if 2 * (outside + term) > 0.05:
            return float(values[below]), float(values[n - 1 - below])
        outside += term
        below += 1
