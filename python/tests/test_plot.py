# SPDX-License-Identifier: BSD-3-Clause
"""Pictures hold the cells, colours and lines of their figures."""

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from conftest import Tool
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import colltree
from colltree import Method, plot
from colltree._timings import medians
from colltree.plot.__main__ import main


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
    ran = [colltree.model.effective_method(Method(*row[3:]), *row[1:3]) for row in chosen.itertuples()]
    labels = pd.Series([plot.method_label(method) for method in ran])
    assert "binomial, 16K" in set(labels) and (chosen["segment_size"] == 16384).sum() > (labels == "binomial, 16K").sum()
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
    assert {"other methods"} == {line.get_label() for line in ax.lines if line.get_linewidth() < 0.5}
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
        found = medians(pd.DataFrame({"cell": 0, "time_us": np.arange(1, count + 1)}), ["cell"])
        assert found[["time_us", "low_us", "high_us", "count"]].to_numpy().tolist() == [[(count + 1) / 2, low, high, count]]


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


class Drawn(NamedTuple):
    panels: list[str]
    legend: list[str]
    title: str


def draw(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: object) -> Drawn:
    """What the command draws, read from the figure that it writes, and the titles of its panels."""
    figures: list[Figure] = []
    monkeypatch.setattr(plt, "close", lambda which: figures.append(plt.gcf()))
    assert main([str(word) for word in words]) == 0, capsys.readouterr().err
    figure = figures[-1]
    monkeypatch.undo()
    legend = [text.get_text() for found in figure.legends for text in found.get_texts()]
    return Drawn([ax.get_title() for ax in figure.axes], legend, figure._suptitle.get_text())


def test_command_draws_maps(tool: Tool, grig: Path, optimal: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLLTREE_PROGRAM", str(Path(tool.program).absolute()))
    svg = tool.folder / "map.svg"
    found = draw(monkeypatch, capsys, "map", grig, optimal, "--collective", "bcast", "--fit", "quadtree:max_depth=0", "-o", svg)
    judged = json.loads(tool("evaluate", optimal, "--on", grig, "--json"))["performance_penalty"]
    assert found.title == "Decision map: bcast on grig (imported)" and found.panels[0] == "exact\n25 instances measured"
    assert found.panels[1] == f"optimal (optimal)\n6 leaves, penalty mean {100 * judged['mean']:.3g} %, max {100 * judged['max']:.3g} %"
    assert found.panels[2].startswith("quadtree:max_depth=0\n1 leaves, penalty mean ") and "pipeline, 1K" in found.legend
    again = svg.read_bytes()
    draw(monkeypatch, capsys, "map", grig, optimal, "--collective", "bcast", "--fit", "quadtree:max_depth=0", "-o", svg)
    assert svg.read_bytes() == again and b"Decision map: bcast on grig" in again
    alone = draw(monkeypatch, capsys, "map", optimal, "--title", "Mine", "--background", "dark", "-o", tool.folder / "map.pdf")
    assert alone == Drawn(["bcast: optimal (optimal)\n6 leaves"], alone.legend, "Mine") and "binomial, 16K" in alone.legend
    tool("emit", "cdt", optimal, "-o", "map.cdt")
    compact = draw(monkeypatch, capsys, "map", tool.folder / "map.cdt", "-o", tool.folder / "map.pdf")
    assert compact.panels == ["bcast: map (cdt)\ncompact decision file"] and compact.legend == alone.legend
    penalty = draw(monkeypatch, capsys, "penalty", grig, optimal, "-o", tool.folder / "penalty.png", "--scale", "0.5")
    assert [panel.partition("\n")[0] for panel in penalty.panels] == [
        "alltoall: default (smpi-3.32)", "bcast: default (smpi-3.32)", "bcast: optimal (optimal)", "reduce: default (smpi-3.32)"
    ]  # fmt: skip
    assert penalty.legend == ["below 5 %", "5 to 10 %", "10 to 25 %", "25 to 50 %", "50 % and more"]


def test_command_marks_points_without_measurement(
    tool: Tool, adaptive: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLLTREE_PROGRAM", str(Path(tool.program).absolute()))
    found = draw(monkeypatch, capsys, "map", adaptive, "-o", tool.folder / "adaptive.svg")
    assert "% of the times predicted)" in found.title and found.legend[-1] == "interpolated or predicted"
    assert found.panels[0].startswith("exact\nthe best time predicted, not measured, at ")


def test_command_draws_lines(tool: Tool, grig: Path, optimal: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLLTREE_PROGRAM", str(Path(tool.program).absolute()))
    line = tool.folder / "line.svg"
    found = draw(monkeypatch, capsys, "limits", grig, "--collective", "alltoall,bcast", "-o", line)
    assert found == Drawn(["alltoall", "bcast"], [], "Quadtrees by depth limit and accuracy threshold: grig (imported)")
    found = draw(monkeypatch, capsys, "depth", grig, "--collective", "alltoall", "-o", line)
    assert found == Drawn([""], [], "Quadtrees by depth limit: alltoall on grig (imported)")
    found = draw(monkeypatch, capsys, "threshold", grig, "--collective", "alltoall", "-o", line)
    assert found == Drawn(["", ""], [], "Quadtrees by accuracy threshold: alltoall on grig (imported)")
    assert draw(monkeypatch, capsys, "leaves", grig, "--collective", "bcast", "--leaves", "3", "-o", line).title == (
        "Penalty by size of the tree: bcast on grig (imported)"
    )
    assert draw(monkeypatch, capsys, "frontier", optimal, "-o", line).title == "The least of each number of leaves"
    assert draw(monkeypatch, capsys, "tree", optimal, "-o", line).title == "optimal (optimal), fitted to grig (imported)"
    tool("fit", "quadtree", grig, "--collective", "bcast,reduce", "-o", "octree.json")
    assert draw(monkeypatch, capsys, "tree", tool.folder / "octree.json", "-o", line).panels == ["bcast", "reduce"]


def test_command_draws_times(tool: Tool, grig: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Of one library, and of a library alone beside another."""
    monkeypatch.setenv("COLLTREE_PROGRAM", str(Path(tool.program).absolute()))
    line = tool.folder / "line.svg"
    assert draw(monkeypatch, capsys, "times", grig, "--collective", "bcast", "-o", line).title == "bcast on grig (imported), 8 processes"
    head = "system,mpi,collective,procs,nodes,ppn,msg_bytes,algorithm,segment_bytes,rep,time_us"
    for name in "AB":
        (tool.folder / f"{name}.csv").write_text(f"{head}\n{name},m,bcast,4,,,8,default,,,40\n{name},m,bcast,4,,,64,default,,,50\n")
        tool("import", f"{name}.csv", "-o", f"{name}.db")
    assert draw(monkeypatch, capsys, "times", tool.folder / "A.db", tool.folder / "B.db", "-o", line).title == "bcast on A (imported), 4 processes"
    assert ">default of B<" in line.read_text()


def test_command_refuses(tool: Tool, grig: Path, optimal: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLLTREE_PROGRAM", str(Path(tool.program).absolute()))
    monkeypatch.chdir(tool.folder)

    def refused(*words: object) -> tuple[int, str]:
        try:
            code = main([str(word) for word in words])
        except SystemExit as ended:
            code = int(ended.code or 0)
        return code, capsys.readouterr().err

    assert refused("map", grig, "-o", "map.jpg") == (2, "colltree: map.jpg: the name of a picture ends in .svg, .png or .pdf\n")
    code, text = refused("penalties", grig, "-o", "map.svg")
    assert code == 2 and text.startswith("colltree: argument KIND: invalid choice: 'penalties' (choose from ") and text.count("\n") == 1
    several = f"colltree: {grig}: holds several collectives; choose one with --collective NAME\n"
    assert refused("times", grig, "-o", "t.svg") == refused("leaves", grig, "-o", "t.svg") == (2, several)
    nothing = "colltree: the profile holds no bcast on 7 ranks; it holds 2, 3, 4, 5, 8\n"
    assert refused("times", grig, "--collective", "bcast", "--communicator-size", "7", "-o", "t.svg") == (1, nothing)
    assert refused("map", optimal, "--fit", "c45", "-o", "m.svg") == (2, f"colltree: --fit: needs a profile, and {optimal} is not one\n")
    assert refused("map", "no.db", "-o", "m.svg") == (1, "colltree: no.db: no such file\n")
    undecided = f"colltree: {optimal}: does not decide for scan; it does for bcast\n"
    assert refused("map", optimal, "--collective", "scan", "-o", "m.svg") == (1, undecided)
    assert refused("map", grig, "--scale", "0", "-o", "m.svg") == (2, "colltree: --scale: expected 0.1 to 20, got 0\n")
    beside = "colltree: no/map.svg: cannot be written (No such file or directory); check the folder, its permissions and the free space\n"
    assert refused("map", optimal, "-o", "no/map.svg") == (1, beside)
    tool("fit", "c45", grig, "--collective", "bcast", "-o", "c45.json")
    has_none = "colltree: c45.json: has no frontier; only models of colltree fit optimal have one\n"
    assert refused("frontier", "c45.json", "-o", "f.svg") == (1, has_none)
    rows = [f"P,m,bcast,4,{nodes},{4 // nodes},8,{name},,,{time}" for nodes in (1, 2) for name, time in (("linear", 4), ("default", 5))]
    head = "system,mpi,collective,procs,nodes,ppn,msg_bytes,algorithm,segment_bytes,rep,time_us"
    Path("placed.csv").write_text("\n".join([head, *rows, ""]))
    tool("import", "placed.csv", "-o", "placed.db")
    placed = "colltree: bcast: some instances were measured with several numbers of ranks per node; choose one with --ranks-per-node N\n"
    assert refused("times", "placed.db", "-o", "t.svg") == refused("penalty", "placed.db", "-o", "t.svg") == (1, placed)
    assert refused("times", "placed.db", "--ranks-per-node", "2", "-o", "t.svg") == (0, "")
    monkeypatch.setenv("COLLTREE_PROGRAM", "no-such-program")
    assert refused("depth", grig, "-o", "d.svg")[1].startswith("colltree: COLLTREE_PROGRAM names no-such-program, which is no program; install it")
