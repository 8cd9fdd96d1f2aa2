# SPDX-License-Identifier: BSD-3-Clause
"""Pictures by matplotlib: decision maps, penalties, times, trees and studies. Each function draws into one ``Axes`` and returns it.

Methods have the colours of Okabe and Ito, which differ for every colour vision, and hatches where several methods share a colour.
``collective`` is a name, and ``ax`` says where to draw: a new figure for one column of a paper (3.4 inches wide) if it is not given.
``python3 -m colltree.plot`` draws whole pictures and writes them to files.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.path import Path
from matplotlib.transforms import Bbox

from .._curves import campaign_cost, limit_lines, penalty_by_leaves
from .._style import LINE_COLOURS, MARKERS, ink, is_dark, label_axes, method_label, new_axes, styles, tick_text
from .._timings import medians
from .._tree_figure import tree
from ..errors import Error
from ..model import Method, Model, effective_method, methods_of, with_methods
from ..penalty import PLACEMENT, best_methods, penalties, point_times, with_placement

__all__ = ["campaign_cost", "decision_map", "limit_lines", "method_label", "penalty_by_leaves", "penalty_map", "styles", "times", "tree"]
STEPS = (0.05, 0.10, 0.25, 0.50)  # of the penalty, as the program draws them
_PENALTY_COLOURS = ("#FFFFFF", "#FDE0B0", "#E69F00", "#B04A00", "#4A1400")
_DARK_PENALTY_COLOURS = ("#000000", "#4A1400", "#B04A00", "#E69F00", "#FDE0B0")
_CANNOT_RUN = "#CC79A7"
Looks: TypeAlias = Mapping[Method, tuple[str, str]]  # a colour and a hatch for each method


def patches(looks: Mapping[str, tuple[str, str]]) -> list[Patch]:
    """Return the entries of a legend of areas: a colour and a hatch for each name."""
    return [Patch(facecolor=look[0], hatch=look[1], edgecolor="#00000090", linewidth=0.2, label=name) for name, look in looks.items()]


def _legend_beside(ax: Axes, handles: list[Patch]) -> None:
    ax.legend(handles=handles, fontsize=6, loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, handlelength=2.5, handleheight=1.4)


def legend_below(figure: Figure, handles: Sequence[Any]) -> None:
    """Draw one legend for all panels of a figure."""
    columns = max(2, int(figure.get_figwidth() / 1.2))
    place: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.5, 0), "ncol": columns}
    figure.legend(handles=handles, fontsize=6, frameon=False, handlelength=2.5, handleheight=1.4, **place)


def _log_size(message_size: Any) -> Any:
    """Return the place of a message size on the axis; an empty message counts as half a byte."""
    return np.log2(np.maximum(np.asarray(message_size, dtype=float), 0.5))


class _Grid:
    """The cells of a map: message sizes from left to right (logarithmic), communicator sizes upwards; a cell ends half way to the next."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.message_sizes = np.unique(frame["message_size"].to_numpy(np.int64))
        self.communicator_sizes = sizes = np.unique(frame["communicator_size"].to_numpy(np.int64))
        grows_by_factors = len(sizes) < 3 or 2 * (sizes[1:] >= 1.4 * sizes[:-1]).sum() > len(sizes) - 1
        self.ranks = np.log2(sizes) if grows_by_factors else sizes.astype(float)
        self._x = self._edges(_log_size(self.message_sizes))
        self._y = self._edges(self.ranks)

    @staticmethod
    def _edges(centres: Any) -> Any:
        half = np.diff(centres) / 2 if len(centres) > 1 else np.array([0.5])
        return np.concatenate([[centres[0] - half[0]], centres[:-1] + half[: len(centres) - 1], [centres[-1] + half[-1]]])

    def places(self, frame: pd.DataFrame) -> tuple[Any, Any]:
        """Return the indices of the columns and rows of the cells."""
        return np.searchsorted(self.message_sizes, frame["message_size"]), np.searchsorted(self.communicator_sizes, frame["communicator_size"])

    def draw(self, ax: Axes, frame: pd.DataFrame, colour: str, hatch: str, label: str) -> None:
        """Draw the cells of these instances."""
        if frame.empty:
            return
        # Lines around more cells than these would hide their colours, and neighbours in a row become one rectangle.
        is_fine = len(self.message_sizes) * len(self.communicator_sizes) > 150
        runs: list[list[int]] = []
        for row, column in sorted(zip(*reversed(self.places(frame)), strict=True)):
            if is_fine and runs and runs[-1][0] == row and runs[-1][2] == column:
                runs[-1][2] += 1
            else:
                runs.append([row, column, column + 1])
        x, y = self._x, self._y
        boxes = [Bbox.from_extents(x[first], y[row], x[end], y[row + 1]).corners()[[0, 1, 3, 2, 0]] for row, first, end in runs]
        paths = [Path(box, closed=True) for box in boxes]
        look: dict[str, Any] = {"linewidth": 0, "antialiased": False} if is_fine else {"linewidth": 0.2}
        drawn = [Path.make_compound_path(*paths)] if is_fine else paths
        ax.add_collection(PathCollection(drawn, facecolor=colour, hatch=hatch, edgecolor="#00000090", label=label, **look))

    def draw_dots(self, ax: Axes, frame: pd.DataFrame) -> None:
        """Mark these cells, whose times were not measured."""
        columns, rows = self.places(frame)
        ax.plot(_log_size(self.message_sizes)[columns], self.ranks[rows], "k.", markersize=1.5, label="interpolated or predicted")

    def finish(self, ax: Axes) -> None:
        """Set the limits and a tick for some of the sizes on each axis."""
        x = (self.message_sizes, _log_size(self.message_sizes), ax.xaxis)
        for sizes, places, axis in (x, (self.communicator_sizes, self.ranks, ax.yaxis)):
            kept = _spread(places)
            axis.set_ticks(places[kept], [tick_text(size) for size in sizes[kept]], fontsize=7)
        ax.set_xlim(self._x[0], self._x[-1])
        ax.set_ylim(self._y[0], self._y[-1])
        ax.set_facecolor("#4A4E58" if is_dark() else "#D8D8D8")  # not measured
        label_axes(ax, "message size [bytes]", "communicator size [ranks]")


def _spread(places: Any) -> list[int]:
    """Return the indices of at most six places with a distance that leaves room for a label."""
    least = (places[-1] - places[0]) / 6
    kept = [0]
    for i in range(1, len(places)):
        if places[i] - places[kept[-1]] >= least * 0.999:
            kept.append(i)
    return kept


def decision_map(
    profile: pd.DataFrame, collective: str, *, model: Model | None = None, ax: Axes | None = None, most_named: int = 10, looks: Looks | None = None
) -> Axes:
    """Draw the best method of each instance, or with a model the model's choice.

    Parameters
    ----------
    profile : DataFrame
        Timings of one system (``read_profile``), or a decision map (``read_map``), which gives the instances.
    model : Model, optional
        Draw what this model chooses.
    most_named : int
        Number of methods in the legend, those with most instances first; the rest is counted. 0: no legend.
    looks : mapping, optional
        A colour and a hatch for each method, as ``styles`` returns them, so that several maps agree.

    Returns
    -------
    Axes
        A cell shows the method that really runs there: binomial in segments of 1 K is binomial for a message of 64 bytes. Dots mark the
        points of a decision map that were not measured.

    Examples
    --------
    >>> colltree.plot.decision_map(profile, "bcast", model=model).figure.savefig("map.pdf")
    """
    is_map = "origin" in profile
    frame = profile[profile["collective"] == collective] if is_map else best_methods(profile, collective)
    if frame.empty:
        raise Error(f"the map holds no {collective}; it holds {', '.join(sorted(profile['collective'].unique()))}")
    if model is not None:
        frame = chosen_methods(frame if is_map else with_placement(frame, profile, collective), model, collective)
    methods = methods_of(frame)
    by_count = pd.Series(methods, dtype=object).map(method_label).value_counts()
    order = sorted(set(methods), key=lambda method: (-by_count[method_label(method)], method_label(method)))
    look = {method: looks[method] for method in order} if looks else styles(order)
    grid, ax = _Grid(frame), new_axes(ax)
    for method, (colour, hatch) in look.items():
        grid.draw(ax, frame[[chosen == method for chosen in methods]], colour, hatch, method_label(method))
    if model is None and is_map and len(dotted := frame[frame["origin"] != "measured"]):
        grid.draw_dots(ax, dotted)
    grid.finish(ax)
    if most_named > 0:
        rest = [Patch(facecolor="none", edgecolor="none", label=f"and {len(order) - most_named} others")] if len(order) > most_named else []
        _legend_beside(ax, patches({method_label(method): look[method] for method in order[:most_named]}) + rest)
    ax.set_title(f"{collective}: {'best method' if model is None else f'choice of {model.path.name}'}", fontsize=8)
    return ax


def chosen_methods(frame: pd.DataFrame, model: Model, collective: str) -> pd.DataFrame:
    """Return the instances with what really runs there when the model chooses."""
    sizes = [frame[name].to_numpy(np.int64) for name in ("communicator_size", "message_size")]
    index = model.decide_index(collective, *sizes, **{name: frame[name].to_numpy(np.int64) for name in PLACEMENT if name in frame})
    instances = zip(index.tolist(), *(column.tolist() for column in sizes), strict=True)
    return with_methods(frame, [effective_method(model.methods[i], *pair) for i, *pair in instances])


def penalty_looks() -> dict[str, tuple[str, str]]:
    """Return the steps of penalty maps and what cannot run, each with its colour and hatch."""
    edges = [f"{100 * value:.0f}" for value in STEPS]
    names = [f"below {edges[0]} %", *(f"{a} to {b} %" for a, b in zip(edges, edges[1:], strict=False)), f"{edges[-1]} % and more"]
    colours = _DARK_PENALTY_COLOURS if is_dark() else _PENALTY_COLOURS
    return {**{name: (colour, "") for name, colour in zip(names, colours, strict=True)}, "cannot run": (_CANNOT_RUN, "xxx")}


def penalty_map(
    profile: pd.DataFrame, collective: str, *, model: Model | None = None, ax: Axes | None = None, looks: Mapping[str, tuple[str, str]] | None = None
) -> Axes:
    """Draw where a model loses, or without one where the library's own choice loses.

    White is below 5 %, with darker steps at 10, 25 and 50 % (on a dark page the reverse); grey was not measured, and crosses mark where the
    choice cannot run.

    Parameters
    ----------
    profile : DataFrame
        Timings of one system (``read_profile``), or penalties at instances (``penalties``), which are drawn.
    model : Model, optional
        The model to judge.
    looks : mapping, optional
        What ``penalty_looks`` returned, for several maps with one legend, which is then not drawn.

    Examples
    --------
    >>> colltree.plot.penalty_map(profile, "bcast")
    """
    frame = profile if "penalty" in profile else penalties(profile, collective, model)
    step = np.where(frame["penalty"].isna(), -1, np.searchsorted(STEPS, frame["penalty"].to_numpy(), side="right"))
    grid, ax = _Grid(frame), new_axes(ax)
    found = looks or penalty_looks()
    for value, (label, (colour, hatch)) in zip([*range(len(STEPS) + 1), -1], found.items(), strict=True):
        grid.draw(ax, frame[step == value], colour, hatch, label)
    grid.finish(ax)
    if looks is None:
        _legend_beside(ax, patches(found)[: len(found) if (step == -1).any() else -1])
    judged = "the library's own choice" if model is None else model.path.name
    ax.set_title(f"{collective}: penalty of {judged},\nmean {100 * frame['penalty'].mean():.2g} %", fontsize=8)
    return ax


def times(profile: pd.DataFrame, collective: str, communicator_size: int, *, methods: Iterable[Method] | None = None, ax: Axes | None = None) -> Axes:
    """Draw times against message size, with 95 % confidence intervals of the medians where there are at least six samples.

    Parameters
    ----------
    profile : DataFrame
        Timings of one system (``read_profile``), or the times of points as ``point_times`` returns them, with their intervals in the columns
        low_us and high_us, which are drawn.
    communicator_size : int
        Ranks.
    methods : iterable of Method, optional
        What to draw; by default the methods that are best at some message size and the library's own choice, and the others in grey.

    Examples
    --------
    >>> colltree.plot.times(profile, "bcast", 8)
    """
    points = profile if "low_us" in profile else _with_intervals(profile, collective)
    held = sorted(points["communicator_size"].unique())
    points = points[points["communicator_size"] == communicator_size].sort_values("message_size")
    if points.empty:
        raise Error(f"the profile holds no {collective} on {communicator_size} ranks; it holds {', '.join(str(size) for size in held)}")
    measured, sizes = methods_of(points), np.maximum(points["message_size"].to_numpy(float), 0.5)
    chosen = _telling_methods(points) if methods is None else [Method(*method) for method in methods]
    ax = new_axes(ax)
    for method in sorted(set(measured) - set(chosen), key=str) if methods is None else ():
        rows = [each == method for each in measured]
        ax.plot(sizes[rows], points["time_us"][rows], label="other methods", color="#9A9DA5", linewidth=0.4, zorder=1)
    for i, method in enumerate(chosen):
        rows, is_default = [each == method for each in measured], method.algorithm == "default"
        time_us, low_us, high_us = (points[name].to_numpy(float)[rows] for name in ("time_us", "low_us", "high_us"))
        look: dict[str, Any] = {"color": ink() if is_default else LINE_COLOURS[i % len(LINE_COLOURS)], "linestyle": "--" if is_default else "-"}
        look |= {"marker": MARKERS[i % len(MARKERS)], "markersize": 3, "linewidth": 1, "capsize": 1.5, "label": method_label(method)}
        ax.errorbar(sizes[rows], time_us, yerr=np.nan_to_num(np.abs([low_us - time_us, high_us - time_us])), **look)
    ax.set_xscale("log", base=2)
    ax.set_yscale("log")
    ticks = np.unique(points["message_size"])
    ticks = ticks[_spread(_log_size(ticks))]
    ax.set_xticks(np.maximum(ticks, 0.5), [tick_text(size) for size in ticks], fontsize=7)
    ax.tick_params(axis="y", labelsize=7)
    label_axes(ax, "message size [bytes]", "time [µs]", f"{collective} on {communicator_size} ranks")
    legend(ax)
    return ax


def legend(ax: Axes) -> None:
    """Draw the legend of lines, in which lines of one name are one entry."""
    entries = dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))
    ax.legend(entries.values(), entries.keys(), fontsize=6, frameon=False)


def _with_intervals(profile: pd.DataFrame, collective: str) -> pd.DataFrame:
    """Return the times of ``point_times`` with the ends of their intervals, low_us and high_us, which are missing for few samples."""
    keys = ["communicator_size", "message_size", "algorithm", "segment_size"]
    rows = profile[(profile["collective"] == collective) & (profile["kind"] == "measured")]
    ends = medians(rows.assign(algorithm=rows["algorithm"].astype(str)), keys)
    ends.loc[ends["count"] < 6, ["low_us", "high_us"]] = np.nan
    return point_times(profile, collective).merge(ends[[*keys, "low_us", "high_us"]], on=keys, how="left")


def _telling_methods(points: pd.DataFrame) -> list[Method]:
    """Return the methods that are best at some message size, those with most sizes first, and the library's own choice last."""
    is_default = points["algorithm"] == "default"
    best = points[~is_default].sort_values(["message_size", "time_us"]).drop_duplicates("message_size")
    return [method for method, _ in Counter(methods_of(best)).most_common()] + [Method("default", None)] * bool(is_default.any())
