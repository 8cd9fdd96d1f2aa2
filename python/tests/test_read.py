# SPDX-License-Identifier: BSD-3-Clause
"""Frames hold what the files hold, and other files are refused with one line that names the file."""

import io
import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pandas as pd
import pytest
from conftest import ROOT, Tool

import colltree
from colltree import read

EXPORTED = "system mpi collective procs nodes ppn msg_bytes algorithm segment_bytes rep time_us".split()
RECORD = ROOT / "tests" / "fuzz" / "corpus" / "record" / "small"


def as_exported(frame: pd.DataFrame) -> list[tuple[str, ...]]:
    """The rows of a frame as the texts of ``colltree export``, without the times, and the times as numbers."""
    measured = frame[frame["kind"] == "measured"].iloc[:, :11]
    return [tuple("" if pd.isna(value) else str(value) for value in row) for row in measured.itertuples(index=False)]


@pytest.mark.parametrize("made", ["grig", "adaptive"])
def test_frame_and_export_hold_the_same_rows(tool: Tool, made: str, request: pytest.FixtureRequest) -> None:
    path = request.getfixturevalue(made)
    exported = pd.read_csv(io.StringIO(tool("export", path, "-o", "-")), dtype=str, keep_default_na=False)
    assert list(exported.columns) == EXPORTED
    rows = as_exported(colltree.read_profile(path))
    assert [row[:10] for row in rows] == list(exported.iloc[:, :10].itertuples(index=False, name=None))
    assert [float(row[10]) for row in rows] == [float(value) for value in exported["time_us"]]


def test_cells_without_samples_are_predicted(adaptive: Path) -> None:
    with sqlite3.connect(adaptive) as database:
        [(wanted,)] = database.execute("SELECT count(*) FROM cells WHERE status = 'wanted'").fetchall()
    frame = colltree.read_profile(adaptive)
    assert frame["kind"].value_counts()["measured"] == 40
    predicted = frame[frame["kind"] == "predicted"]
    assert 0 < len(predicted) == wanted - 40  # every measured cell was wanted first, and is void
    assert predicted["time_us"].isna().all() and predicted["sample"].isna().all()
    assert predicted["nodes"].isna().all() and frame.loc[frame["kind"] == "measured", "nodes"].notna().all()


def test_predictions_are_those_of_the_tool(tool: Tool, adaptive: Path) -> None:
    frame = colltree.read_profile(adaptive, predict=True)
    points = colltree.best_methods(frame, "bcast").set_index(["communicator_size", "message_size"])
    cells = json.loads(tool("show", adaptive, "--map", "--json"))["maps"][0]["cells"]
    assert sum(cell["origin"] == "predicted" for cell in cells) > 10
    for cell in cells:
        assert points.loc[(cell["communicator_size"], cell["message_size"]), "time_us"] == pytest.approx(cell["time_us"], rel=1e-5)
    unmeasured = set(frame[frame["time_us"].isna()]["algorithm"])
    assert not unmeasured & set(frame[frame["kind"] == "measured"]["algorithm"])


def test_impossible_and_failed_cells(adaptive: Path, tmp_path: Path) -> None:
    path = tmp_path / "changed.db"
    shutil.copy(adaptive, path)
    with sqlite3.connect(path) as database:
        found = database.execute("SELECT id FROM cells w WHERE status = 'wanted' AND algorithm = 'dual_tree' LIMIT 2").fetchall()
        for (cell,), status in zip(found, ("cannot_run", "failed"), strict=True):
            database.execute("UPDATE cells SET status = ? WHERE id = ?", (status, cell))
    kinds = colltree.read_profile(path)["kind"].value_counts()
    assert (kinds["impossible"], kinds["failed"], kinds["measured"]) == (1, 1, 40)


def test_one_collective_of_one_system(grig: Path) -> None:
    frame = colltree.read_profile(grig, system="grig", collective="bcast")
    assert set(frame["collective"]) == {"bcast"} and len(frame) > 100
    with pytest.raises(colltree.Error, match="grig.db: holds no collective scan; it holds alltoall, bcast, reduce$"):
        colltree.read_profile(grig, collective="scan")


def damaged(grig: Path, path: Path, damage: str) -> None:
    """Make a file that ``read_profile`` must refuse."""
    shutil.copy(grig, path)
    if damage == "text":
        path.write_text("system,mpi\n" * 100)
    elif damage == "cut":
        path.write_bytes(grig.read_bytes()[:20000])
    elif damage == "other":
        path.unlink()
        with sqlite3.connect(path) as database:
            database.execute("CREATE TABLE t (a)")
    else:
        with sqlite3.connect(path) as database:
            database.execute({"newer": "PRAGMA user_version = 4", "row": "DELETE FROM samples WHERE cell = 7"}[damage])


@pytest.mark.parametrize(
    ("damage", "line"),
    [
        ("text", "is no colltree profile; import CSV and outputs of benchmarks with colltree import"),
        ("cut", "damaged"),
        ("other", "is no colltree profile but another SQLite database"),
        ("newer", "has schema 4, and this package reads 3; update colltree"),
        ("row", r"is damaged \(rows of campaign 1 are missing or were added\); save what is left of it"),
    ],
)
def test_other_profiles_are_refused(grig: Path, tmp_path: Path, damage: str, line: str) -> None:
    path = tmp_path / "bad.db"
    damaged(grig, path, damage)
    with pytest.raises(colltree.Error, match=line) as raised:
        colltree.read_profile(path)
    assert "bad.db: " in str(raised.value) and "\n" not in str(raised.value)


def test_a_profile_is_not_made_or_changed(grig: Path, tmp_path: Path) -> None:
    with pytest.raises(colltree.Error, match="none.db: no such file"):
        colltree.read_profile(tmp_path / "none.db")
    assert not (tmp_path / "none.db").exists()
    with closing(read._connect(grig)) as database, pytest.raises(sqlite3.OperationalError, match="readonly"):
        database.execute("DELETE FROM samples")


def test_map(tool: Tool, grig: Path) -> None:
    tool("show", grig, "--map", "-o", "map.csv")
    frame = colltree.read_map(tool.folder / "map.csv")
    maps = json.loads(tool("show", grig, "--map", "--json"))["maps"]
    expected = [(one["collective"], *cell.values()) for one in maps for cell in one["cells"]]
    columns = ["collective", "communicator_size", "message_size", "method", "origin", "time_us"]
    assert list(frame[columns].itertuples(index=False, name=None)) == expected
    assert frame.loc[frame["method"] == "Pipeline_1K", "segment_size"].unique().tolist() == [1024]


def test_record(tmp_path: Path) -> None:
    frame = colltree.read_record(RECORD)
    assert frame.attrs == {"state": "complete", "ranks": 8, "ranks_covered": 8, "seconds": 1.5, "calls_lost": 0}
    assert frame.loc[0, ["collective", "message_size", "segment_bytes", "calls", "total_us"]].tolist() == ["bcast", 1024, 0, 20, 896.12]
    text = RECORD.read_text()
    for content, line in (
        (text.replace("record 1", "record 2"), "bad.csv:1: is a record of version 2, and this package reads 1; update colltree"),
        (text.replace("why,", ""), "bad.csv:7: is no record of a job: expected the line"),
        (text.replace("1024", "x"), "bad.csv: is a damaged record of a job"),
        ("system\n", "bad.csv:1: is no record of a job"),
        (text.replace("# seconds 1.5\n", ""), "its head has no seconds"),
    ):
        (tmp_path / "bad.csv").write_text(content)
        with pytest.raises(colltree.Error, match=line):
            colltree.read_record(tmp_path / "bad.csv")


def test_rules(tool: Tool, optimal: Path, tmp_path: Path) -> None:
    for target in ("rules-csv", "rules-json", "openmpi-4.1"):
        tool("emit", target, optimal, "-o", target)
    rules = colltree.read_rules(tool.folder / "rules-csv")
    pd.testing.assert_frame_equal(rules, colltree.read_rules(tool.folder / "rules-json"))
    first = rules.iloc[0]
    assert first["communicator_size_min"] == 0 and pd.isna(rules["communicator_size_max"].iloc[-1]) and first["algorithm"] == "linear"
    with pytest.raises(colltree.Error, match="openmpi-4.1:1: is no table of rules"):
        colltree.read_rules(tool.folder / "openmpi-4.1")
    (tmp_path / "bad.json").write_text('{"format": "colltree rules", "version": 2}')
    with pytest.raises(colltree.Error, match="bad.json: are rules of version 2"):
        colltree.read_rules(tmp_path / "bad.json")
    (tmp_path / "bad.json").write_text('{"format": "colltree rules", "version": 1, "collectives": {"bcast": [{}]}}')
    with pytest.raises(colltree.Error, match="bad.json: are damaged rules"):
        colltree.read_rules(tmp_path / "bad.json")
