# SPDX-License-Identifier: BSD-3-Clause
"""What README.md and the manual show in Python runs as it stands there, and so do the examples of the docstrings."""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT


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
