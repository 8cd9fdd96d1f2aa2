# SPDX-License-Identifier: BSD-3-Clause
"""The report: one HTML file that shows a profile, its models and what to deploy, and needs nothing else.

The figures are those of ``colltree report --json``; this module writes them as words and tables, and
puts the data, the style and script of ``page/`` and the library plotly.js into the file. The script draws the pictures.

``colltree report P.db -o page.html`` runs ``main``.
"""

import base64
import functools
import gzip
import json
import math
import sys
from collections import Counter
from collections.abc import Iterable
from typing import Any

from ._html import DASH, FOLDER, card, choice, count_of, filled, interval, percent, range_of, row, shade, table, text_of
from ._report_section import Json, Section
from ._style import bytes_of, shades
from .errors import Error, PathLike, write_file

_SCRIPTS = ("helpers.js", "explorer.js", "page.js")
_OVERVIEW = "All collectives: time of the model against the library default (below 0: faster), the risk, and what it runs by size of the message"
_TITLES = ["collective", "time against the default", "over 2 % slower", "mean penalty", "what to deploy"]
_TITLES += ["small messages", "medium messages", "large messages"]
_PENALTY_COLOURS = (("#ffffff", "#262931"), ("#ffec96", "#69521c"), ("#facd32", "#b08610"), ("#ee7c26", "#f09242"), ("#b2182b", "#ffbebe"))
_REMEDY = "install plotly (Debian: python3-plotly; elsewhere: pip install plotly)"


def report(
    profile: PathLike,
    output: PathLike,
    *,
    models: Iterable[PathLike] = (),
    compare_with: PathLike | None = None,
    quiet: bool = False,
    **options: Any,
) -> None:
    """Write the report of a profile as one HTML file (docs/tasks/looking.md).

    Parameters
    ----------
    profile : str or path
        The profile.
    output : str or path
        The HTML file.
    models : iterable of str or path
        Models to show beside the one to deploy and the optimal trees.
    compare_with : str or path, optional
        Another profile, for example of another day or library; the page compares the times of both at the instances that both hold.
    quiet : bool
        Do not pass on the progress.
    **options
        Options of ``colltree report``: ``system="grig"``, ``collective="bcast"``, ``fit="optimal:leaves=16"``, ...

    Examples
    --------
    >>> colltree.report("grig.db", "grig.html", models=["bcast.json"])  # doctest: +SKIP
    """
    from . import drive

    _packed_plotly()
    if compare_with is not None:
        options["on"] = compare_with
    data = drive.run_json("report", profile, quiet=quiet, model=list(models), **options)
    write_file(output, page(data).encode())


@functools.cache
def _packed_plotly() -> str:
    """Return the text of plotly.js, as the installed package plotly has it, packed."""
    try:
        from plotly.offline import get_plotlyjs
    except ImportError:
        raise Error(f"the report needs the Python package plotly; {_REMEDY}") from None
    return _packed(get_plotlyjs())


def _packed(text: str) -> str:
    """Return the text compressed, as letters that can stand in HTML; the script inflates it with ``DecompressionStream``."""
    return base64.b64encode(gzip.compress(text.encode(), 6, mtime=0)).decode("ascii")


def page(data: Json) -> str:
    """Return the page of the JSON of ``colltree report``.

    The same data and the same version of plotly give the same bytes.
    """
    system = data["system"]
    facts = [system["provenance"], system["mpi"], f"noise {system['noise']}" if system.get("noise") else ""]
    sections = [Section(collective, data) for collective in data["collectives"]]
    commands = [*data["origin_commands"], f"colltree evaluate compare {data['profile']}", data["command"]]
    parts = {
        "title": text_of(system["system"]),
        "facts": text_of(" · ".join(fact for fact in facts if fact)),
        "style": (FOLDER / "page.css").read_text("utf-8"),
        "script": "".join((FOLDER / name).read_text("utf-8") for name in _SCRIPTS),
        "verdict": card(data.get("verdict"), "Verdict of tune"),
        "overview": table(_OVERVIEW, _TITLES, map(_overview_row, sections), "overview", "figures overview"),
        "comparison": _two_profiles(data["comparison"]) if "comparison" in data else "",
        "collectives": choice("collective", "Collective", [(section.name,) * 2 for section in sections], data["opens_on"]),
        "sections": "".join(section.html() for section in sections),
        "sources": card(data["sources_text"], "Portable or rules"),
        "profile": _profile(data),
        "commands": card("\n".join(commands), "Measure and report again"),
        "version": text_of(data["colltree"]),
        "data": _packed(json.dumps(_coloured(data), separators=(",", ":"))),
        "plotly": _packed_plotly(),
    }
    return filled("page.html", parts)


def _coloured(data: Json) -> Json:
    """Return the data with colours on a light and on a dark page: of the steps of penalties, and of the methods that a map shows."""
    steps = [{**step, "colour": colours} for step, colours in zip(data["penalty_steps"], _PENALTY_COLOURS, strict=True)]
    collectives = []
    for entry in data["collectives"]:
        # The library's own choice takes none of the eight.
        names = {place: entry["methods"][place]["algorithm"] for place in entry["legend"]}
        coloured = {place: name for place, name in names.items() if name != "default"}
        colours = {**dict.fromkeys(names, ("#222222", "#e2e4e9")), **dict(zip(coloured, shades(coloured.values()), strict=True))}
        methods = [method | ({"colour": colours[place]} if place in colours else {}) for place, method in enumerate(entry["methods"])]
        collectives.append({**entry, "methods": methods})
    return {**data, "penalty_steps": steps, "collectives": collectives}


def _overview_row(section: Section) -> str:
    figures, name = section.shown.figures, section.name
    gain, slower = figures["versus_default"], figures.get("share_slower")
    ends = interval(section.shown.entry["versus_default_interval"], True, "")
    cells = [
        (f"{percent(gain, True)}<small>{ends}</small>", gain, shade(gain, 0.8)),
        (f"{percent(slower)}<small>of the instances</small>", slower),
        (f"{percent(figures['mean'])}<small>held out: {percent(section.shown.held_out.get('mean'))}</small>", figures["mean"]),
        (section.advice(), None, ' class="words"'),
        *(_class_cell(section, span) for span in section.size_classes),
        *[DASH] * (3 - len(section.size_classes)),
    ]
    return row(f'<a href="#collective={name}">{name}</a>', cells)


def _class_cell(section: Section, span: tuple[int, int]) -> tuple[Any, ...]:
    """Return the cell of a third of the message sizes: the gain over all communicator sizes, the worst penalty, and the most chosen method."""
    entry, collective = section.shown.entry, section.json
    inside = [i for i, size in enumerate(collective["instances"]["message_size"]) if span[0] <= size <= span[1]]
    worst = max((entry["penalty"][i] for i in inside if entry["penalty"][i] is not None), default=None)
    regions = [figures for figures, of in zip(entry["regions"], collective["regions"], strict=True) if tuple(of["message_sizes"]) == span]
    # The geometric mean over the instances of the regions, each [instances, mean penalty, time against the default].
    known = [(region[0] or 0, math.log1p(region[2])) for region in regions if region[2] is not None]
    instances = sum(count for count, _ in known)
    gain = math.expm1(sum(count * value for count, value in known) / instances) if instances else None
    words = [range_of(span, bytes_of), f"penalty at worst {percent(worst)}"]
    if entry.get("method"):
        method = Counter(entry["method"][i] for i in inside).most_common(1)[0][0]
        words += [f"mostly {text_of(collective['methods'][method]['label'])}"] if method is not None else []
    return f"{percent(gain, True)}<small>{'<br>'.join(words)}</small>", gain, shade(gain, 0.8)


def _profile(data: Json) -> str:
    system = data["system"]
    columns = ("instances", "samples", "ok", "predicted", "cannot_run", "failed")
    titles = ["collective", "ranks", "message sizes", "methods", "instances", "samples", "cells measured", "predicted", "cannot run", "failed"]
    rows = []
    for held in system["collectives"]:
        spans: list[tuple[Any, Any]] = [(held["communicator_sizes"], str), (held["message_sizes"], bytes_of)]
        ends = [range_of((values[0], values[-1]), text) if values else DASH for values, text in spans]
        counts = [len(held["methods"]), *(held[column] for column in columns)]
        rows.append(row(held["collective"], [*ends, *((str(count), count) for count in counts)]))
    tables = table("What the profile holds", titles, rows, "profile")
    sessions = []
    for campaign in system["campaigns"]:
        options = ", ".join(f"{key} {value}" for key, value in campaign.get("options", {}).items())
        values = [*(campaign.get(key) for key in ("started_utc", "host", "colltree_version", "source")), options]
        sessions.append(row("", [text_of(value or DASH) for value in values]))
    tables += table("Sessions", ["started (UTC)", "host", "colltree", "source", "options"], sessions, "sessions", "figures words-left")
    missing = [" ".join(f"{key} {value}" for key, value in without.items() if value not in (None, "")) for without in system["without_time"]]
    count = data["cells_without_time"]
    if missing:
        listed = "\n".join(missing) + (f"\n… {count - len(missing)} more" if count > len(missing) else "")
        tables += f"<details><summary>{count_of(count, 'cell')} without a time</summary>{card(listed, 'Cells without a time')}</details>\n"
    return tables


def _two_profiles(comparison: Json) -> str:
    """Return the table of ``colltree evaluate compare`` of two profiles; the script draws the ratio at each instance beside it."""
    titles = ["collective", "profile", "choice", "time (ratio)", "faster", "no difference", "slower", "instances"]
    rows: list[str] = []
    for entry in comparison["collectives"]:
        for column in entry["columns"]:
            counts = [*(column.get(name) for name in titles[4:7]), len(entry["rows"])]
            ratio = column.get("ratio", 1)
            cells: list[Any] = [text_of(column["run"]), text_of(column["what"]), (f"{ratio:.3g}", ratio)]
            rows.append(row(entry["collective"], [*cells, *((DASH if count is None else str(count), count) for count in counts)]))
    runs = "".join(f"<li>{text_of(run['run'])}: {text_of(run['system'])}, {text_of(run['mpi'])}</li>" for run in comparison["runs"])
    caption = "Times of both profiles at the instances that both hold, beside the first row of each collective (geometric mean)"
    return f'<h2>Two profiles</h2>\n<ul class="runs">{runs}</ul>\n{table(caption, titles, rows, "two-profiles")}<div id="two-profiles"></div>\n'


def main() -> None:
    """Write the page to standard output; the data are the first line of standard input, a pipe that stays open behind it.

    What needs no data is done first, while the program still computes them.
    """
    try:
        _packed_plotly()
    except Error as error:
        sys.exit(f"colltree: {error}")
    sys.stdout.buffer.write(page(json.loads(sys.stdin.buffer.readline())).encode())
