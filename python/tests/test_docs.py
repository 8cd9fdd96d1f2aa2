# SPDX-License-Identifier: BSD-3-Clause
"""What README.md and the manual show in Python runs as it stands there, and so do the examples of the docstrings."""

import doctest
import importlib.util
import pkgutil
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, Tool

import colltree

RECORD = ROOT / "tests" / "fuzz" / "corpus" / "record" / "small"


def _blocks(page: str) -> str:
    """The Python of a page, whose blocks continue each other."""
    return "\n".join(re.findall(r"^```python\n(.*?)^```\n", (ROOT / page).read_text(), flags=re.M | re.S))


@pytest.fixture
def shown(grig: Path, optimal: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files of which the pages speak."""
    shutil.copy(grig, tmp_path / "grig.db")
    shutil.copy(optimal, tmp_path / "bcast.json")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_lines_of_readme(shown: Path) -> None:
    lines = _blocks("README.md")
    assert len(lines.splitlines()) == 6
    exec(lines, {})
    assert (shown / "map.pdf").read_bytes().startswith(b"%PDF")


def test_the_page_of_the_package(shown: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("sklearn")
    names: dict[str, Any] = {}
    exec(_blocks("docs/tasks/python.md"), names)
    printed = re.findall(r"(\w+)\(.*\) ([\d.e-]+)$", capsys.readouterr().out, flags=re.M)
    penalties = {learner: float(penalty) for learner, penalty in printed}
    assert len(penalties) == len(names["learners"]) == 4
    assert 0 < penalties["OptimalTreeClassifier"] <= penalties["DecisionTreeClassifier"] < 1


class _ShownOnly(doctest.OutputChecker):
    """Compares a result only where the docstring shows one."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        return not want or super().check_output(want, got, optionflags)


def test_the_examples_of_the_docstrings(tool: Tool, shown: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tool("show", shown / "grig.db", "--map", "-o", shown / "map.csv")
    tool("emit", "rules-json", shown / "bcast.json", "-o", shown / "bcast.rules.json")
    tool("emit", "openmpi-4.1", shown / "bcast.json", "-o", shown / "bcast.rules")
    shutil.copy(RECORD, shown / "job.csv")
    known = {"colltree": colltree, "Path": Path, "profile": colltree.read_profile("grig.db"), "model": colltree.read_model("bcast.json")}
    runner = doctest.DocTestRunner(_ShownOnly())
    for name in [found.name for found in pkgutil.iter_modules(colltree.__path__, "colltree.")] + ["colltree"]:
        if name != "colltree.sklearn" or importlib.util.find_spec("sklearn"):
            for example in doctest.DocTestFinder(exclude_empty=True).find(importlib.import_module(name), extraglobs=known):
                runner.run(example)
    failed, tried = runner.summarize()
    assert failed == 0 and tried > 30, capsys.readouterr().out
