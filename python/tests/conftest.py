# SPDX-License-Identifier: BSD-3-Clause
"""What the tests share: the program (COLLTREE_PROGRAM), and profiles and models that it makes once."""

import os
import subprocess
from pathlib import Path

import matplotlib
import pytest

matplotlib.use("Agg")
ROOT = Path(__file__).resolve().parents[2]
GRIG_TINY = ROOT / "tests" / "campaign" / "grig_tiny-3.32.csv"
MODELS = sorted((ROOT / "tests" / "data" / "models").glob("*.json"))


class Tool:
    """Starts the program in a folder and returns its standard output."""

    def __init__(self, program: str, folder: Path) -> None:
        self.program = program
        self.folder = folder

    def __call__(self, *words: object) -> str:
        command = [self.program, *(str(word) for word in words)]
        ended = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout


@pytest.fixture(scope="session")
def tool(tmp_path_factory: pytest.TempPathFactory) -> Tool:
    program = os.environ.get("COLLTREE_PROGRAM")
    if not program:
        pytest.skip("COLLTREE_PROGRAM does not name the program colltree")
    return Tool(program, tmp_path_factory.mktemp("made"))


@pytest.fixture(scope="session")
def grig(tool: Tool) -> Path:
    """The profile of the stored simulated times, which counts as imported."""
    tool("import", GRIG_TINY, "-o", "grig.db")
    return tool.folder / "grig.db"


@pytest.fixture(scope="session")
def adaptive(tool: Tool) -> Path:
    """A profile of which only some cells were measured."""
    if "simulates" not in tool("--version"):
        pytest.skip("this colltree has no simulator")
    tool("measure", "--platform", "grig", "--grid", "tiny", "--collective", "bcast", "--budget", "40cells", "--jobs", "1", "-o", "adaptive.db")
    return tool.folder / "adaptive.db"


@pytest.fixture(scope="session")
def optimal(tool: Tool, grig: Path) -> Path:
    """A model of bcast that was fitted to the profile."""
    tool("fit", "optimal", grig, "--collective", "bcast", "--parameters", "leaves=6", "-o", "optimal.json")
    return tool.folder / "optimal.json"
