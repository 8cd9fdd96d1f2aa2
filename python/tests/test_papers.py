# SPDX-License-Identifier: BSD-3-Clause
"""The scripts of the papers draw and compute on small data."""

import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from conftest import GRIG_TINY, ROOT, Tool
from matplotlib import pyplot as plt

import colltree

PAPERS = ROOT / "python" / "papers"


@pytest.fixture(autouse=True)
def close_figures() -> object:
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def papers(tool: Tool) -> Any:
    """The modules of python/papers, and small profiles in place of the papers' clusters."""
    text = GRIG_TINY.read_text()
    rows = [line for line in text.splitlines() if ",bcast," in line or ",reduce," in line]
    head = text.splitlines()[0]
    (tool.folder / "2006.csv").write_text("\n".join([head, *rows]) + "\n")
    (tool.folder / "2007.csv").write_text("\n".join([head, *rows, *(row.replace("grig", "frodo", 1) for row in rows)]) + "\n")
    for year in (2006, 2007):
        tool("import", f"{year}.csv", "-o", f"{year}.db")
    sys.path.insert(0, str(PAPERS))
    yield importlib.import_module("reproduce")
    sys.path.remove(str(PAPERS))


def test_figures_of_the_papers(tool: Tool, papers: Any) -> None:
    scripts = sorted(path.stem for path in PAPERS.glob("figure_*.py"))
    assert scripts == [f"figure_{year}_{number}" for year, numbers in papers.FIGURES.items() for number in numbers]
    data = {year: papers.Paper(tool.folder, year) for year in papers.FIGURES}
    figures = {name: importlib.import_module(name).draw(data[int(name.split("_")[1])]) for name in scripts}
    maps = [len(figures[f"figure_{name}"].axes) for name in ("2006_2", "2006_3", "2007_2", "2007_3", "2007_4")]
    assert maps == [6, 6, 8, 6, 8]
    for figure in (figures["figure_2006_2"], figures["figure_2007_4"]):
        assert all(sum(len(cells.get_paths()) for cells in ax.collections) == 25 for ax in figure.axes)
    assert [len(ax.lines) for ax in figures["figure_2007_5"].axes] == [4, 4]
    assert "mean 5.34 %, max 47.5 %" in figures["figure_2007_3"].axes[2].get_title()


def test_tables_of_the_papers(tool: Tool, papers: Any, capsys: pytest.CaptureFixture[str]) -> None:
    paper = papers.Paper(tool.folder, 2006)
    tables = papers.tables_2006(paper)
    row = tables["table2"][0]
    assert row["options"] == "-m 2 -c 25" and row["paper"]["leaves_after"] == 127 and row["ours"]["leaves_after"] == 4
    assert tables["table3"][4]["paper"]["above_50"] == 6 and tables["table3"][4]["ours"]["above_50"] == 4
    assert tables["instances_bcast"] == 25 and len(tables["table4"]) == len(tables["figure4"]) == 5
    quadtrees = papers.quadtree_table(papers.Paper(tool.folder, 2007), "frodo", papers.TABLE_1_2007)
    assert quadtrees[1]["ours"]["leaves"] == 13 and quadtrees[1]["ours"]["mean_pct"] == pytest.approx(5.344, abs=1e-3)
    papers.print_tables(2006, {**tables, "figures": []})
    printed = capsys.readouterr().out
    assert "  -m 40 -c 5" in printed and "316.97 / 261.04" in printed


def test_decisions_of_the_papers_are_timed(papers: Any) -> None:
    source = "#include <stdint.h>\nint colltree_decide_reduce(uint64_t ranks, uint64_t bytes) { return ranks > bytes; }\n"
    assert papers.function_ns(source) is None or papers.function_ns(source) > 0
    assert papers.function_ns("no C at all") is None


def fits(tool: Tool, profile: Path, options: dict[str, float]) -> dict[str, Any]:
    parameters = ",".join(f"{name}={value}" for name, value in options.items())
    tool("fit", "quadtree", profile, "--collective", "bcast", "--parameters", parameters, "-o", "one.json")
    return dict(json.loads((tool.folder / "one.json").read_text())["statistics"])


def test_studies_of_quadtrees(tool: Tool, grig: Path, papers: Any) -> None:
    quadtrees = importlib.import_module("quadtrees")
    depths = quadtrees.quadtrees("depth", grig, collective="bcast")
    assert depths["max_depth_limit"].tolist() == [0, 1, 2, 3] and depths["penalty_mean"].iloc[-1] == 0
    found = fits(tool, grig, {"max_depth": 2})
    assert depths.loc[2, ["leaves", "nodes", "mean_depth"]].tolist() == [found["leaves"], found["nodes"], found["mean_depth"]]
    assert depths.loc[2, "penalty_mean"] == found["performance_penalty"]["mean"] and depths.loc[2, "tests"] == 8
    thresholds = quadtrees.quadtrees("threshold", grig, collective="bcast")
    assert len(thresholds) == 20 and thresholds["accuracy_threshold"].tolist() == [percent / 100 for percent in range(5, 101, 5)]
    for index in (0, 9, 10, 14, 15, 19):
        found = fits(tool, grig, {"accuracy_threshold": thresholds.loc[index, "accuracy_threshold"]})
        assert thresholds.loc[index, ["leaves", "penalty_mean"]].tolist() == [found["leaves"], found["performance_penalty"]["mean"]]
    limits = quadtrees.quadtrees("limits", grig, collective="bcast")
    assert limits["max_depth_limit"].tolist()[::2] == [0, 1, 2, 3] and limits["accuracy_threshold"].tolist()[1::2] == [0.45, 0.5, 0.75, 1.0]
    encodings = quadtrees.quadtrees("encodings", grig, collective="bcast")
    assert encodings["reshape"].tolist() == ["end", "even", "none"] * 4
    assert encodings["tests"].tolist() == [0, 0, 0, 3, 3, 1, 8, 3, 1, 16, 14, 9]
    assert all(encodings["penalty_mean"].iloc[i] <= encodings["penalty_mean"].iloc[i - i % 3] + 1e-12 for i in range(12))
    with pytest.raises(colltree.Error, match="breadth: is no study of quadtrees; these are depth, threshold, limits, encodings"):
        quadtrees.quadtrees("breadth", grig)


def test_encodings_without_a_tree_as_good(adaptive: Path, papers: Any) -> None:
    encodings = importlib.import_module("quadtrees").quadtrees("encodings", adaptive, collective="bcast")
    assert encodings["reshape"].tolist()[-3:] == ["end", "even", "none"] and len(encodings) < 3 * (encodings["reshape"] == "end").sum()


def test_studies_as_a_command(papers: Any, grig: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    studies = importlib.import_module("studies")
    command = [sys.executable, "-m", "colltree.study", "depth", str(grig), "--collective", "bcast", "-o", str(tmp_path / "depth.csv")]
    subprocess.run(command, check=True)
    lines = (tmp_path / "depth.csv").read_text().splitlines()
    assert lines[0].startswith("limit,reshape,max_depth_limit,accuracy_threshold,leaves,nodes,tests,min_depth,max_depth,mean_depth,penalty_min")
    assert lines[2] == "max_depth,end,1,1,4,5,3,1,1,1,0,0.7050441440796611,0.0812229327716193,0,0.4753237250807432"
    assert studies.main(["threshold", str(grig), "--collective", "bcast", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert rows[9]["accuracy_threshold"] == 0.5 and rows[9]["max_depth_limit"] is None and "mean" in rows[9]["performance_penalty"]
    assert studies.main(["depth", str(tmp_path / "none.db")]) == 1
    assert "none.db" in capsys.readouterr().err


# A row each of the old program's tables of grig-tiny.
COMPARISON = """\
| default (smpi-3.32) | - | 3.5 (1.1..6.2) | 20.1 | 3.5 (1.1..5.9) | 3.5 (0..8.0) | 3.5 (1.1..6.2) |
| c45 | 3 | 0 (0..0) | 0 | 0.43 (0..1.3) | 2.0 (0..6.0) | 0 (0..0) |
| optimal:leaves=auto | 3 | 0 (0..0) | 0 | 0.43 (0..1.3) | 1.1 (0..3.3) | 0 (0..0) |
"""


def test_comparison(papers: Any, grig: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    comparison = importlib.import_module("comparison")
    assert comparison.main(["-o", str(tmp_path)], [("grig", None)], lambda folder, name: grig) == 0
    tables = (tmp_path / "comparison.md").read_text().split("## ")[1:]
    assert [table.splitlines()[0] for table in tables] == ["grig, alltoall", "grig, bcast", "grig, reduce"]
    assert set(COMPARISON.splitlines()) <= set(tables[0].splitlines())
    rows = pd.read_csv(tmp_path / "all.csv")
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "| chooser | leaves | dense, 9 means | highest | leaves | sparse, 0 means | highest | no run |"
    default = rows[(rows["chooser"] == "default") & (rows["points"] != "training")]
    percents = [comparison.percent_text(value) for value in (comparison.geometric(default["mean"]), default["mean"].max())]
    assert f"| default | - | {percents[0]} | {percents[1]} | - | - | - | 0 |" in printed
    # C4.5's best setting is one that can run at points of every kind.
    choosers = {"default": [1, 1, 1, 1], "c45": [0.1, 0.1, None, 0.1], "c45:weight=4": [0.5, 0.5, 0.5, 0.5]}
    made = [(name, kind, mean) for name, means in choosers.items() for kind, mean in zip(["training", *comparison.HELD_OUT], means, strict=True)]
    few = pd.DataFrame(made, columns=["chooser", "points", "mean"]).assign(
        detail="", max=1.0, leaves=2, cannot_run=0, instances=9, mean_interval=None
    )
    assert [row.split(" | ")[0] for row in comparison.of_collective("s", "bcast", few).splitlines()[4:]] == ["| default", "| c45:weight=4", ""]
    comparison.DATA = tmp_path
    with pytest.raises(colltree.Error, match=r"dane_alltoall.csv.gz: no such file; run this study in a checkout of colltree"):
        comparison.profile_of(tmp_path, "dane")
