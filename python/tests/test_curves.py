# SPDX-License-Identifier: BSD-3-Clause
"""Trees and lines of penalties hold the figures of what they draw."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from conftest import Tool
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

import colltree
from colltree import plot
from colltree._tree import Tree
from colltree._tree_figure import _lay_out


@pytest.fixture(autouse=True)
def close_figures() -> object:
    yield
    plt.close("all")


def texts(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.texts]


def drawn(ax: Axes) -> dict[str, list[tuple[float, float]]]:
    return {line.get_label(): list(zip(line.get_xdata(), line.get_ydata(), strict=True)) for line in ax.lines}


def tick_texts(ax: Axes) -> list[str]:
    return [label.get_text() for label in ax.get_yticklabels()]


CURVES = pd.DataFrame(
    [
        ("optimal", "mean", 1, 0.5, 0.5),
        ("optimal", "mean", 2, 0.02, 0.01),
        ("optimal", "mean", 4, 0.0, 0.0),
        ("C4.5", "mean", 1, 0.6, np.nan),
        ("C4.5", "mean", 3, 0.00005, np.nan),
    ],
    columns=["curve", "objective", "leaves", "value", "lower_bound"],
)


def test_penalty_by_leaves() -> None:
    ax = plot.penalty_by_leaves(CURVES)
    zero = 0.001
    lines = drawn(ax)
    assert lines["optimal"] == [(1, 0.5), (2, 0.02), (4, zero)] and lines["C4.5"] == [(1, 0.6), (3, zero)]
    assert lines["optimal: no tree is below"][1] == (2, 0.01) and "C4.5: no tree is below" not in lines
    assert tick_texts(ax) == ["0", "1 %", "10 %", "100 %"]
    assert ax.lines[0].get_drawstyle() == "steps-post" and ax.lines[-1].get_drawstyle() == "default"
    time = plot.penalty_by_leaves(CURVES.assign(objective="time"))
    assert time.get_ylabel() == "mean time [µs]" and drawn(time)["optimal"] == [(1, 0.5), (2, 0.02), (4, 0.0)]
    with pytest.raises(colltree.Error, match="objectives mean and time have no common axis"):
        plot.penalty_by_leaves(CURVES.assign(objective=["mean"] * 3 + ["time"] * 2))
    with pytest.raises(colltree.Error, match="the frame has no lower_bound; it must be one of study.leaves"):
        plot.penalty_by_leaves(CURVES.drop(columns="lower_bound"))


def test_limit_lines() -> None:
    rows = pd.DataFrame(
        {"max_depth_limit": [0, 1, 2], "accuracy_threshold": [0.5, 0.8, 1], "mean_depth": [0, 1, 1.5], "penalty_mean": [0.3, 0.02, 0]}
    )
    ax = plot.limit_lines({"bcast": rows, "reduce": rows}, "accuracy_threshold")
    assert drawn(ax)["reduce"] == [(50, 0.3), (80, 0.02), (100, 0.001)] and ax.get_ylabel() == "mean performance penalty"
    depth = plot.limit_lines({"bcast": rows}, "max_depth_limit", "mean_depth")
    assert drawn(depth)["bcast"] == [(0, 0), (1, 1), (2, 1.5)] and depth.get_xlabel() == "depth limit"
    with pytest.raises(colltree.Error, match="the frame has no penalty_p95"):
        plot.limit_lines({"bcast": rows}, "mean_depth", ["penalty_p95"])


def test_campaign_cost() -> None:
    rows = [("g", seed, way, share, 10.0 * seed / share, 1.0) for way in ("adaptive", "random") for seed in (1, 2, 3) for share in (1, 5)]
    replay = pd.DataFrame(rows, columns=["grid", "seed", "way", "share_of_time", "penalty", "expected"])
    lines = drawn(plot.campaign_cost(replay))
    assert lines["adaptive"] == lines["random cells"] == [(1, 0.2), (5, 0.04)]
    assert lines["expected by the campaign"] == [(1, 0.01), (5, 0.01)] and "coarse grid" not in lines
    with pytest.raises(colltree.Error, match="the replay holds g, h; name one of these grids"):
        plot.campaign_cost(pd.concat([replay, replay.assign(grid="h")]))


def test_tree(tool: Tool, grig: Path, optimal: Path) -> None:
    model = colltree.read_model(optimal)
    ax = plot.tree(model)
    assert texts(ax).count("yes") == texts(ax).count("no") == 5
    leaves = [text for text in texts(ax) if "≤" not in text and text not in ("yes", "no")]
    assert sorted(leaves) == ["binomial, 16K", "linear", "linear", "pipeline, 1K", "split_binary", "split_binary, 1K"]
    assert "message ≤ 1715 B" in texts(ax) and "ranks ≤ 4" in texts(ax) and ax.get_title() == "bcast: optimal.json"
    # Every text lies within the picture.
    ax.figure.canvas.draw()
    assert all(ax.figure.bbox.contains(*corner) for text in ax.texts for corner in text.get_window_extent().corners())
    _, given = plt.subplots(figsize=(2, 1))
    assert plot.tree(model, "bcast", merge=False, ax=given) is given
    tool("fit", "quadtree", grig, "--collective", "bcast,reduce", "-o", "octree.json")
    octree = colltree.read_model(tool.folder / "octree.json")
    with pytest.raises(colltree.Error, match="decides for bcast, reduce; name one of these collectives"):
        plot.tree(octree)
    assert len(texts(plot.tree(octree, "reduce"))) < len(texts(plot.tree(octree, "reduce", merge=False)))


def test_texts_of_tests() -> None:
    columns = {"attribute": [4, 1, -1, -1, -1], "threshold": [0, 8192, 0, 0, 0], "low": [1, 2, -1, -1, -1], "high": [4, 3, -1, -1, -1]}
    arrays = {name: np.array(values) for name, values in columns.items()}
    found = Tree(method=np.array([-1, -1, 0, 1, 1]), root=0, **arrays)
    root, rows = _lay_out(found, [colltree.Method("a", 0), colltree.Method("b", 1024)], 0, 0, 0)
    assert (root.text, root.branches, rows) == ("power of two?", ("no", "yes"), 3)
    low, high = root.children
    assert (low.text, low.branches, low.row, root.row) == ("message ≤ 8K", ("yes", "no"), 0.5, 1.25)
    assert [child.text for child in low.children] == ["a", "b, 1K"] and (high.text, high.row) == ("b, 1K", 2)


def test_trees_that_cannot_be_drawn(tool: Tool, optimal: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool("emit", "table", optimal, "-o", "table.cdt")
    with pytest.raises(colltree.Error, match="holds a table for bcast and no tree"):
        plot.tree(colltree.read_model(tool.folder / "table.cdt"))
    monkeypatch.setattr("colltree._tree_figure.MOST_LEAVES", 5)
    with pytest.raises(colltree.Error, match="this tree has more than 5 leaves, too many to draw"):
        plot.tree(colltree.read_model(optimal))
