# SPDX-License-Identifier: BSD-3-Clause
"""Starts the program ``colltree``: its progress is passed on, its results become frames and its errors ``Error``.

The program is the one that the environment variable COLLTREE_PROGRAM names, otherwise the first ``colltree`` on the PATH.
"""

import contextlib
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


def find_program() -> str:
    """Return the path of the program.

    Raises
    ------
    Error
        It is not installed.
    """
    named = os.environ.get(PROGRAM_VARIABLE)
    found = shutil.which(named or "colltree")
    if found is None:
        where = f"{PROGRAM_VARIABLE} names {named}, which is no program" if named else "the program colltree is not on the PATH"
        raise Error(f"{where}; install it (docs/tasks/installing.md), or set {PROGRAM_VARIABLE} to its path")
    return found


def arguments_of(options: dict[str, Any]) -> list[str]:
    """Return keyword arguments as options of the command line.

    ``communicator_sizes=[4, 8]`` becomes ``--communicator-sizes=4,8``, ``without_default=True`` becomes ``--without-default``, and None or
    False is omitted.
    """
    arguments = []
    for name, value in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            arguments.append(option)
        elif name == "model" and not isinstance(value, str):  # paths, which may hold commas
            arguments += [f"{option}={os.fspath(path)}" for path in value]
        elif isinstance(value, Iterable) and not isinstance(value, str):
            arguments.append(f"{option}={','.join(str(one) for one in value)}")
        else:
            arguments.append(f"{option}={os.fspath(value) if isinstance(value, os.PathLike) else value}")
    return arguments


_FIT_OPTIONS = frozenset(
    "collective external frontier json memory_limit mix output parameters print"
    " ranks_per_node reproducible system time time_limit without_default".split()
)


def fit_options(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options of ``colltree fit KIND``, in which every other name becomes a parameter of the model.

    ``leaves=6, system="grig"`` becomes ``parameters="leaves=6", system="grig"``.
    """
    parameters = {name: value for name, value in options.items() if name not in _FIT_OPTIONS and value is not None}
    words = [f"{name}={str(value).lower() if isinstance(value, bool) else value}" for name, value in parameters.items()]
    words += [options["parameters"]] if options.get("parameters") else []
    return {name: value for name, value in options.items() if name not in parameters} | {"parameters": ",".join(words) or None}


class _Progress:
    """Shows the progress lines of the program: a bar of tqdm in a notebook, otherwise the lines themselves on standard error."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._what = ""

    def show(self, line: str) -> None:
        found = _PROGRESS.match(line)
        if found is None or not _in_notebook():
            print(line, file=sys.stderr, flush=True)
            return
        if self._bar is None or found["what"] != self._what:
            self.close()
            from tqdm.auto import tqdm

            self._what = found["what"]
            self._bar = tqdm(desc=self._what, total=int(found["all"]), unit=found["unit"])
        self._bar.total = int(found["all"])
        self._bar.update(int(found["done"]) - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


def _in_notebook() -> bool:
    """Whether this process is the kernel of a notebook and tqdm is installed."""
    if "ipykernel" not in sys.modules:
        return False
    with contextlib.suppress(ImportError):
        import tqdm.auto  # noqa: F401

        return True
    return False


def _pass_on(stream: IO[str], quiet: bool) -> str:
    """Show the lines of a stream as they come, and return the first error among them, or the last line."""
    progress = _Progress()
    error = last = ""
    for line in stream:
        line = line.rstrip("\n")
        if line.startswith("colltree: ") and not error:
            error = line.removeprefix("colltree: ")
        elif line:
            last = line
            if not quiet and not error:
                progress.show(line)
    progress.close()
    return error or last


def run(command: str, *words: str, quiet: bool = False, **options: Any) -> str:
    """Start ``colltree COMMAND --OPTIONS... -- WORDS...`` and return its standard output.

    Parameters
    ----------
    command : str
        The command, such as ``"show"`` or ``"evaluate compare"``.
    *words : str
        Its positional arguments.
    quiet : bool
        Do not pass on progress and other messages.
    **options
        Options of the command line (see ``arguments_of``); ``fit KIND`` also takes parameters of the model by their names.

    Raises
    ------
    Error
        With the program's one line, or because it is not installed.

    Examples
    --------
    >>> colltree.drive.run("show", "grig.db", json=True)
    """
    if command.startswith("fit "):
        options = fit_options(options)
    line = [find_program(), *command.split(), *arguments_of(options), *(["--", *words] if words else [])]
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


def measure(output: PathLike, *, quiet: bool = False, **options: Any) -> pd.DataFrame:
    """Measure the methods of collectives (``colltree measure``) and return the profile.

    Parameters
    ----------
    output : str or path
        The profile; an existing one is continued.
    quiet : bool
        Do not pass on the progress.
    **options
        Options of ``colltree measure``: ``platform="grig"`` or ``launcher="mpirun -np {ranks}"``, ``collective="bcast"``,
        ``message_sizes=[64, 1024]``, ``budget="30m"``, ...

    Returns
    -------
    DataFrame
        As ``read_profile`` returns it.

    Raises
    ------
    Error
        With the program's one line, or because it is not installed.

    Examples
    --------
    >>> colltree.measure("grig.db", platform="grig", grid="tiny", collective="bcast")  # doctest: +SKIP
    """
    from .read import read_profile

    run("measure", output=output, quiet=quiet, **options)
    return read_profile(output)


def tune(output: PathLike, *, quiet: bool = False, **options: Any) -> pd.DataFrame:
    """Measure, fit, evaluate and emit (``colltree tune``), and return the penalties of what was compared.

    The parameters and errors are those of ``measure``; ``output`` is a folder, which holds ``profile.db``, the models and ``tuned.cdt``.

    Returns
    -------
    DataFrame
        One row for each collective and decision function: system, collective, chooser, detail, points (``training``), cannot_run (number
        of instances) and the fields of ``performance_penalty`` (fractions; docs/reference/formats/map.md).

    Examples
    --------
    >>> colltree.tune("tuned", platform="grig", grid="tiny")[["collective", "chooser", "mean"]]  # doctest: +SKIP
    """
    return _choosers(json.loads(run("tune", output=output, quiet=quiet, json=True, **options)))


def _choosers(document: dict[str, Any]) -> pd.DataFrame:
    """Return a row for each collective, decision function and kind of points of the JSON of ``tune`` and ``evaluate compare``."""
    rows = []
    for entry in document["collectives"]:
        for chooser in entry["choosers"]:
            points = {"training": chooser, **(chooser.get("held_out") or {})}
            if chooser.get("on"):
                points["on"] = chooser["on"]
            plain = {name: value for name, value in chooser.items() if not isinstance(value, dict | list)}
            for name, judged in points.items():
                row = {"system": document["system"], "collective": entry["collective"], **plain, "points": name}
                rows.append({**row, "cannot_run": len(judged.get("cannot_run") or []), **(judged.get("performance_penalty") or {})})
    return pd.DataFrame(rows)


def compare(profile: PathLike, *models: PathLike, quiet: bool = False, **options: Any) -> pd.DataFrame:
    """Compare decision functions on a profile (``colltree evaluate compare``).

    Parameters
    ----------
    profile : str or path
        The profile.
    *models : str or path
        Models to compare with, or other profiles.
    quiet : bool
        Do not pass on the progress.
    **options
        Options of the command: ``collective="bcast"``, ``fit="optimal:leaves=6"``, ``held_out="blocks"``, ...

    Returns
    -------
    DataFrame
        One row for each collective, decision function (chooser, detail) and kind of points (``training``, what was held out, or ``on`` for
        another session): leaves, bytes, fit_ms, decide_ns, cannot_run and penalties as fractions (docs/reference/formats/map.md).
        Of profiles one row for each collective, profile (run) and choice (what: ``default`` or ``best``): the geometric mean of its times over
        those of the first row (ratio), and the numbers of instances where it is faster, slower, or neither.

    Raises
    ------
    Error
        With the program's one line, or because it is not installed.

    Examples
    --------
    >>> colltree.compare("grig.db", collective="bcast").query("points == 'training'")[["chooser", "mean"]]
    """
    words = [os.fspath(file) for file in (profile, *models)]
    document = json.loads(run("evaluate compare", *words, quiet=quiet, json=True, **options))
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

    Raises
    ------
    Error
        The file is no rules file, or the program is not installed.

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
