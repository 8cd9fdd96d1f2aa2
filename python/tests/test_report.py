# SPDX-License-Identifier: BSD-3-Clause
"""The report: its HTML, and what headless Chromium shows of it, compared with what the program says."""

import csv
import html
import html.parser
import io
import json
import os
import re
import shutil
import subprocess
import sys
import urllib.parse
from pathlib import Path
from typing import Any

import pytest
from conftest import GRIG_TINY, Tool

import colltree
from colltree import _report, _style, drive

pytest.importorskip("plotly")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
PACKAGE = Path(colltree.__file__).parents[1]
SCRIPT = Path(__file__).with_name("page_in_browser.js")
OPTIONS: dict[str, Any] = {"collective": "bcast,reduce", "fit": "deployed optimal:leaves=4"}


@pytest.fixture(scope="module")
def data(grig: Path) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(drive.run("report", str(grig), quiet=True, json=True, **OPTIONS))
    return made


@pytest.fixture(scope="module")
def page(data: dict[str, Any], tool: Tool) -> Path:
    file = tool.folder / "page.html"
    file.write_text(_report.page(data), encoding="utf-8")
    return file


class Tags(html.parser.HTMLParser):
    """Elements are closed in the order in which they were opened, and nothing is loaded."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        names = dict(attributes)
        reference = names.get("href") or "#"
        assert "src" not in names and (reference.startswith("#") or reference == "data:,"), f"{tag} loads {names}"
        if tag not in ("meta", "link", "input", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1] == tag, f"</{tag}> in {self.open}"
        self.open.pop()


def test_page_is_one_complete_file(page: Path, data: dict[str, Any]) -> None:
    text = page.read_text(encoding="utf-8")
    tags = Tags()
    tags.feed(text)
    assert tags.open == []
    assert page.stat().st_size < 5e6
    assert _report.page(data) == text, "the same data give the same bytes"


def test_the_program_runs_the_package(grig: Path, tool: Tool) -> None:
    said = tool("report", grig, "--collective", "bcast", "--fit", "optimal:leaves=1", "-o", "program.html")
    text = (tool.folder / "program.html").read_text(encoding="utf-8")
    assert said.startswith("program.html: ") and 'id="report-data"' in text and "-o program.html" in text


def test_the_page_waits_for_no_pandas(tool: Tool) -> None:
    code = "import sys, colltree._report; print(sorted({'matplotlib', 'numpy', 'pandas'} & set(sys.modules)), colltree.read_profile.__name__)"
    said = subprocess.run([sys.executable, "-c", code], cwd=PACKAGE, capture_output=True, text=True, check=True).stdout
    assert said == "[] read_profile\n"


def test_the_program_looks_for_a_python_with_plotly(grig: Path, tool: Tool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first Python of the PATH lacks what the page needs, or fails when the data are there, or before."""
    words = ("report", grig, "--collective", "bcast", "--fit", "optimal:leaves=1", "-o", tmp_path / "page.html")
    python = tmp_path / "python3"
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    errors = {
        "echo plotly": "",
        "exit 3": "",
        "echo; read -r line; echo 'colltree: no room' >&2; exit 1": "colltree: no room",
        "echo; exec 0<&-; echo 'no module' >&2; exit 1": "colltree: the Python package cannot write the page (exit code 1): no module",
    }
    for script, error in errors.items():
        python.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
        python.chmod(0o755)
        if error:
            ended = subprocess.run([tool.program, *words], capture_output=True, text=True, check=False)
            assert (ended.returncode, ended.stderr.splitlines()[-1]) == (1, error)
        elif Path("/usr/bin/python3").exists():
            assert tool(*words).startswith(f"{tmp_path / 'page.html'}: ")


def test_methods_that_a_map_shows_have_colours_of_their_own(data: dict[str, Any]) -> None:
    coloured = _report._coloured(data)
    assert [len(step["colour"]) for step in coloured["penalty_steps"]] == [2] * len(data["penalty_steps"])
    for entry in coloured["collectives"]:
        colours = [method.get("colour") for method in entry["methods"]]
        assert [place for place, found in enumerate(colours) if found] == sorted(entry["legend"])
        is_text = {place: entry["methods"][place]["algorithm"] == "default" for place in entry["legend"]}
        assert {place: colours[place] == ("#222222", "#e2e4e9") for place in entry["legend"]} == is_text
        for page in (0, 1):
            assert len({found[page] for found in colours if found}) == len(entry["legend"])
            assert all(re.fullmatch("#[0-9a-f]{6}", found[page]) for found in colours if found)
    shades = _style.shades([f"a{i}" for i in range(8) for _ in range(7)])
    assert all(len({pair[page] for pair in shades}) == 56 for page in (0, 1))


def test_words_of_a_file_cannot_become_tags(data: dict[str, Any]) -> None:
    hostile = json.loads(json.dumps(data))
    hostile["system"]["system"] = "<script>alert(1)</script>"
    hostile["system"]["mpi"] = "MPI & \x1b[31m"
    hostile["collectives"][0]["methods"][0]["label"] = '"><img src=x>'
    hostile["sources_text"] = "portable methods <own>"
    text = _report.page(hostile)
    assert "<script>alert" not in text and "<img" not in text and "\x1b" not in text and "MPI &amp; \ufffd[31m" in text
    assert "portable methods &lt;own&gt;" in text


def test_two_profiles_have_the_ratios_of_compare(grig: Path, tool: Tool) -> None:
    head, *rows = GRIG_TINY.read_text("utf-8").splitlines()
    slower = (f"{row.rpartition(',')[0]},{1.5 * float(row.rpartition(',')[2])}" for row in rows)
    (tool.folder / "second.csv").write_text("\n".join([head, *slower]) + "\n", "utf-8")
    tool("import", "second.csv", "-o", "second.db")
    colltree.report(grig, tool.folder / "two.html", compare_with=tool.folder / "second.db", quiet=True, collective="bcast", fit="optimal:leaves=32")
    compared = json.loads(tool("evaluate", "compare", grig, "second.db", "--collective", "bcast", "--json"))
    text = (tool.folder / "two.html").read_text(encoding="utf-8")
    columns = compared["collectives"][0]["columns"]
    assert len(columns) > 1
    for column in columns:
        assert f'data-value="{column.get("ratio", 1)}"' in text


def test_errors_are_one_line(grig: Path, tool: Tool, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(colltree.Error, match="cannot be written"):
        colltree.report(grig, tool.folder / "no" / "page.html", quiet=True, collective="bcast", fit="optimal:leaves=1")
    with pytest.raises(colltree.Error, match="missing.db"):
        colltree.report(tool.folder / "missing.db", tool.folder / "page.html")
    _report._packed_plotly.cache_clear()
    monkeypatch.setitem(sys.modules, "plotly.offline", None)
    with pytest.raises(colltree.Error, match="python3-plotly"):
        colltree.report(grig, tool.folder / "page.html")


def percent(fraction: float) -> str:
    value = 100 * fraction
    return "0\u00a0%" if value == 0 else f"{value:.{2 if value < 1 else 1 if value < 100 else 0}f}\u00a0%"


def partly_predicted(data: dict[str, Any]) -> dict[str, Any]:
    """Return the same data, with the best times of every second instance predicted, and a method that was not measured."""
    made: dict[str, Any] = json.loads(json.dumps(data))
    for collective in made["collectives"]:
        measured, best = collective["measured_methods"], _best(collective)
        collective["methods"].append({**collective["methods"][0], "label": "not measured"})
        collective["predicted"] = [0] * len(collective["time_us"])
        for i in range(0, len(best), 2):
            collective["predicted"][i * measured + best[i]] = 1
    return made


def _best(collective: dict[str, Any]) -> list[int]:
    methods: list[int] = next(chooser for chooser in collective["choosers"] if chooser["id"] == "best")["entries"][0]["method"]
    return methods


@pytest.fixture(scope="module")
def shown(page: Path, data: dict[str, Any], tool: Tool) -> list[dict[str, Any]]:
    """What the page shows in a wide frame, in a narrow one, and by a link where a part is predicted."""
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    link = "#collective=reduce&model=optimal&leaves=2&at=4,1024&kept=1&zoom=5,12,1,5&times=4"
    (tool.folder / "predicted.html").write_text(_report.page(partly_predicted(data)), "utf-8")
    sources = ((1400, "page.html"), (420, "page.html"), (1400, f"predicted.html{link}"))
    frames = "".join(f'<iframe width="{width}" height="900" src="{source}"></iframe>' for width, source in sources)
    window = tool.folder / "window.html"
    window.write_text(f'<!doctype html><meta charset="utf-8"><pre id="found"></pre>{frames}<script>{SCRIPT.read_text("utf-8")}</script>', "utf-8")
    words = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--allow-file-access-from-files"]
    command = [CHROMIUM, *words, f"--user-data-dir={tool.folder}/browser", "--virtual-time-budget=60000", "--dump-dom", window.as_uri()]
    dumped = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    match = re.search(r'<pre id="found">(.*?)</pre>', dumped, re.S)
    assert match and match[1], "the script wrote nothing"
    found: list[dict[str, Any]] = json.loads(html.unescape(match[1]))
    for frame in found:
        assert "error" not in frame, frame["error"]
        assert frame["problems"] == []
    return found


def test_figures_are_those_of_evaluate(shown: list[dict[str, Any]], tool: Tool, grig: Path) -> None:
    for leaves in (1, 3):
        tool("fit", "optimal", grig, "--collective", "bcast", "--parameters", f"leaves={leaves}", "-o", "o.json")
        judged = json.loads(tool("evaluate", "o.json", "--on", grig, "--json"))["collectives"][0]["choosers"]
        figures = next(chooser for chooser in judged if chooser["chooser"] == "o.json")["performance_penalty"]
        readout = f"mean penalty {percent(figures['mean'])}, median {percent(figures['median'])}, at worst {percent(figures['max'])}"
        for frame in shown[:2]:
            assert [str(leaves), readout, max(2 * leaves - 2, 1)] in frame["leaves"]


def test_times_are_those_of_the_profile(shown: list[dict[str, Any]], grig: Path, data: dict[str, Any]) -> None:
    points = colltree.point_times(colltree.read_profile(grig), shown[0]["opens_on"])
    frame = shown[0]
    ranks, size = re.match(r"(\d+) ranks, (\w+)", frame["keys"][-1][0]).groups()  # type: ignore[union-attr]
    message_size = next(known for known in points.message_size.unique() if _style.bytes_of(int(known)) == size)
    here = points[(points.communicator_size == int(ranks)) & (points.message_size == message_size)]
    assert len(frame["methods"]) == len(here)
    assert [time for _, time in frame["methods"]] == pytest.approx(sorted(here.time_us), rel=1e-5)


def test_maps_are_linked_by_pointer_keys_and_zoom(shown: list[dict[str, Any]]) -> None:
    for frame in shown[:2]:
        assert frame["are_linked"] and len(frame["captions"]) == 4
        titles, notes = zip(*frame["keys"], strict=True)
        assert titles[0] != frame["at"] and titles[3] == titles[0] != titles[1]
        assert notes[2] == notes[3] == "Kept" and notes[4] == "Poin"
        assert frame["zoom"] == {"one_range": True, "is_smaller": True, "is_whole_again": True}
        assert frame["can_export_pictures"] >= 4


def test_page_fits_narrow_windows_and_has_two_schemes(shown: list[dict[str, Any]]) -> None:
    for frame in shown:
        assert frame["scroll_width"] <= int(frame["width"])
        (background, text), (other_background, other_text) = frame["schemes"]
        assert background != other_background and text != other_text


def test_tables_sort_and_export(shown: list[dict[str, Any]], data: dict[str, Any]) -> None:
    frame = shown[0]
    assert frame["sorted"] == frame["sorted_down"][::-1] and set(frame["sorted"]) == {"bcast", "reduce"}
    instances, overview = (list(csv.DictReader(io.StringIO(text))) for text in frame["csv"])
    collective = next(entry for entry in data["collectives"] if entry["collective"] == frame["opens_on"])
    assert [row["best_method"] for row in instances] == [collective["methods"][method]["label"] for method in _best(collective)]
    assert [float(row["default_us"]) for row in instances] == collective["default_us"]
    assert {row["collective"] for row in overview} == {"bcast", "reduce"}


def test_a_link_opens_the_same_view(shown: list[dict[str, Any]]) -> None:
    frame = shown[2]
    assert frame["opens_on"] == "reduce" and frame["at"].startswith("4 ranks, 1K")
    assert "optimal tree of 2 leaves" in frame["captions"][0]
    words = urllib.parse.parse_qs(shown[0]["hash"].lstrip("#"))
    assert words["model"] == ["optimal"] and words["leaves"] == [shown[0]["leaves"][-1][0]]
    assert "zoom=" in shown[0]["hash_zoomed"] and "zoom" not in words


def test_predicted_times_are_told_from_measured_ones(shown: list[dict[str, Any]]) -> None:
    measured, predicted = ([row["best_is_predicted"] for row in csv.DictReader(io.StringIO(shown[frame]["csv"][0]))] for frame in (0, 2))
    assert set(measured) == {"0"}
    assert predicted == ["1" if i % 2 == 0 else "0" for i in range(len(predicted))]
