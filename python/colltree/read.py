# SPDX-License-Identifier: BSD-3-Clause
"""Reads the files of colltree as frames (docs/reference/formats)."""

import io
import json
import os
import re
import sqlite3
import warnings
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from . import drive
from .errors import Error, PathLike, read_bytes, read_text

Json: TypeAlias = dict[str, Any]
POINT = ["system", "collective", "communicator_size", "message_size", "algorithm", "segment_size"]
Choice: TypeAlias = str | int | Iterable[str | int] | None  # a value, several, or None: all
APPLICATION_ID = 0x434F4C54
SCHEMA_VERSION = 3
_REMEDY = "save what is left of it as docs/reference/formats/profile.md says"
_FROM = "FROM cells JOIN campaigns c ON c.id = campaign JOIN systems s ON s.id = c.system"
_CELLS = f"""
SELECT cells.id, s.name AS system, s.mpi, collective, communicator_size, nullif(nodes, 0) AS nodes,
       nullif(ranks_per_node, 0) AS ranks_per_node, message_size, algorithm, segment_size, status, s.provenance, c.id AS campaign
{_FROM} WHERE {{where}}
ORDER BY s.name, collective, communicator_size, message_size, cells.nodes, cells.ranks_per_node, algorithm, segment_size, cells.id
"""
_SAMPLES = "SELECT cell, rep AS sample, time_us FROM samples {where} ORDER BY cell, rep, time_us, copy"
_FILTERS = {
    "system": "s.name",
    "collective": "collective",
    "communicator_size": "communicator_size",
    "message_size": "message_size",
    "algorithm": "algorithm",
}
_COLUMNS = "system mpi collective communicator_size nodes ranks_per_node message_size algorithm segment_size sample time_us kind".split()
_KINDS = {"ok": "measured", "wanted": "predicted", "cannot_run": "impossible", "failed": "failed"}
_MAP_HEAD = "collective,communicator_size,message_size,method,algorithm,segment_size,origin,time_us"
_RULES_HEAD = (
    "collective,communicator_size_min,communicator_size_max,message_size_min,message_size_max,"
    "ranks_per_node_min,ranks_per_node_max,algorithm,segment_size"
)
_RULES_OF_LIBRARIES = ["nodes_min", "nodes_max", "conditions", "usual", "line", "run", "size_key"]
_RECORD_HEAD = "# colltree record "


def read_profile(
    path: PathLike,
    *,
    system: Choice = None,
    collective: Choice = None,
    communicator_size: Choice = None,
    message_size: Choice = None,
    algorithm: Choice = None,
    predict: bool = False,
    verify: bool = False,
) -> pd.DataFrame:
    """Read the timings of a profile (``P.db``), which is opened read only.

    Parameters
    ----------
    system, collective, communicator_size, message_size, algorithm : str, int or list, optional
        Read only the rows with this value, or with one of these. Other samples are not taken into memory.
    predict : bool
        Also ask the program ``colltree`` for the predicted times of an adaptive campaign (six digits). They are expensive to compute and not
        stored in the file; without this their ``time_us`` is missing, and with it only that of methods of which no cell was measured.
    verify : bool
        Also let the program verify the checksum over all rows, as each of its commands does. Without this the structure of the file, the
        bounds of its values and the numbers of its rows are checked, but not whether another program changed a time.

    Returns
    -------
    DataFrame
        One row for each sample, and one for each cell without one, in the order of ``colltree export``: system, mpi, collective,
        communicator_size (ranks), nodes, ranks_per_node (missing: not known), message_size (bytes), algorithm, segment_size (bytes, 0: not
        segmented, missing: not known or ruled by the library), sample (number of the repetition, missing: an aggregate), time_us, kind,
        provenance and campaign (a number within the file). kind is ``measured``, ``predicted``, ``impossible`` (the method cannot run there)
        or ``failed`` (no correct result); only the first two have a time.

    Examples
    --------
    >>> profile = colltree.read_profile("grig.db")
    >>> profile[profile.kind == "measured"].groupby("algorithm").time_us.median()
    """
    if verify:
        drive.run("show", path, quiet=True)
    named = (system, collective, communicator_size, message_size, algorithm)
    with _open_profile(path) as database:
        frame = _read_rows(database, os.fspath(path), dict(zip(_FILTERS, named, strict=True)))
    return with_predictions(frame, path) if predict else frame


def read_profile_parts(path: PathLike, *, system: Choice = None, collective: Choice = None) -> Iterator[pd.DataFrame]:
    """Read a large profile in parts: one frame for each system and collective, in the order of ``read_profile``.

    The file is checked once, and only one part is in memory at a time. The parameters, columns and errors are those of ``read_profile``.

    Examples
    --------
    >>> for part in colltree.read_profile_parts("large.db"):  # doctest: +SKIP
    ...     print(part.collective.iloc[0], part.time_us.median())
    """
    name = os.fspath(path)
    with _open_profile(path) as database:
        where, values = _where({"system": system, "collective": collective})
        with _one_line(name):
            parts = database.execute(f"SELECT DISTINCT s.name, collective {_FROM} WHERE {where} ORDER BY 1, 2", values).fetchall()
        for part in parts or [(system, collective)]:
            yield _read_rows(database, name, {"system": part[0], "collective": part[1]})


@contextmanager
def _one_line(name: str) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, pd.errors.DatabaseError, UnicodeDecodeError) as error:
        raise Error(f"{name}: cannot be read as a profile ({' '.join(str(error).split())}); if it is damaged, {_REMEDY}") from None


@contextmanager
def _open_profile(path: PathLike) -> Iterator[sqlite3.Connection]:
    """Give the database of a profile that was checked."""
    name = os.fspath(path)
    if not Path(path).is_file():
        raise Error(f"{name}: no such file; a profile is what colltree measure and colltree import write")
    with _one_line(name), closing(_connect(path)) as database:
        _check_profile(database, name)
        yield database


def _where(filters: dict[str, Choice]) -> tuple[str, list[str | int]]:
    """Return the condition of SQL for the filters, and its values."""
    conditions, values = ["1"], []
    for column, choice in filters.items():
        if choice is not None:
            chosen = [choice] if isinstance(choice, str) or not isinstance(choice, Iterable) else list(choice)
            conditions.append(f"{_FILTERS[column]} IN ({', '.join('?' * len(chosen))})")
            values += [value if isinstance(value, str) else int(value) for value in chosen]
    return " AND ".join(conditions), values


def _read_rows(database: sqlite3.Connection, name: str, filters: dict[str, Choice]) -> pd.DataFrame:
    where, values = _where(filters)
    cells = pd.read_sql_query(_CELLS.format(where=where), database, params=values)
    if values and cells.empty:
        raise _nothing_held(database, name, filters)
    of_cells = f"WHERE cell IN (SELECT cells.id {_FROM} WHERE {where})" if values else ""
    # They are read in parts, so that a large profile does not fill the memory with Python objects.
    parts = list(pd.read_sql_query(_SAMPLES.format(where=of_cells), database, params=values, chunksize=1 << 18))
    samples = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=["cell", "sample", "time_us"], dtype=float)
    return _join(cells, samples).reset_index(drop=True)


def _nothing_held(database: sqlite3.Connection, name: str, filters: dict[str, Choice]) -> Error:
    for column, choice in filters.items():
        where, values = _where({column: choice})
        held = [str(value) for (value,) in database.execute(f"SELECT DISTINCT {_FILTERS[column]} {_FROM} ORDER BY 1")]
        if values and not set(held) & {str(value) for value in values}:
            return Error(f"{name}: holds no {column} {', '.join(str(value) for value in values)}; it holds {', '.join(held) or 'nothing'}")
    return Error(f"{name}: holds no timings with all of {', '.join(column for column in filters if filters[column] is not None)}; leave one out")


def _connect(path: PathLike) -> sqlite3.Connection:
    return sqlite3.connect(f"{Path(path).absolute().as_uri()}?mode=ro", uri=True)


def _check_profile(database: sqlite3.Connection, name: str) -> None:
    def pragma(what: str) -> Any:
        return database.execute(f"PRAGMA {what}").fetchone()[0]

    try:
        application = pragma("application_id")
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorname != "SQLITE_NOTADB":
            raise
        raise Error(f"{name}: is no colltree profile; import CSV and outputs of benchmarks with colltree import") from None
    if application != APPLICATION_ID:
        raise Error(f"{name}: is no colltree profile but another SQLite database; a profile is what colltree measure writes")
    version = pragma("user_version")
    if version != SCHEMA_VERSION:
        remedy = "update colltree" if version > SCHEMA_VERSION else "measure or import again"
        raise Error(f"{name}: has schema {version}, and this package reads {SCHEMA_VERSION}; {remedy}")
    damage = pragma("quick_check(1)")
    if damage != "ok":
        raise Error(f"{name}: is damaged ({' '.join(damage.split())}); {_REMEDY}")
    counts = (
        "SELECT id, cell_count, sample_count, (SELECT count(*) FROM cells WHERE campaign = c.id),"
        " (SELECT count(*) FROM samples JOIN cells ON cells.id = cell WHERE campaign = c.id) FROM campaigns c"
    )
    for campaign, *expected_and_found in database.execute(counts):
        if expected_and_found[:2] != expected_and_found[2:]:
            raise Error(f"{name}: is damaged (rows of campaign {campaign} are missing or were added); {_REMEDY}")


def _join(cells: pd.DataFrame, samples: pd.DataFrame) -> pd.DataFrame:
    """Return one row for each sample, and one for each cell that has none and is not replaced by another cell of the same point."""
    types = dict.fromkeys(("system", "mpi", "collective", "algorithm", "status", "provenance"), "category")
    cells = cells.astype(dict.fromkeys(("nodes", "ranks_per_node", "segment_size"), "float64"))  # where all are missing they are no numbers yet
    cells = cells.astype({**types, **dict.fromkeys(("nodes", "ranks_per_node", "segment_size"), "Int64")})
    rank = cells["status"].astype(str).map({"ok": 0, "cannot_run": 1, "failed": 1, "wanted": 2})
    point = cells.groupby(POINT, dropna=False, observed=True).ngroup()
    cells = cells[(rank == rank.groupby(point).transform("min")) & ((rank < 2) | ~point.where(rank == 2).duplicated())]
    keys = [*POINT, "nodes", "ranks_per_node"]
    place = cells.groupby(keys, dropna=False, observed=True, sort=False).ngroup()
    frame = cells.assign(place=place).merge(samples, how="left", left_on="id", right_on="cell")
    frame = frame[(frame["status"] != "ok") | frame["time_us"].notna()].astype({"time_us": float})
    repetition = frame["sample"].fillna(-1).to_numpy(np.int64)
    frame = frame.assign(sample=pd.arrays.IntegerArray(repetition, repetition < 0), kind=frame["status"].cat.rename_categories(_KINDS))
    # The cells are sorted; campaigns of one point are mixed by repetition and time, as in colltree export.
    return frame.iloc[np.lexsort((frame["time_us"], repetition, frame["place"]))][[*_COLUMNS, "provenance", "campaign"]]


def _read_table(text: str, name: str, head: str, what: str, integers: list[str], first_line: int = 1) -> pd.DataFrame:
    """Return the CSV ``text`` that must begin with ``head``; ``integers`` may be empty, and ``first_line`` is the line of the head."""
    line, _, _ = text.partition("\n")
    if line.rstrip("\r") != head:
        raise Error(f"{name}:{first_line}: is no {what}: expected the line '{head}'")
    try:
        frame = pd.read_csv(io.StringIO(text), keep_default_na=False, na_values={column: [""] for column in [*integers, "time_us"]}, dtype=str)
        for column in integers:
            frame[column] = pd.array([None if pd.isna(value) else int(value) for value in frame[column]], dtype="Int64")
        for column in (column for column in frame.columns if column.endswith("_us") or column in ("bytes",)):
            frame[column] = frame[column].replace("", "nan").astype(float)  # pandas' own parser is not exact
    except (ValueError, OverflowError, pd.errors.ParserError) as error:
        raise Error(f"{name}: is a damaged {what} ({' '.join(str(error).split())}); write it again") from None
    return frame


def read_map(path: PathLike) -> pd.DataFrame:
    """Read decision maps, the CSV of ``colltree show P.db --map -o map.csv``.

    Returns
    -------
    DataFrame
        One row for each point of the full grid: collective, communicator_size, message_size (bytes), method (as the papers print it),
        algorithm, segment_size (bytes, missing: ruled by the library), origin (``measured``, ``interpolated``, ``predicted``) and time_us of
        the best method.

    Examples
    --------
    >>> colltree.read_map("map.csv").query("collective == 'bcast'").pivot(index="communicator_size", columns="message_size", values="method")
    """
    return _read_table(read_text(path), os.fspath(path), _MAP_HEAD, "decision map", ["communicator_size", "message_size", "segment_size"])


def read_record(path: PathLike) -> pd.DataFrame:
    """Read a record of a job, the CSV of ``colltree run --record``.

    Returns
    -------
    DataFrame
        One row for each kind of call, with the columns of docs/reference/formats/record.md (version 1 has none behind max_us).
        ``attrs`` holds the head of the file: state, ranks, ranks_covered, seconds, calls_lost, late (microseconds by rank, in
        version 2) and where known those of the model.

    Examples
    --------
    >>> colltree.read_record("job.csv").groupby("collective").total_us.sum()
    """
    text, name = read_text(path), os.fspath(path)
    lines = text.splitlines()
    if not text.startswith(_RECORD_HEAD):
        raise Error(f"{name}:1: is no record of a job; colltree run --record writes one")
    version = lines[0].removeprefix(_RECORD_HEAD)
    if version not in ("1", "2"):
        raise Error(f"{name}:1: is a record of version {version}, and this package reads 1 and 2; update colltree")
    head = [line[2:] for line in lines[1:] if line.startswith("# ")]
    columns = (
        "collective,communicator_size,nodes,ranks_per_node,message_size,algorithm,segment_bytes,why,calls,bytes,rank_calls,total_us,min_us,max_us"
    )
    integers = ["communicator_size", "nodes", "ranks_per_node", "message_size", "segment_bytes", "calls", "rank_calls"]
    if version == "2":
        columns += ",site,symbol,sampled_calls,sampled_us,waiting_us,completing_us"
        integers.append("sampled_calls")
    body = "\n".join(lines[1 + len(head) :]) + "\n"
    frame = _read_table(body, name, columns, "record of a job", integers, first_line=2 + len(head))
    if version == "2":
        frame.attrs["late"] = {int(rank): float(time_us) for _, rank, time_us in (line.split() for line in head if line.startswith("late "))}
    for key, _, value in (line.partition(" ") for line in head if not line.startswith("late ")):
        frame.attrs[key] = int(value) if key in ("ranks", "ranks_covered", "calls_lost") and value.isdecimal() else value
    try:
        frame.attrs["seconds"] = float(frame.attrs["seconds"])
    except (KeyError, ValueError):
        raise Error(f"{name}: is a damaged record of a job (its head has no seconds); record the job again") from None
    return frame


def read_rules(path: PathLike) -> pd.DataFrame:
    """Read rules as a table, of every format that ``colltree emit`` and the MPI libraries write.

    Files of the target ``rules-json`` are read without the program ``colltree``, all others by ``colltree show --json``.

    Returns
    -------
    DataFrame
        One row for each rule in the order in which they are tried: collective, communicator_size_min and _max (ranks), message_size_min and
        _max (bytes), ranks_per_node_min and _max (missing maximum: no end), algorithm (``default``: the library decides) and segment_size
        (bytes, missing: ruled by the library). Formats of libraries have further columns: nodes_min and _max, conditions (texts that a call
        must meet, too), usual (whether an ordinary call meets them), line, run (line of the command of a script that runs several, or 0)
        and size_key (``message_size_times_ranks``: the sizes are compared with the message size times the ranks). ``attrs`` then holds what
        ``colltree check`` counts, and ``for``, the target.

    Warns
    -----
    UserWarning
        The library finds errors in the file; the frame holds what can be read of it.

    Examples
    --------
    >>> colltree.read_rules("bcast.rules.json").groupby("collective").size()
    """
    name, document = os.fspath(path), None
    with suppress(ValueError, RecursionError):  # files of libraries may be JSON with comments
        document = json.loads(read_bytes(path).decode("utf-8", errors="replace"))
    is_ours = isinstance(document, dict) and document.get("format") == "colltree rules"
    return _rules_of_json(document, name) if is_ours else _rules_of_tool(name)


def _rules_of_json(document: Any, name: str) -> pd.DataFrame:
    try:
        if document["version"] != 1:
            raise Error(f"{name}: are rules of version {document['version']}, and this package reads 1; update colltree")
        return _rule_table((collective, rule, {}) for collective, rules in document["collectives"].items() for rule in rules)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError) as error:
        raise Error(f"{name}: are damaged rules ({error}); write them again with colltree emit rules-json") from None


def _rules_of_tool(name: str) -> pd.DataFrame:
    document = drive.run_json("show", name, quiet=True)
    if not isinstance(document, dict) or not document.get("schema", "").startswith("colltree/rules/"):
        raise Error(f"{name}: holds no rules; read_profile, read_model and read_record read other files")
    if document["errors"]:
        warnings.warn(f"{name}: has {document['errors']} errors for {document['for']}; check_rules lists them", stacklevel=3)
    further = itemgetter("conditions", "usual", "line")
    frame = _rule_table(
        (entry["collective"], rule, dict(zip(_RULES_OF_LIBRARIES, (*rule["nodes"], *further(rule), run["line"], entry["size_key"]), strict=True)))
        for run in document["runs"]
        for entry in run["collectives"]
        for rule in entry["rules"]
    )
    frame.attrs.update({key: document[key] for key in ("for", "errors", "unsafe", "warnings")})
    return frame


def _rule_table(rules: Iterable[tuple[str, dict[str, Any], dict[str, Any]]]) -> pd.DataFrame:
    """Return the rules of JSON, each with its collective and further columns, as a frame."""
    rows = []
    for collective, rule, further in rules:
        row: dict[str, Any] = {"collective": collective}
        for axis in ("communicator_size", "message_size", "ranks_per_node"):
            row[f"{axis}_min"], row[f"{axis}_max"] = rule.get(axis, [0, None])
        row |= {"algorithm": rule["algorithm"], "segment_size": rule.get("segment_size")}
        rows.append(row | further)
    frame = pd.DataFrame(rows, columns=list(rows[0]) if rows else [*_RULES_HEAD.split(","), *_RULES_OF_LIBRARIES])
    for column in frame.columns:
        if column.endswith(("_min", "_max", "segment_size")):
            frame[column] = pd.array([row[column] for row in rows], dtype="Int64")
    return frame


def report_data(path: PathLike, **options: Any) -> Json:
    """Return the JSON of ``colltree report`` without the expensive parts: the times of all methods, and how models are judged."""
    return dict(drive.run_json("report", path, quiet=True, fit="optimal:leaves=1", **options))


def reported_times(entry: Json) -> pd.DataFrame:
    """Return the times of a collective, and the ends of their intervals: a row for each instance and method that has one."""
    labels = [(method["algorithm"], re.search(r"_(\d+)([KMB]?)$", method["label"])) for method in entry["methods"][: entry["measured_methods"]]]
    methods = [(name, int(found[1]) << {"K": 10, "M": 20}.get(found[2], 0) if found else None) for name, found in labels]
    columns = {name: np.array(entry[name] or entry["time_us"], dtype=float).reshape(-1, len(methods)) for name in ("time_us", "low_us", "high_us")}
    times = {method: {column: values[:, i] for column, values in columns.items()} for i, method in enumerate(methods)}
    instances = pd.DataFrame(entry["instances"]).assign(collective=entry["collective"])
    nothing = np.full(len(instances), np.nan)
    times["default", None] = {"time_us": np.array(entry["default_us"] or nothing, dtype=float), "low_us": nothing, "high_us": nothing}
    parts = [instances.assign(algorithm=name, segment_size=segment, **found) for (name, segment), found in times.items()]
    return pd.concat(parts).dropna(subset="time_us").astype({"segment_size": "Int64"})


def with_predictions(frame: pd.DataFrame, path: PathLike) -> pd.DataFrame:
    """Return the rows of a profile with the predicted times, missing for methods of which no cell was measured."""
    wanted = frame["kind"] == "predicted"
    parts = [pd.DataFrame(columns=[*POINT, "time_us"])]
    for system, rows in frame[wanted].groupby("system", observed=True):
        document = report_data(path, system=system, collective=rows["collective"].astype(str).unique())
        parts += [reported_times(entry).assign(system=system) for entry in document["collectives"]]
    types = {name: np.int64 if name.endswith("_size") else str for name in POINT}
    known, asked = (rows.fillna({"segment_size": -1}).astype(types) for rows in (pd.concat(parts), frame.loc[wanted, POINT]))
    times = asked.merge(known.drop_duplicates(POINT, keep="last"), how="left", on=POINT)["time_us"]
    frame.loc[wanted, "time_us"] = times.to_numpy(float)
    return frame
