# SPDX-License-Identifier: BSD-3-Clause
"""The scripts of the papers draw and compute on small data."""

import importlib
import sys
from typing import Any

import pytest
from conftest import GRIG_TINY, ROOT, Tool
from matplotlib import pyplot as plt

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
