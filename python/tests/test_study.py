# SPDX-License-Identifier: BSD-3-Clause
"""Studies have the figures of the program."""

import importlib
import json
import math
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from conftest import ROOT, Tool
from matplotlib import pyplot as plt

import colltree
from colltree import Error, _cliffs, _guidelines, _portfolio, _timings, plot, study


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
    small = study.portfolio(grig, within=0.01).set_index("collective")
    assert small.loc["bcast", "at_least"] == len(small.loc["bcast", "methods"]) and small.loc["bcast", "penalties"][0]["max"] <= 0.01
    tallies, violations = study.guidelines(grig, optimal)
    assert set(tallies["chooser"]) == {"default", "chosen", "best"} and (tallies["broken"] <= tallies["tested"]).all()
    worst = violations[violations["chooser"] == "default"].iloc[0]
    assert worst["factor"] == pytest.approx(worst["left_time_us"] / worst["right_time_us"])
    jumps, islands = study.cliffs(grig, optimal)
    assert (jumps["factor"] >= 1.5).all() and jumps.loc[0, "from_communicator_size"] == 8 and (islands.get("cost", pd.Series(0.0)) <= 0.001).all()
    smooth = study.smooth(optimal, grig, tool.folder / "smooth.json", within=10)
    assert smooth.statistics["leaves"] == 1 and smooth.statistics["smoothed"] == {"kind": "optimal", "leaves_before": 6, "within": 10}


# What the program said of these profiles before the studies were in Python; its models are of C4.5.
GOLDEN = json.loads((Path(__file__).parent / "studies.json").read_text())
IMPORTED = {
    "fugaku": ["fugaku_fjmpi_8coll.csv.gz", "--message-sizes", "total"],
    "orfeo": ["orfeo_epyc_openmpi_bcast_reduce.csv.gz", "--split-placements"],
    "tuo": ["tuolumne_alltoall_session1_reps.csv.gz", "tuolumne_alltoall_session2_reps.csv.gz"],
}
OPTIONS = {"orfeo": {"system": "orfeo-epyc-node"}}


@pytest.fixture(scope="module", params=GOLDEN)
def known(request: pytest.FixtureRequest, tool: Tool, grig: Path) -> tuple[str, Path]:
    """One of the profiles."""
    name, path = request.param, tool.folder / f"{request.param}.db"
    files = [word for word in IMPORTED.get(name, []) if word.endswith(".gz")]
    options = [word for word in IMPORTED.get(name, []) if not word.endswith(".gz")]
    for file in files:
        tool("import", ROOT / "tests" / "data" / file, *options, "-o", path)
    return name, path


def cut(document: Any) -> Any:
    """The figures of a document of guidelines; sums are exact, so each difference shows."""
    tests = [test for case in document["violations"] for test in case["by"] if "factor" in test]
    fields = ("tested", "broken", "certain", "within_noise")
    tallies = {row["name"]: [[by[field] for field in fields] for by in row["by"]] for row in document["guidelines"]}
    sums = {f"{side}_{end}": math.fsum(test[side][end] for test in tests) for side in ("left", "right") for end in ("time_us", "low_us", "high_us")}
    found = {"tallies": {name: by for name, by in tallies.items() if any(counts[0] for counts in by)}, **sums}
    return found | {
        "violations": len(document["violations"]),
        "factors": math.fsum(test["factor"] for test in tests),
        "worst": document["violations"][0],
    }


def test_guidelines_have_the_figures_of_the_program(known: tuple[str, Path]) -> None:
    name, profile = known
    assert cut(_guidelines.of_profile(profile, [], 0.05, OPTIONS.get(name, {}))) == GOLDEN[name]["guidelines"]


def test_portfolios_have_the_figures_of_the_program(known: tuple[str, Path]) -> None:
    name, profile = known
    found = _portfolio.of_profile(profile, 0.01, None, OPTIONS.get(name, {}))["collectives"]
    for penalty in (penalty for entry in found for penalty in entry["penalties"]):
        assert penalty.pop("profile") == str(profile)
    assert found == GOLDEN[name]["portfolio"]


def test_cliffs_and_smoothing_have_the_figures_of_the_program(tool: Tool, known: tuple[str, Path]) -> None:
    (name, profile), model, smooth = known, tool.folder / "c45.json", tool.folder / "smooth.json"
    golden, options = GOLDEN[name]["cliffs"], OPTIONS.get(name, {})
    system = ["--system", options["system"]] if options else []
    tool("fit", "c45", profile, *system, "--collective", golden["collective"], "-o", model)
    (found,) = _cliffs.of_profile(model, profile, 1.5, 0.001, options)["collectives"]
    jumps, islands = found["jumps"], found["islands"]
    sums = {"factors": math.fsum(jump["factor"] for jump in jumps), "costs": math.fsum(island["cost"] for island in islands)}
    counts = {"collective": found["collective"], "jumps": len(jumps), "islands": len(islands)}
    assert counts | sums | {"first": [*jumps[:1], *islands[:1]]} == golden
    _cliffs.smooth(model, profile, smooth, 0.01, options)
    document = json.loads(smooth.read_text())
    assert {key: document[key] for key in ("statistics", "body")} == GOLDEN[name]["smooth"]
    # The program reads it, and refuses to fit it again.
    assert document["kind"] == "rules" and f"(rules): rules of {found['collective']}" in tool("show", smooth)
    with pytest.raises(Error, match="a model of kind 'rules' was not fitted here"):
        colltree.drive.run("evaluate", str(smooth), on=profile, held_out="blocks", quiet=True, **options)


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    """Runs ``python3 -m colltree.study`` here; returns the exit code and what it printed."""
    monkeypatch.syspath_prepend(str(ROOT / "python" / "papers"))
    main = importlib.import_module("studies").main

    def run(*words: object) -> tuple[int, str]:
        try:
            code = main([str(word) for word in words])
        except SystemExit as ended:
            code = ended.code
        printed = capsys.readouterr()
        return code, printed.out + printed.err

    return run


def test_commands(command: Any, tool: Tool, grig: Path, optimal: Path) -> None:
    code, text = command("portfolio", grig, "--collective", "bcast", "--judge-on", grig)
    bcast = GOLDEN["grig"]["portfolio"][[entry["collective"] for entry in GOLDEN["grig"]["portfolio"]].index("bcast")]
    labels = [method["method"] for method in bcast["methods"]]
    assert code == 0 and text.startswith("grig (imported): the smallest set of methods of which one is within 1.0 % of the best everywhere\n")
    assert text.endswith(f"  --collective bcast --methods {','.join(labels)}\n") and text.count(f"of the fastest of them on {grig}: mean ") == 2
    assert json.loads(command("portfolio", grig, "--within", "5%", "--json")[1])["within"] == 0.05
    code, text = command("guidelines", grig, optimal, "--most", 1)
    assert code == 0 and text.startswith(f"grig (imported): guidelines broken by more than 5 %\nchosen: {optimal}\n\n  broken/tested  ")
    code, text = command("cliffs", optimal, "--on", grig, "--cost", "100")
    assert code == 0 and re.match(rf"bcast by {optimal}: \d+ jumps by more than a factor of 1.5\n  x", text)
    assert f"bcast by {optimal}: 6 leaves whose removal adds at most 100% to the mean penalty\n" in text and "; without it " in text
    tool("fit", "quadtree", grig, "--collective", "bcast", "-o", "exact.json")  # decides as the best methods do
    jumps = command("cliffs", "--on", grig, "--collective", "bcast")[1]
    assert jumps.count("\n  x") > 3 and command("cliffs", tool.folder / "exact.json", "--on", grig)[1].startswith(
        jumps.replace("bcast by best", f"bcast by {tool.folder / 'exact.json'}")
    )
    output = tool.folder / "command.json"
    code, text = command("smooth", optimal, "--on", grig, "--within", "1000%", "-o", output)
    assert code == 0 and text.startswith(f"{output}: 1 of 6 leaves; performance penalty: mean ")


def test_commands_on_predicted_times(command: Any, tool: Tool, adaptive: Path) -> None:
    tool("fit", "quadtree", adaptive, "--collective", "bcast", "-o", "adaptive.json")
    model = tool.folder / "adaptive.json"
    note = " times were not measured but predicted (docs/tasks/tuning.md)"
    assert f"{note}; guidelines are tested by measured ones\n" in command("guidelines", adaptive)[1]
    assert re.search(r" at \d+ instances; at \d+ more it rests on predicted times", command("portfolio", adaptive)[1])
    text = command("cliffs", model, "--on", adaptive, "--factor", 1)[1]
    assert note in text and " of them by predicted times\n" in text and " by the trend, predicted\n" in text
    assert " of them by predicted times\n" in command("smooth", model, "--on", adaptive, "-o", tool.folder / "s.json")[1]


@pytest.mark.parametrize("known", ["fugaku"], indirect=True)
def test_what_is_wrong_is_named_with_its_remedy(command: Any, tool: Tool, grig: Path, optimal: Path, known: tuple[str, Path]) -> None:
    _, profile = known
    measured = "allgather, allreduce, alltoall, bcast, gather, reduce, reduce_scatter, scatter"
    for words, code, message in [
        (["guidelines", profile, "--collective", "scan"], 1, f"{profile}: has no timings of scan on fugaku; it has {measured}"),
        (["guidelines", profile, optimal, optimal], 1, f"{optimal}, {optimal}: all decide for bcast; name one model for each collective"),
        (
            ["cliffs", optimal, "--on", profile, "--collective", "reduce"],
            1,
            f"{optimal}: decides for bcast only, which is not among the timings asked for",
        ),
        (["guidelines", "none.db"], 1, "none.db: no such file; a profile is what colltree measure and colltree import write"),
        (["guidelines", grig, "none.json"], 1, "none.json: No such file or directory; check the path"),
        (["portfolio", grig, "--system", "frodo"], 1, f"{grig}: holds no system frodo; it holds grig"),
        (["smooth", optimal, "--on", grig, "-o", "none/s.json"], 1, "none/s.json: No such file or directory; check the path"),
        (
            ["guidelines", profile, "--tolerance", "-3"],
            2,
            "argument --tolerance: expected a number from 0 to 1000000 (percent), such as 0.1%, got '-3'",
        ),
        (["cliffs", optimal, "--on", grig, "--factor", "0.5"], 2, "argument --factor: expected a number from 1 on, got '0.5'"),
        (["smooth", optimal, "-o", "s.json"], 2, "the following arguments are required: --on"),
        (["guidelines", profile, "--most", "x"], 2, "argument --most: expected a number from 0 on, got 'x'"),
    ]:
        help_ = f"; try python3 -m colltree.study {words[0]} --help" if code == 2 else ""
        assert command(*words) == (code, f"colltree: {message}{help_}\n")


def test_several_systems_need_a_choice(tool: Tool, command: Any) -> None:
    tool("import", ROOT / "tests" / "data" / "vm16_three_libraries.csv.gz", "-o", "vm16.db")
    profile = tool.folder / "vm16.db"
    code, text = command("portfolio", profile)
    assert code == 1 and text == f"colltree: {profile}: holds several systems (vm-intel, vm-intel-own, ...); choose one with --system NAME\n"


def test_the_module_is_the_command(tool: Tool) -> None:
    ended = subprocess.run([sys.executable, "-m", "colltree.study", "portfolio", "none.db"], capture_output=True, text=True, check=False)
    assert ended.returncode == 1 and ended.stderr == "colltree: none.db: no such file; a profile is what colltree measure and colltree import write\n"


def test_intervals_enclose_the_median_with_95_percent() -> None:
    # The binomial distribution gives 1 - 2 * 9 / 256 = 0.93 and 1 - 2 * 10 / 512 = 0.96.
    assert [_timings._enclosing_rank(count) for count in (1, 5, 8, 9, 100)] == [0, 0, 0, 1, 39]


def test_copies_of_one_figure_are_one_sample() -> None:
    point = {"communicator_size": 2, "nodes": 0, "ranks_per_node": 0, "algorithm": "a", "segment_size": 0}
    times = {1: [(1, [5, 5, 5]), (2, [6, 6])], 2: [(1, [5, 5]), (2, [6, 7])]}
    rows = [(campaign, size, time) for campaign, cells in times.items() for size, samples in cells for time in samples]
    samples = pd.DataFrame(rows, columns=["campaign", "message_size", "time_us"]).assign(**point)
    assert _timings._without_copies(samples).groupby("campaign").time_us.agg(list).to_dict() == {1: [5, 6], 2: [5, 5, 6, 7]}
    means = _timings._summarize(samples, "imported", "mean").time_us.tolist()
    assert means == [5, pytest.approx(19 / 3)]  # of 5, 5, 5 and of 6, 6, 7
    assert _timings._summarize(samples, "measured", "minimum").time_us.tolist() == [5, 6]


@pytest.mark.parametrize(
    "collective,asked,sizes,expected",
    [
        ("allreduce", "rabenseifner", (8, 4, 0, 0), "recursive_doubling"),
        ("allreduce", "rabenseifner", (8, 8, 0, 0), "rabenseifner"),
        ("allgather", "recursive_doubling", (6, 8, 0, 0), "bruck"),
        ("bcast", "multi_leader@fanout=2", (4, 8, 4, 1), "binomial"),  # by hierarchical
        ("bcast", "multi_leader@fanout=2", (16, 8, 4, 4), "multi_leader@fanout=2"),
        ("alltoall", "linear@requests=4", (5, 8, 0, 0), "linear"),
        ("alltoall", "linear@requests=4", (6, 8, 0, 0), "linear@requests=4"),
    ],
)
def test_what_runs_where_a_method_cannot(tool: Tool, collective: str, asked: str, sizes: tuple[int, ...], expected: str) -> None:
    assert _timings._running_method(collective, colltree.Method(asked, 0), *sizes) == (expected, 0)


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
