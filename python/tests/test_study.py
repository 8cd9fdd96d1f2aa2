# SPDX-License-Identifier: BSD-3-Clause
"""Studies have the figures of the program."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from conftest import ROOT, Tool
from matplotlib import pyplot as plt

import colltree
from colltree import plot, study


@pytest.fixture(autouse=True)
def close_figures() -> object:
    yield
    plt.close("all")


def fits(tool: Tool, profile: Path, options: dict[str, float]) -> dict[str, Any]:
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    tool("fit", "quadtree", profile, "--collective", "bcast", *words, "-o", "one.json")
    return dict(json.loads((tool.folder / "one.json").read_text())["statistics"])


def test_studies_of_quadtrees(tool: Tool, grig: Path) -> None:
    depths = study.quadtrees("depth", grig, collective="bcast")
    assert depths["max_depth_limit"].tolist() == [0, 1, 2, 3] and depths["penalty_mean"].iloc[-1] == 0
    found = fits(tool, grig, {"max-depth": 2})
    assert depths.loc[2, ["leaves", "nodes", "mean_depth"]].tolist() == [found["leaves"], found["nodes"], found["mean_depth"]]
    assert depths.loc[2, "penalty_mean"] == found["performance_penalty"]["mean"] and depths.loc[2, "tests"] == 8
    thresholds = study.quadtrees("threshold", grig, collective="bcast")
    assert len(thresholds) == 20 and thresholds["accuracy_threshold"].tolist() == [percent / 100 for percent in range(5, 101, 5)]
    for index in (0, 9, 10, 14, 15, 19):
        found = fits(tool, grig, {"accuracy-threshold": thresholds.loc[index, "accuracy_threshold"]})
        assert thresholds.loc[index, ["leaves", "penalty_mean"]].tolist() == [found["leaves"], found["performance_penalty"]["mean"]]
    limits = study.quadtrees("limits", grig, collective="bcast")
    assert limits["max_depth_limit"].tolist()[::2] == [0, 1, 2, 3] and limits["accuracy_threshold"].tolist()[1::2] == [0.45, 0.5, 0.75, 1.0]
    encodings = study.quadtrees("encodings", grig, collective="bcast")
    assert encodings["reshape"].tolist() == ["end", "even", "none"] * 4
    assert encodings["tests"].tolist() == [0, 0, 0, 3, 3, 1, 8, 3, 1, 16, 14, 9]
    assert all(encodings["penalty_mean"].iloc[i] <= encodings["penalty_mean"].iloc[i - i % 3] + 1e-12 for i in range(12))
    with pytest.raises(colltree.Error, match="breadth: is no study of quadtrees; these are depth, threshold, limits, encodings"):
        study.quadtrees("breadth", grig)


def test_study_as_a_command(grig: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert study.main(["depth", str(grig), "--collective", "bcast", "-o", str(tmp_path / "depth.csv")]) == 0
    lines = (tmp_path / "depth.csv").read_text().splitlines()
    assert lines[0].startswith("limit,reshape,max_depth_limit,accuracy_threshold,leaves,nodes,tests,min_depth,max_depth,mean_depth,penalty_min")
    assert lines[2] == "max_depth,end,1,1,4,5,3,1,1,1,0,0.7050441440796611,0.0812229327716193,0,0.4753237250807432"
    assert study.main(["threshold", str(grig), "--collective", "bcast", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert rows[9]["accuracy_threshold"] == 0.5 and rows[9]["max_depth_limit"] is None and "mean" in rows[9]["performance_penalty"]
    assert study.main(["depth", str(tmp_path / "none.db")]) == 1
    assert "none.db" in capsys.readouterr().err


def test_trees_by_leaves(grig: Path, optimal: Path) -> None:
    curves = study.leaves(grig, collective="bcast", most=6)
    best = curves[curves["curve"] == "optimal: the least there is"]
    frontier = study.frontier(colltree.read_model(optimal))
    assert best["value"].tolist() == frontier["value"].tolist() and frontier["leaves"].tolist() == [1, 2, 3, 4, 5, 6]
    quadtrees = curves[curves["curve"] == "quadtree by depth limit"]
    assert quadtrees["leaves"].tolist() == [1, 4, 9, 17] and quadtrees["value"].iloc[-1] == 0
    assert plot.penalty_by_leaves(curves).get_title() == "bcast on grig"
    with pytest.raises(colltree.Error, match="has no frontier; only models of colltree fit optimal have one"):
        study.frontier(colltree.read_model(next(path for path in (ROOT / "tests" / "data" / "models").glob("*quadtree*.json"))))


def test_judged(tool: Tool, grig: Path, optimal: Path) -> None:
    small = study.portfolio(grig, within="1%").set_index("collective")
    assert small.loc["bcast", "at_least"] == len(small.loc["bcast", "methods"]) and small.loc["bcast", "penalties"][0]["max"] <= 0.01
    tallies, violations = study.guidelines(grig, optimal)
    assert set(tallies["chooser"]) == {"default", "chosen", "best"} and (tallies["broken"] <= tallies["tested"]).all()
    worst = violations[violations["chooser"] == "default"].iloc[0]
    assert worst["factor"] == pytest.approx(worst["left_time_us"] / worst["right_time_us"])
    jumps, islands = study.cliffs(grig, optimal)
    assert (jumps["factor"] >= 1.5).all() and jumps.loc[0, "from_communicator_size"] == 8 and (islands.get("cost", pd.Series(0.0)) <= 0.001).all()


RECORD = """# colltree record 1
# state complete
# ranks 8
# ranks_covered 8
# seconds 1
# calls_lost 0
collective,communicator_size,nodes,ranks_per_node,message_size,algorithm,segment_bytes,why,calls,bytes,rank_calls,total_us,min_us,max_us
bcast,8,8,1,32768,linear,0,model,10,327680,80,800000,9000,11000
"""


def test_recorded_cost(grig: Path, tmp_path: Path) -> None:
    (tmp_path / "job.csv").write_text(RECORD)
    cost = study.recorded_cost(tmp_path / "job.csv", grig)
    assert cost.loc[0, "collective"] == "bcast" and cost.loc[0, "share"] == pytest.approx(0.1)
    assert "saved_share" in cost
