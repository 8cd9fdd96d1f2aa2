# SPDX-License-Identifier: BSD-3-Clause
"""Starts the program ``colltree``: its progress is passed on, its results become frames and its errors ``Error``.

The program is the one that the environment variable COLLTREE_PROGRAM names, otherwise the first ``colltree`` on the PATH. Every function raises
``Error`` with the program's one line, or because it is not installed. ``quiet`` keeps progress to itself, and ``options`` are those of the
command: ``communicator_sizes=[4, 8]`` is ``--communicator-sizes=4,8``, ``without_default=True`` is ``--without-default``.
"""

import importlib.util
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from typing import IO, Any

import pandas as pd

from .errors import Error, PathLike

PROGRAM_VARIABLE = "COLLTREE_PROGRAM"
_PROGRESS = re.compile(r"^(?P<what>.+?): (?P<done>\d+)/(?P<all>\d+) (?P<unit>\w+) \(\d+ %\)")
_FIT_OPTIONS = frozenset(
    "collective details external json memory_limit mix output parameters"
    " ranks_per_node reproducible setting system time time_limit without_default".split()
)


def find_program() -> str:
    """Return the path of the program."""
    named = os.environ.get(PROGRAM_VARIABLE)
    found = shutil.which(named or "colltree")
    if found is None:
        where = f"{PROGRAM_VARIABLE} names {named}, which is no program" if named else "the program colltree is not on the PATH"
        raise Error(f"{where}; install it (docs/tasks/installing.md), or set {PROGRAM_VARIABLE} to its path")
    return found


def arguments_of(options: dict[str, Any]) -> list[str]:
    """Return keyword arguments as options of the command line; None and False are omitted."""
    arguments = []
    for name, value in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is True:
            arguments.append(option)
        elif isinstance(value, Iterable) and not isinstance(value, str):
            texts = [os.fspath(one) if isinstance(one, os.PathLike) else str(one) for one in value]
            # Paths may hold commas.
            arguments += [f"{option}={text}" for text in (texts if name == "model" else [",".join(texts)])]
        elif value is not None and value is not False:
            arguments.append(f"{option}={os.fspath(value) if isinstance(value, os.PathLike) else value}")
    return arguments


def fit_options(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options of ``colltree fit KIND``, in which every other name becomes a parameter of the model.

    ``leaves=6, system="grig"`` becomes ``parameters="leaves=6", system="grig"``.
    """
    parameters = {name: value for name, value in options.items() if name not in _FIT_OPTIONS and value is not None}
    words = [f"{name}={str(value).lower() if isinstance(value, bool) else value}" for name, value in parameters.items()]
    words += [options["parameters"]] if options.get("parameters") else []
    return {name: value for name, value in options.items() if name not in parameters} | {"parameters": ",".join(words) or None}


def _show(line: str, bar: Any) -> Any:
    """Show a line of the program: progress as a bar of tqdm in a notebook, other lines on standard error; return the bar."""
    found = _PROGRESS.match(line)
    if found is None or "ipykernel" not in sys.modules or importlib.util.find_spec("tqdm") is None:
        print(line, file=sys.stderr, flush=True)
        return bar
    if bar is None or bar.desc != found["what"]:
        from tqdm.auto import tqdm

        _close(bar)
        bar = tqdm(desc=found["what"], total=int(found["all"]), unit=found["unit"])
    bar.total = int(found["all"])
    bar.update(int(found["done"]) - bar.n)
    return bar


def _close(bar: Any) -> None:
    if bar is not None:
        bar.close()


def _pass_on(stream: IO[str], quiet: bool) -> str:
    """Show the lines of a stream as they come, and return the first error among them, or the last line."""
    error, last, bar = "", "", None
    for line in (line.rstrip("\n") for line in stream):
        if line.startswith("colltree: ") and not error:
            error = line.removeprefix("colltree: ")
        elif line:
            last = line
            bar = bar if quiet or error else _show(line, bar)
    _close(bar)
    return error or last


def run(command: str, *words: PathLike, quiet: bool = False, **options: Any) -> str:
    """Start ``colltree COMMAND --OPTIONS... -- WORDS...`` and return its standard output.

    Parameters
    ----------
    command : str
        The command, such as ``"show"`` or ``"evaluate compare"``.
    *words : str or path
        Its positional arguments.
    **options
        Options of the command line; ``fit KIND`` also takes parameters of the model by their names.

    Examples
    --------
    >>> colltree.drive.run("show", "grig.db", json=True)
    """
    if command.startswith("fit "):
        options = fit_options(options)
    line = [find_program(), *command.split(), *arguments_of(options), *(["--", *(os.fspath(word) for word in words)] if words else [])]
    # The output goes to a file, so that a full pipe cannot stop the program while its messages are read.
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        with subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE, text=True, errors="replace") as process:
            assert process.stderr is not None
            try:
                message = _pass_on(process.stderr, quiet)
            except BaseException:
                process.terminate()
                raise
        if process.returncode != 0:
            raise Error(message or f"colltree {command} ended with exit code {process.returncode} and no message")
        output.seek(0)
        return output.read()


def run_json(command: str, *words: PathLike, **options: Any) -> Any:
    """Return the JSON of a command."""
    return json.loads(run(command, *words, json=True, **options))


def measure(output: PathLike, *, quiet: bool = False, **options: Any) -> pd.DataFrame:
    """Measure the methods of collectives (``colltree measure``) and return the profile, as ``read_profile`` does.

    Parameters
    ----------
    output : str or path
        The profile; an existing one is continued.
    **options
        ``platform="grig"`` or ``launcher="mpirun -np {ranks}"``, ``collective="bcast"``, ``message_sizes=[64, 1024]``, ``budget="30m"``, ...

    Examples
    --------
    >>> colltree.measure("grig.db", platform="grig", grid="tiny", collective="bcast")  # doctest: +SKIP
    """
    from .read import read_profile

    run("measure", output=output, quiet=quiet, **options)
    return read_profile(output)


def tune(output: PathLike, *, quiet: bool = False, **options: Any) -> pd.DataFrame:
    """Measure, fit, evaluate and emit (``colltree tune``), and return the penalties of what was compared.

    The options are those of ``measure``; ``output`` is a folder, which holds ``profile.db``, the models and ``tuned.cdt``.

    Returns
    -------
    DataFrame
        One row for each collective and decision function: system, collective, chooser, detail, points (``training``), cannot_run (number
        of instances) and the fields of ``performance_penalty`` (fractions; docs/reference/formats/map.md).

    Examples
    --------
    >>> colltree.tune("tuned", platform="grig", grid="tiny")[["collective", "chooser", "mean"]]  # doctest: +SKIP
    """
    return _choosers(run_json("tune", output=output, quiet=quiet, **options))


def _choosers(document: dict[str, Any]) -> pd.DataFrame:
    """Return a row for each collective, decision function and kind of points of the JSON of ``tune`` and ``evaluate compare``."""
    rows = []
    for entry in document["collectives"]:
        for chooser in entry["choosers"]:
            points = {"training": chooser, **(chooser.get("held_out") or {}), "on": chooser.get("on")}
            plain = {name: value for name, value in chooser.items() if not isinstance(value, dict | list)}
            for name, judged in ((name, judged) for name, judged in points.items() if judged):
                row = {"system": document["system"], "collective": entry["collective"], **plain, "points": name}
                rows.append({**row, "cannot_run": len(judged.get("cannot_run") or []), **(judged.get("performance_penalty") or {})})
    return pd.DataFrame(rows)


def compare(profile: PathLike, *models: PathLike, quiet: bool = False, **options: Any) -> pd.DataFrame:
    """Compare decision functions on a profile (``colltree evaluate compare``).

    Parameters
    ----------
    profile, *models : str or path
        The profile, and models to compare with, or other profiles.
    **options
        ``collective="bcast"``, ``fit="optimal:leaves=6"``, ``held_out="blocks"``, ...

    Returns
    -------
    DataFrame
        One row for each collective, decision function (chooser, detail) and kind of points (``training``, what was held out, or ``on`` for
        another session): leaves, bytes, fit_ms, decide_ns (``details=True``), cannot_run and penalties as fractions (docs/reference/formats/map.md).
        Of profiles one row for each collective, profile (run) and choice (what: ``default`` or ``best``): the geometric mean of its times over
        those of the first row (ratio), and the numbers of instances where it is faster, slower, or neither.

    Examples
    --------
    >>> colltree.compare("grig.db", collective="bcast").query("points == 'training'")[["chooser", "mean"]]
    """
    document = run_json("evaluate compare", profile, *models, quiet=quiet, **options)
    if "runs" not in document:
        return _choosers(document)
    frame = pd.json_normalize(document["collectives"], "columns", ["collective"]).rename(columns={"no difference": "no_difference"})
    frame.loc[frame["faster"].isna(), "ratio"] = 1.0  # the first column, with which the others are compared
    return frame[["collective", "run", "what", "ratio", "faster", "slower", "no_difference"]]


def check_rules(path: PathLike, target: str | None = None, *, on: PathLike | None = None) -> pd.DataFrame:
    """Check a rules file of an MPI library (``colltree check``).

    Parameters
    ----------
    path : str or path
        The rules file.
    target : str, optional
        The library that reads it, such as ``"openmpi-4.1"``; recognised by the file if it is not given.
    on : str or path, optional
        A profile; ``attrs`` then also holds the mean penalty of the rules.

    Returns
    -------
    DataFrame
        One row for each defect, as ``colltree check --json`` prints it: line, severity, text. ``attrs`` holds the other fields, such as
        ``for`` (the target), ``errors`` and ``unsafe``.

    Examples
    --------
    >>> colltree.check_rules("bcast.rules").attrs["errors"]
    0
    """
    command = [find_program(), "check", *arguments_of({"for": target, "on": on, "json": True}), "--", os.fspath(path)]
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if not ended.stdout.startswith("{"):
        raise Error(_pass_on(io.StringIO(ended.stderr), quiet=True))
    document = json.loads(ended.stdout)  # there is one also where the exit code says that the file has errors
    frame = pd.DataFrame(document.pop("defects"), columns=["line", "severity", "text"])
    frame.attrs.update(document)
    return frame
