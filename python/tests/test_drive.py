# SPDX-License-Identifier: BSD-3-Clause
"""The tool is started, its frames are its own figures, and its errors are one line."""

import importlib
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import GRIG_TINY, ROOT, Tool

import colltree
from colltree import drive


def test_compare(tool: Tool, grig: Path, optimal: Path) -> None:
    frame = colltree.compare(grig, optimal, collective="bcast", quiet=True)
    document = json.loads(tool("evaluate", "compare", grig, optimal, "--collective", "bcast", "--json"))
    expected = [one["performance_penalty"]["mean"] for one in document["collectives"][0]["choosers"]]
    assert frame["mean"].tolist() == expected and set(frame["points"]) == {"training"}
    held_out = colltree.compare(grig, collective="bcast", fit="optimal:leaves=6", quiet=True)
    assert set(held_out["points"]) == {"training", "communicator_sizes"}


def test_compare_profiles(tool: Tool, grig: Path) -> None:
    head, *rows = GRIG_TINY.read_text("utf-8").splitlines()
    slower = (f"{row.rpartition(',')[0]},{1.5 * float(row.rpartition(',')[2])}" for row in rows)
    (tool.folder / "slower.csv").write_text("\n".join([head, *slower]) + "\n", "utf-8")
    tool("import", "slower.csv", "-o", "slower.db")
    frame = colltree.compare(grig, tool.folder / "slower.db", collective="bcast,reduce", quiet=True)
    default = frame[frame.what == "default"].set_index(["collective", "run"])
    for collective in ("bcast", "reduce"):
        first, second = default.loc[collective].itertuples()
        assert first.ratio == 1 and second.ratio == pytest.approx(1.5) and (second.faster, second.no_difference) == (0, 0)


def test_penalties_are_those_of_the_tool(tool: Tool, grig: Path, optimal: Path) -> None:
    profile = colltree.read_profile(grig)
    choosers = json.loads(tool("evaluate", optimal, "--on", grig, "--json"))["collectives"][0]["choosers"]
    means = {one["chooser"]: one["performance_penalty"]["mean"] for one in choosers}
    assert colltree.penalties(profile, "bcast", colltree.read_model(optimal))["penalty"].mean() == pytest.approx(means[str(optimal)], rel=1e-9)
    assert colltree.penalties(profile, "bcast")["penalty"].mean() == pytest.approx(means["default"], rel=1e-9)


def test_an_instance_of_which_only_the_default_was_measured(tool: Tool, grig: Path, optimal: Path) -> None:
    """It is no instance, as for the program: there is nothing to choose from."""
    lines = [line for line in GRIG_TINY.read_text().splitlines() if ",bcast,8," not in line or ",32768," not in line or ",default," in line]
    (tool.folder / "alone.csv").write_text("\n".join(lines) + "\n")
    tool("import", "alone.csv", "-o", "alone.db")
    profile = colltree.read_profile(tool.folder / "alone.db")
    entry = json.loads(tool("evaluate", optimal, "--on", "alone.db", "--json"))["collectives"][0]
    means = {one["chooser"]: one["performance_penalty"]["mean"] for one in entry["choosers"]}
    penalties = colltree.penalties(profile, "bcast", colltree.read_model(optimal))
    assert len(penalties) == len(colltree.penalties(colltree.read_profile(grig), "bcast")) - 1
    assert penalties["penalty"].mean() == pytest.approx(means[str(optimal)], rel=1e-9)
    assert colltree.penalties(profile, "bcast")["penalty"].mean() == pytest.approx(means["default"], rel=1e-9)


def test_penalties_of_methods_under_other_names(tool: Tool) -> None:
    """On a simulated system trees name methods that run as another, and the default is for comparison only."""
    if "simulates" not in tool("--version"):
        pytest.skip("this colltree has no simulator")
    profile = colltree.measure(tool.folder / "whole.db", platform="grig", grid="tiny", collective="bcast,reduce", quiet=True)
    tool("fit", "quadtree", "whole.db", "--collective", "bcast,reduce", "--parameters", "max_depth=1", "-o", "shallow.json")
    model = colltree.read_model(tool.folder / "shallow.json")
    for entry in json.loads(tool("evaluate", "shallow.json", "--on", "whole.db", "--json"))["collectives"]:
        for chooser in entry["choosers"]:
            if chooser["chooser"] in ("default", "shallow.json"):
                frame = colltree.penalties(profile, entry["collective"], model if chooser["chooser"] == "shallow.json" else None)
                figures = chooser["performance_penalty"]
                assert frame["penalty"].mean() == pytest.approx(figures["mean"], rel=1e-9), (entry["collective"], chooser["chooser"])
                assert frame["penalty"].max() == pytest.approx(figures["max"], rel=1e-9)
                assert frame["penalty"].isna().sum() == len(chooser["cannot_run"])


def test_a_default_that_is_faster_than_every_method(grig: Path) -> None:
    """The chosen method counts among the best ones, so no penalty is negative; in a simulated system it is not a candidate otherwise."""
    profile = colltree.read_profile(grig, collective="bcast").assign(provenance="simulated")
    profile.loc[profile["algorithm"] == "default", "time_us"] /= 1000
    assert (colltree.penalties(profile, "bcast")["penalty"] == 0).all()
    assert "default" not in set(colltree.best_methods(profile, "bcast")["algorithm"])
    assert "default" in set(colltree.best_methods(profile.assign(provenance="measured"), "bcast")["algorithm"])


def test_measure_and_tune(tool: Tool, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    if "simulates" not in tool("--version"):
        pytest.skip("this colltree has no simulator")
    sizes = {"platform": "grig", "collective": "bcast", "methods": ["Linear_0K", "binomial"], "communicator_sizes": [2, 4], "message_sizes": [64]}
    frame = colltree.measure(tmp_path / "m.db", segment_sizes=[0], **sizes)
    assert set(frame["communicator_size"]) == {2, 4} and set(frame["algorithm"]) == {"binomial", "linear"}
    assert "measuring grig: " in capfd.readouterr().err
    tuned = colltree.tune(tmp_path / "tuned", segment_sizes=[0], quiet=True, **sizes)
    assert capfd.readouterr().err == ""
    assert {"best fixed", "bcast"} <= set(tuned["chooser"]) and (tmp_path / "tuned" / "tuned.cdt").exists()
    with pytest.raises(colltree.Error, match=r"^platform 'nowhere'|nowhere") as raised:
        colltree.measure(tmp_path / "n.db", platform="nowhere", quiet=True)
    assert "\n" not in str(raised.value) and not str(raised.value).startswith("colltree:")


def test_a_bar_in_a_notebook(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    monkeypatch.setitem(sys.modules, "ipykernel", sys)
    monkeypatch.setitem(sys.modules, "tqdm.auto", importlib.import_module("tqdm.std"))
    lines = ["measuring grig: 1/412 cells (0 %), 4.9 cells/s", "measuring grig: 412/412 cells (100 %)", "note: all is well"]
    assert drive._pass_on(io.StringIO("\n".join(lines)), quiet=False) == lines[-1]
    shown = capsys.readouterr().err
    assert "412/412" in shown and "measuring grig: 100%" in shown and lines[-1] in shown and lines[0] not in shown


@pytest.mark.parametrize("module", ["model", "read", "plot"])
def test_a_module_alone(module: str) -> None:
    """Modules import each other, whichever is the first."""
    code = f"import colltree.{module}; assert colltree.{module}.Error is colltree.Error"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_options() -> None:
    options = {"communicator_sizes": [4, 8], "without_default": True, "json": False, "system": None, "on": Path("P.db"), "for_": "ucc"}
    assert drive.arguments_of(options) == ["--communicator-sizes=4,8", "--without-default", "--on=P.db", "--for=ucc"]
    fitted = {"leaves": np.int64(6), "power_of_two": True, "objective": None, "system": "grig"}
    assert drive.arguments_of(drive.fit_options(fitted)) == ["--system=grig", "--parameters=leaves=6,power_of_two=true"]
    assert drive.fit_options({"parameters": "weight=2"}) == {"parameters": "weight=2"}


def test_parameters_of_models_are_no_options_of_fit(tool: Tool) -> None:
    """The package tells them apart by the options that the help of all kinds lists."""
    kinds = re.findall(r"^  ([a-z0-9-]+)  ", tool("fit", "--help"), re.MULTILINE)
    helps = [tool("fit", kind, "--help") for kind in kinds]
    listed = {name for text in helps for name in re.findall(r"^  (?:-\w,)?--([a-z-]+)", text, re.MULTILINE)}
    assert drive._FIT_OPTIONS == {name.replace("-", "_") for name in listed - {"help"}}


def test_a_file_with_defects(tool: Tool) -> None:
    frame = colltree.check_rules(ROOT / "tests" / "data" / "reports" / "openmpi-descending-sizes.rules")
    assert frame["line"].tolist() == [8] and frame["severity"].tolist() == ["warning"]
    with pytest.raises(colltree.Error, match="nofile"):
        colltree.check_rules("nofile")


def test_without_the_tool(monkeypatch: pytest.MonkeyPatch, optimal: Path, grig: Path) -> None:
    monkeypatch.setenv(drive.PROGRAM_VARIABLE, "/nowhere/colltree")
    model = colltree.read_model(optimal)
    assert model.decide("bcast", 8, 10**6).algorithm == "pipeline"
    assert colltree.plot.decision_map(colltree.read_profile(grig), "bcast", model=model).get_title()
    with pytest.raises(colltree.Error, match="COLLTREE_PROGRAM names /nowhere/colltree, which is no program; install it"):
        model.to_c()
    monkeypatch.delenv(drive.PROGRAM_VARIABLE)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(colltree.Error, match="the program colltree is not on the PATH"):
        colltree.compare(grig)
