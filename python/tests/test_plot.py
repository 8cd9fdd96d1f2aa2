# SPDX-License-Identifier: BSD-3-Clause
"""Pictures hold the cells, colours and lines of their figures."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from conftest import Tool
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import to_hex

import colltree
from colltree import Method, plot


@pytest.fixture(autouse=True)
def close_figures() -> object:
    yield
    plt.close("all")


def cells_by_label(ax: Axes) -> dict[str, int]:
    """The number of cells with the look of each entry of the legend."""
    legend = ax.get_legend()
    handles = legend.legend_handles if hasattr(legend, "legend_handles") else legend.legendHandles  # matplotlib 3.6
    looks = {(to_hex(handle.get_facecolor()), handle.get_hatch() or ""): handle.get_label() for handle in handles}
    return {looks[(to_hex(one.get_facecolor()[0]), one.get_hatch() or "")]: len(one.get_paths()) for one in ax.collections}


def test_decision_map(tool: Tool, grig: Path, optimal: Path) -> None:
    profile, model = colltree.read_profile(grig), colltree.read_model(optimal)
    best = cells_by_label(plot.decision_map(profile, "bcast"))
    assert sum(best.values()) == 25 and best["pipeline, 1K"] == 5
    ax = plot.decision_map(profile, "bcast", model=model)
    chosen = model.decide("bcast", [[2], [3], [4], [5], [8]], [1, 64, 1024, 4096, 32768])
    labels = pd.Series([plot.method_label(Method(*pair)) for pair in zip(chosen["algorithm"], chosen["segment_size"], strict=True)])
    assert cells_by_label(ax) == labels.value_counts().to_dict()
    assert ax.get_title() == "bcast: choice of optimal.json"
    tool("show", grig, "--map", "-o", "drawn.csv")
    assert sum(cells_by_label(plot.decision_map(colltree.read_map(tool.folder / "drawn.csv"), "bcast", model=model)).values()) == 25


def test_penalty_map(grig: Path) -> None:
    profile = colltree.read_profile(grig)
    _, given = plt.subplots()
    ax = plot.penalty_map(profile, "bcast", ax=given)
    assert ax is given
    penalty = colltree.penalties(profile, "bcast")["penalty"]
    found = cells_by_label(ax)
    assert found["50 % and more"] == (penalty >= 0.5).sum() and found["below 5 %"] == (penalty < 0.05).sum()
    assert sum(found.values()) == 25


def test_times(grig: Path) -> None:
    profile = colltree.read_profile(grig)
    ax = plot.times(profile, "bcast", 8)
    labels = ax.get_legend_handles_labels()[1]
    assert labels[-1] == "default" and "pipeline, 1K" in labels
    line = next(one for one in ax.containers if one.get_label() == "linear").lines[0]
    rows = profile.query("collective == 'bcast' and communicator_size == 8 and algorithm == 'linear'")
    assert np.array_equal(line.get_ydata(), rows["time_us"]) and np.array_equal(line.get_xdata(), rows["message_size"])
    with pytest.raises(colltree.Error, match="holds no bcast on 7 ranks; it holds 2, 3, 4, 5, 8"):
        plot.times(profile, "bcast", 7)


def test_looks_differ() -> None:
    methods = [Method(f"a{i}", segment) for i in range(10) for segment in (0, 1024, 8192)]
    looks = plot.styles(methods)
    assert len(set(looks.values())) == len(methods) and looks[methods[0]][0] == looks[methods[1]][0]


def test_texts_of_sizes() -> None:
    assert [plot.tick_text(size) for size in (0, 1000, 1024, 335544, 8 << 20, 3 << 30)] == ["0", "1000", "1K", "328K", "8M", "3G"]
    assert [plot.method_label(Method("a", segment)) for segment in (None, 0, 1500, 8192)] == ["a", "a", "a, 1500", "a, 8K"]


def test_interval_of_the_median() -> None:
    """The order statistics of tables of the binomial distribution, 95 %."""
    for count, (low, high) in {6: (1, 6), 9: (2, 8), 20: (6, 15), 50: (18, 33)}.items():
        assert plot._median_interval(pd.Series(np.arange(1, count + 1))) == (low, high)
    assert np.isnan(plot._median_interval(pd.Series([1.0, 2.0, 3.0, 4.0, 5.0]))).all()


def test_profiles_that_cannot_be_drawn(grig: Path) -> None:
    profile = colltree.read_profile(grig)
    with pytest.raises(colltree.Error, match="holds several systems"):
        plot.decision_map(pd.concat([profile, profile.assign(system="other")]), "bcast")
    with pytest.raises(colltree.Error, match="holds several placements"):
        plot.decision_map(pd.concat([profile, profile.assign(nodes=1, ranks_per_node=8)]), "bcast")
    with pytest.raises(colltree.Error, match="holds no times of scan; it holds alltoall, bcast, reduce"):
        plot.penalty_map(profile, "scan")
    with pytest.raises(colltree.Error, match="only the library's own choice was measured"):
        plot.decision_map(profile[profile["algorithm"] == "default"].assign(provenance="simulated"), "bcast")
