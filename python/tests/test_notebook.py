# SPDX-License-Identifier: BSD-3-Clause
"""The notebook runs as it stands, and what it prints is what is stored in it."""

import base64
import contextlib
import importlib.util
import io
import json
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, Tool

NOTEBOOK = ROOT / "python" / "examples" / "osu_to_rules.ipynb"
MOST_PICTURE_BYTES = 60_000


def _code_cells(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [cell for cell in document["cells"] if cell["cell_type"] == "code"]


def _printed(cell: dict[str, Any]) -> str:
    return "".join("".join(output["text"]) for output in cell["outputs"] if output.get("name") == "stdout")


@pytest.fixture
def stored(tool: Tool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The notebook, whose folder is the current one and whose files go to one of the test."""
    monkeypatch.chdir(NOTEBOOK.parent)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    document: dict[str, Any] = json.loads(NOTEBOOK.read_text())
    return document


def test_the_code_of_the_notebook(stored: dict[str, Any]) -> None:
    names: dict[str, Any] = {}
    for cell in _code_cells(stored):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec("".join(cell["source"]), names)
        assert printed.getvalue() == _printed(cell)
    assert names["rules"].read_text().startswith("# optimal of bcast on orfeo") and names["checked"].empty
    penalties = {name: frame["penalty"].mean() for name, frame in names["penalties"].items()}
    assert penalties["tree"] == pytest.approx(names["model"].statistics["performance_penalty"]["mean"]) and penalties["default"] > 0.4


@pytest.mark.skipif(not all(importlib.util.find_spec(name) for name in ("nbclient", "ipykernel")), reason="no nbclient or no ipykernel")
def test_the_notebook_in_a_kernel(stored: dict[str, Any]) -> None:
    import nbclient
    import nbformat

    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    assert [_printed(cell) for cell in _code_cells(notebook)] == [_printed(cell) for cell in _code_cells(stored)]
    assert _kinds(notebook) == _kinds(stored)


def _kinds(document: dict[str, Any]) -> list[list[str]]:
    """The kinds of output of each cell."""
    return [sorted(kind for output in cell["outputs"] for kind in output.get("data", {})) for cell in _code_cells(document)]


def test_the_stored_outputs_are_small(stored: dict[str, Any]) -> None:
    outputs = [output for cell in _code_cells(stored) for output in cell["outputs"]]
    pictures = [base64.b64decode("".join(output["data"]["image/png"])) for output in outputs if "image/png" in output.get("data", {})]
    assert [len(picture) <= MOST_PICTURE_BYTES for picture in pictures] == [True]
    assert not any(output["output_type"] == "error" for output in outputs)
