# SPDX-License-Identifier: BSD-3-Clause
"""Lines of penalties: against the leaves and the limits of trees, and against what an adaptive campaign spent."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, MaxNLocator

from ._style import LINE_COLOURS, MARKERS, ink, label_axes, new_axes
from .errors import Error

_LEAST = 1e-4  # a smaller penalty is drawn at the tick 0
_LABELS = {"max_depth_limit": "depth limit", "accuracy_threshold": "accuracy threshold [%]", "mean_depth": "mean depth of the tree"}
_WAYS = {"adaptive": "adaptive", "random": "random cells", "forest": "random cells, forest", "coarse": "coarse grid"}


def _need(frame: pd.DataFrame, columns: Sequence[str], source: str) -> None:
    missing = [column for column in columns if column not in frame]
    if missing or frame.empty:
        raise Error(f"the frame has no {', '.join(missing) or 'rows'}; it must be one of {source}")


def _penalty_axis(ax: Axes, penalties: Any) -> float:
    """Make the y axis one of penalties (fractions), logarithmic in decades; return the place of those that count as 0."""
    values = np.asarray(penalties, dtype=float)
    positive = values[values >= _LEAST]
    # A decade is left between the least penalty and the zero.
    low = int(np.floor(np.log10(positive.min()) + 1e-9)) if positive.size else -3
    high = max(int(np.ceil(np.log10(positive.max()) - 1e-9)) if positive.size else -2, low + 1)
    has_zero = bool((values < _LEAST).any())
    decades = [10.0**k for k in range(low - has_zero, high + 1)]
    ax.set_yscale("log")
    ax.set_yticks(decades, ["0" if has_zero and decade == decades[0] else f"{100 * decade:.6g} %" for decade in decades])
    ax.yaxis.set_minor_locator(FixedLocator([digit * decade for decade in decades[has_zero:-1] for digit in range(2, 10)]))
    ax.yaxis.set_tick_params(which="minor", labelleft=False)
    ax.set_ylim(decades[0] / 1.3, decades[-1] * 1.1)
    return decades[0] if has_zero else 0.0


def _draw_line(ax: Axes, index: int, x: Any, y: Any, label: str, **options: Any) -> None:
    look = {"color": LINE_COLOURS[(3 + index) % len(LINE_COLOURS)], "marker": MARKERS[index % len(MARKERS)], "markersize": 3, "linewidth": 1}
    ax.plot(x, y, label=label, **{**look, "linestyle": "--" if index % 2 else "-", **options})


def _finish(ax: Axes, x_label: str, y_label: str, title: str = "") -> Axes:
    """Set labels, grid and legend, when all lines are drawn."""
    label_axes(ax, x_label, y_label, title)
    ax.tick_params(labelsize=7)
    ax.grid(True, color=ink(), alpha=0.12, linewidth=0.5)
    ax.set_axisbelow(True)
    ax.legend(fontsize=6, framealpha=0.7, edgecolor="none")
    return ax


def _logarithmic(ax: Axes, ticks: Sequence[float]) -> None:
    ax.set_xscale("log")
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.xaxis.set_minor_locator(FixedLocator([]))


def penalty_by_leaves(curves: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw the penalty of trees against their leaves, and as stairs the least that any tree of a size can lose.

    ``curves`` is what ``study.leaves`` or ``study.frontier`` returns. Dotted: a bound that no tree is below, where the search proved no more.

    Examples
    --------
    >>> colltree.plot.penalty_by_leaves(study.leaves("grig.db", collective="bcast"))  # doctest: +SKIP
    """
    _need(curves, ["curve", "objective", "leaves", "value", "lower_bound"], "study.leaves or study.frontier")
    objectives = list(dict.fromkeys(curves["objective"]))
    if len(objectives) > 1:
        raise Error(f"the objectives {' and '.join(objectives)} have no common axis; draw one figure for each")
    ax, is_time = new_axes(ax), objectives == ["time"]
    zero = 0.0 if is_time else _penalty_axis(ax, curves[["value", "lower_bound"]].stack())
    for index, (name, curve) in enumerate(curves.groupby("curve", sort=False)):
        bound = curve["lower_bound"].where(curve["lower_bound"] != curve["value"])
        stairs = {"drawstyle": "steps-post", "linewidth": 1.6} if curve["lower_bound"].notna().any() else {}
        _draw_line(ax, index, curve["leaves"], curve["value"].clip(lower=zero), str(name), **stairs)
        if bound.notna().any():
            dotted = {"drawstyle": "steps-post", "linestyle": ":", "marker": ""}
            _draw_line(ax, index, curve["leaves"], bound.clip(lower=zero), f"{name}: no tree is below", **dotted)
    _logarithmic(ax, [2.0**k for k in range(int(np.log2(curves["leaves"].max())) + 1)])
    return _finish(ax, "leaves", "mean time [µs]" if is_time else f"{objectives[0]} performance penalty", curves.attrs.get("title", ""))


def limit_lines(rows: Mapping[str, pd.DataFrame], x: str, y: str | Sequence[str] = "penalty_mean", *, ax: Axes | None = None) -> Axes:
    """Draw what limits cost quadtrees: a line for each frame, by its name in the legend.

    The frames are those of ``quadtrees`` in python/papers, which ``python3 -m colltree.study depth`` and ``threshold`` write as CSV.
    ``x`` is the column across (``"max_depth_limit"``, ``"accuracy_threshold"``, ``"mean_depth"``) and ``y`` the one upwards
    (``"penalty_median"``, ``"mean_depth"``, ...), or one for each line.

    Examples
    --------
    >>> colltree.plot.limit_lines({"bcast": pd.read_csv("threshold.csv")}, "accuracy_threshold")  # doctest: +SKIP
    """
    columns = [y] * len(rows) if isinstance(y, str) else list(y)
    for frame, column in zip(rows.values(), columns, strict=True):
        _need(frame, [x, column], "python3 -m colltree.study depth or threshold")
    ax, is_penalty = new_axes(ax), columns[0].startswith("penalty_")
    values = [frame[column] for frame, column in zip(rows.values(), columns, strict=True)]
    zero = _penalty_axis(ax, pd.concat(values)) if is_penalty else 0.0
    for index, (name, frame) in enumerate(rows.items()):
        _draw_line(ax, index, (100 if x == "accuracy_threshold" else 1) * frame[x].astype(float), values[index].clip(lower=zero), name)
    if x == "max_depth_limit":
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    what = columns[0].removeprefix("penalty_") + " " if len(set(columns)) == 1 else ""
    return _finish(ax, _LABELS.get(x, x), f"{what}performance penalty" if is_penalty else _LABELS.get(columns[0], columns[0]))


def campaign_cost(replay: pd.DataFrame, grid: str | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw what an adaptive campaign loses after a share of the measuring time, beside other ways to choose cells.

    ``replay`` is the ``replay.csv`` of ``perf/tables/make.py campaign``: grid, seed, way, share_of_time, penalty and expected (all in %).
    Lines are medians over the seeds, and shades reach from the least seed to the greatest. Dotted: what the campaign expected.

    Examples
    --------
    >>> colltree.plot.campaign_cost(pd.read_csv("replay.csv"), "grig bcast")  # doctest: +SKIP
    """
    _need(replay, ["grid", "way", "share_of_time", "penalty", "expected"], "perf/tables/make.py campaign (replay.csv)")
    held = list(dict.fromkeys(replay["grid"]))
    name = held[0] if grid is None and len(held) == 1 else grid
    if name not in held:
        raise Error(f"the replay holds {', '.join(held)}; name one of these grids")
    rows = replay[replay["grid"] == name]
    seeds = rows.groupby(["way", "share_of_time"])[["penalty", "expected"]].agg(["median", "min", "max"]) / 100
    ax = new_axes(ax)
    zero = _penalty_axis(ax, seeds["penalty"]["median"])
    seeds = seeds.clip(lower=zero)
    for index, (way, label) in enumerate(_WAYS.items()):
        if way in seeds.index:
            line = seeds.loc[way]
            _draw_line(ax, index, line.index, line["penalty"]["median"], label)
            ax.fill_between(line.index, line["penalty"]["min"], line["penalty"]["max"], color=ax.lines[-1].get_color(), alpha=0.15, linewidth=0)
            if way == "adaptive" and line["expected"].notna().to_numpy().any():
                _draw_line(ax, index, line.index, line["expected"]["median"], "expected by the campaign", linestyle=":", marker="")
    _logarithmic(ax, sorted(rows["share_of_time"].unique()))
    return _finish(ax, "share of the time of all cells [%]", "mean performance penalty", str(name))
