# SPDX-License-Identifier: BSD-3-Clause
"""Studies have the figures of the program."""

from pathlib import Path

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
