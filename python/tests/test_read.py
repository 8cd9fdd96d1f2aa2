# SPDX-License-Identifier: BSD-3-Clause
"""Frames hold what the files hold, and other files are refused with one line that names the file."""

import io
import json
import re
import shutil
import sqlite3
import subprocess
import warnings
from contextlib import closing
from pathlib import Path

import pandas as pd
import pytest
from conftest import ROOT, Tool

import colltree
from colltree import read

EXPORTED = "system mpi collective procs nodes ppn msg_bytes algorithm segment_bytes rep time_us".split()
CORPUS = ROOT / "tests" / "fuzz" / "corpus"
RECORD = CORPUS / "record" / "small"


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


@pytest.mark.parametrize(
    "filters",
    [
        {"system": "grig", "collective": "bcast"},
        {"collective": ["bcast", "reduce"], "communicator_size": 8},
        {"message_size": [64, 1024], "algorithm": "binomial"},
        {"communicator_size": range(2, 5), "algorithm": ["linear", "default"]},
    ],
)
@pytest.mark.parametrize("made", ["grig", "adaptive"])
def test_filters_read_only_what_they_keep(made: str, filters: dict, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    path = request.getfixturevalue(made)
    expected = colltree.read_profile(path)
    for column, choice in filters.items():
        chosen = [choice] if isinstance(choice, str | int) else list(choice)
        if made == "grig" or column != "collective":
            expected = expected[expected[column].isin(chosen)]
    read_rows = []

    def noted(query: str, *words: object, **named: object) -> object:
        found = read_sql_query(query, *words, **named)
        if "chunksize" not in named:
            return found
        parts = list(found)
        read_rows.extend(len(part) for part in parts)
        return parts

    read_sql_query = pd.read_sql_query
    monkeypatch.setattr(pd, "read_sql_query", noted)
    frame = colltree.read_profile(path, **{**filters, **({"collective": "bcast"} if made == "adaptive" else {})})
    assert len(frame) > 5 and sum(read_rows) == (frame["kind"] == "measured").sum()
    pd.testing.assert_frame_equal(frame, expected.reset_index(drop=True), check_categorical=False)


def test_values_that_a_profile_does_not_hold(grig: Path) -> None:
    with pytest.raises(colltree.Error, match="grig.db: holds no collective scan; it holds alltoall, bcast, reduce$"):
        colltree.read_profile(grig, collective="scan")
    with pytest.raises(colltree.Error, match="holds no communicator_size 7; it holds 2, 3, 4, 5, 8$"):
        colltree.read_profile(grig, communicator_size=7)
    with pytest.raises(colltree.Error, match="holds no timings with all of collective, algorithm; leave one out"):
        colltree.read_profile(grig, collective="alltoall", algorithm="split_binary")


def test_parts_together_are_the_profile(grig: Path) -> None:
    parts = list(colltree.read_profile_parts(grig))
    assert [part["collective"].unique().tolist() for part in parts] == [["alltoall"], ["bcast"], ["reduce"]]
    rows = [row for part in parts for row in as_exported(part)]
    assert rows == as_exported(colltree.read_profile(grig))
    with pytest.raises(colltree.Error, match="holds no collective scan"):
        next(colltree.read_profile_parts(grig, collective="scan"))


def test_the_checksum_is_verified_by_the_tool(grig: Path, tmp_path: Path) -> None:
    path = tmp_path / "changed.db"
    shutil.copy(grig, path)
    with sqlite3.connect(path) as database:
        database.execute("UPDATE samples SET time_us = time_us * 2 WHERE cell = 7")
    assert len(colltree.read_profile(path)) == len(colltree.read_profile(grig, verify=True))
    with pytest.raises(colltree.Error, match="changed.db: .*its checksum differs; ") as raised:
        colltree.read_profile(path, verify=True)
    assert "\n" not in str(raised.value)


def damaged(grig: Path, path: Path, damage: str) -> None:
    """Make a file that ``read_profile`` must refuse."""
    shutil.copy(grig, path)
    if damage == "text":
        path.write_text("system,mpi\n" * 100)
    elif damage == "cut":
        path.write_bytes(grig.read_bytes()[:20000])
    elif damage == "bytes":
        path.write_bytes(grig.read_bytes().replace(b"CREATE TABLE systems", b"CREATE TABLE \xff\xfe\xfdtems"))
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
        ("bytes", "cannot be read as a profile .*; if it is damaged, save what is left of it|is damaged"),
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


@pytest.mark.parametrize("made", ["grig", "adaptive"])
def test_map(tool: Tool, made: str, request: pytest.FixtureRequest) -> None:
    """Several collectives; measured and predicted points."""
    path = request.getfixturevalue(made)
    tool("show", path, "--map", "-o", "map.csv")
    frame = colltree.read_map(tool.folder / "map.csv")
    maps = json.loads(tool("show", path, "--map", "--json"))["maps"]
    expected = [(one["collective"], *cell.values()) for one in maps for cell in one["cells"]]
    columns = ["collective", "communicator_size", "message_size", "method", "origin", "time_us"]
    assert list(frame[columns].itertuples(index=False, name=None)) == expected
    methods = {(one["collective"], method["method"]): method for one in maps for method in one["methods"]}
    for row in frame.itertuples():
        method = methods[(row.collective, row.method)]
        assert (row.algorithm, None if pd.isna(row.segment_size) else row.segment_size) == (method["algorithm"], method["segment_size"])


def test_record(tmp_path: Path) -> None:
    frame = colltree.read_record(RECORD)
    assert frame.attrs == {"state": "complete", "ranks": 8, "ranks_covered": 8, "seconds": 1.5, "calls_lost": 0}
    assert frame.loc[0, ["collective", "message_size", "segment_bytes", "calls", "total_us"]].tolist() == ["bcast", 1024, 0, 20, 896.12]
    text = RECORD.read_text()
    for content, line in (
        (text.replace("record 1", "record 3"), "bad.csv:1: is a record of version 3, and this package reads 1 and 2; update colltree"),
        (text.replace("record 1", "record 2"), "bad.csv:7: is no record of a job: expected the line"),
        (text.replace("why,", ""), "bad.csv:7: is no record of a job: expected the line"),
        (text.replace("1024", "x"), "bad.csv: is a damaged record of a job"),
        ("system\n", "bad.csv:1: is no record of a job"),
        (text.replace("# seconds 1.5\n", ""), "its head has no seconds"),
    ):
        (tmp_path / "bad.csv").write_text(content)
        with pytest.raises(colltree.Error, match=line):
            colltree.read_record(tmp_path / "bad.csv")


def test_record_of_version_2() -> None:
    frame = colltree.read_record(RECORD.parent / "sites")
    assert frame.attrs["late"] == {3: 400, 5: 100} and frame.attrs["seconds"] == 0.001
    columns = ["site", "symbol", "sampled_calls", "sampled_us", "waiting_us", "completing_us"]
    assert frame.loc[0, columns].tolist() == ["/opt/cg+0x1a2f", "solve", 16, 800, 600, 0] and frame.completing_us.sum() == 300


HEAD = "# colltree record 1\n# state {state}\n# ranks 2\n# ranks_covered {covered}\n# seconds 0.0013\n# calls_lost 0\n"
OF_MODEL = "# model 2006\n# model_provenance imported\n# model_algorithms \n# model_mpi smpi-3.32\n"
ROWS = """barrier,2,1,2,0,default,,no_model,1,0,2,16.068,7.819,8.249
bcast,2,1,2,1024,linear,0,model,20,20480,40,285.325,0.920,127.296
ibcast,2,1,2,,default,,nonblocking,1,,2,,,
gatherv,2,1,2,,default,,no_methods,1,,2,4.342,1.370,2.972
"""


@pytest.mark.parametrize(("state", "covered", "model", "rows"), [("complete", 2, OF_MODEL, ROWS), ("aborted", 1, "", ROWS), ("running", 1, "", "")])
def test_records_as_jobs_write_them(tool: Tool, tmp_path: Path, state: str, covered: int, model: str, rows: str) -> None:
    columns = RECORD.read_text().splitlines()[6]
    path = tmp_path / "job.csv"
    path.write_text(HEAD.format(state=state, covered=covered) + model + columns + "\n" + rows)
    frame, shown = colltree.read_record(path), json.loads(tool("show", path, "--json"))
    assert frame.attrs == {key: shown[key] for key in frame.attrs} and len(frame.attrs) == (9 if model else 5)
    calls = [(row["function"], row["calls"], row.get("total_us")) for row in shown["passed"]]
    calls += [(one["collective"], one["calls"], one["total_us"]) for one in shown["collectives"]]
    read_calls = [(row.collective, row.calls, None if pd.isna(row.total_us) else row.total_us) for row in frame.itertuples()]
    assert sorted(calls, key=str) == sorted(read_calls, key=str) and len(calls) == (4 if rows else 0)


def test_rules_of_every_format(tool: Tool) -> None:
    """The frame holds the rules that the tool counts; what the tool does not recognise is refused."""
    targets, read = set(re.findall(r"^  (\S+)  ", tool("emit", "--help"), re.MULTILINE)), set()
    for path in sorted(path for path in CORPUS.glob("*/*") if path.parent.name in targets):
        ended = subprocess.run([tool.program, "show", path], capture_output=True, text=True, check=False)
        if ended.returncode != 0:
            with pytest.raises(colltree.Error):
                colltree.read_rules(path)
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rules = colltree.read_rules(path)
        counted: dict[str, int] = {}
        for name, count in re.findall(r"^(\w+): (\d+) rules$", ended.stdout, re.MULTILINE):
            counted[name] = counted.get(name, 0) + int(count)
        assert rules.groupby("collective").size().to_dict() == {name: count for name, count in counted.items() if count}, path
        read |= {path.parent.name} if len(rules) else set()
    assert len(read) > 11, read


@pytest.mark.parametrize("format_", ["openmpi-4.1", "mpich-4.2", "ucc", "intel", "nccl"])
def test_the_rule_that_decides(tool: Tool, format_: str) -> None:
    path = CORPUS / format_ / "emitted"
    rules = colltree.read_rules(path)
    collective = rules["collective"].iloc[0]
    of_collective = rules[rules["collective"] == collective]
    for ranks, size in ((4, 64), (30, 5000), (200, 10**6)):
        said = tool("explain", collective, ranks, size, "--rules", path, "--for", rules.attrs["for"])
        key = size * ranks if of_collective["size_key"].iloc[0] == "message_size_times_ranks" else size
        holding = of_collective[holds(of_collective, "communicator_size", ranks) & holds(of_collective, "message_size", key)]
        deciding = holding[holding["usual"] & (holding["conditions"].str.len() == 0)]["line"].tolist()
        line = re.search(rf"^  {re.escape(str(path))}:(\d+): ", said, re.MULTILINE)
        assert (int(line[1]) if line else None) == (deciding[0] if deciding else None), (ranks, size, said)


def holds(rules: pd.DataFrame, axis: str, value: object) -> pd.Series:
    """Whether the interval of each rule holds a value."""
    return (rules[f"{axis}_min"] <= value) & (rules[f"{axis}_max"].fillna(2**63 - 1) >= value)


def test_rules(tool: Tool, optimal: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for target in ("rules-json", "openmpi-4.1"):
        tool("emit", target, optimal, "-o", target)
    of_library = colltree.read_rules(tool.folder / "openmpi-4.1")
    assert of_library.attrs == {"for": "openmpi-4.1", "errors": 0, "unsafe": 0, "warnings": 0}
    assert (of_library["conditions"].str.len() == 0).all() and of_library["usual"].all()
    (tmp_path / "empty.rules").write_text("# For openmpi-4.1\n0\n")
    assert list(colltree.read_rules(tmp_path / "empty.rules").columns) == list(of_library.columns)
    (tmp_path / "bad.rules").write_text("# For openmpi-4.1\n1\n7\n1\n0\n1\n5 1 0 0\n")
    with pytest.warns(UserWarning, match="bad.rules: has 1 errors for openmpi-4.1; check_rules lists them"):
        colltree.read_rules(tmp_path / "bad.rules")
    with pytest.raises(colltree.Error, match="grig.db: holds no rules; read_profile"):
        colltree.read_rules(tool.folder / "grig.db")
    with pytest.raises(colltree.Error, match="record.csv: holds no rules"):
        shutil.copy(RECORD, tmp_path / "record.csv")
        colltree.read_rules(tmp_path / "record.csv")
    monkeypatch.delenv("COLLTREE_PROGRAM")
    monkeypatch.setenv("PATH", "/nowhere")
    rules = colltree.read_rules(tool.folder / "rules-json")
    first = rules.iloc[0]
    assert first["communicator_size_min"] == 0 and pd.isna(rules["communicator_size_max"].iloc[-1]) and first["algorithm"] == "linear"
    with pytest.raises(colltree.Error, match="the program colltree is not on the PATH"):
        colltree.read_rules(tool.folder / "openmpi-4.1")
    for text, line in (
        ('{"format": "colltree rules", "version": 2}', "bad.json: are rules of version 2"),
        ('{"format": "colltree rules", "version": 1, "collectives": {"bcast": [{}]}}', "bad.json: are damaged rules"),
    ):
        (tmp_path / "bad.json").write_text(text)
        with pytest.raises(colltree.Error, match=line):
            colltree.read_rules(tmp_path / "bad.json")
