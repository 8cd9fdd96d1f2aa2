# SPDX-License-Identifier: BSD-3-Clause
"""The report: one HTML file that shows a profile, its models and what to deploy, and needs nothing else.

The figures are those of ``colltree report --json``; this module writes them as words and tables, and
puts the data, the style and script of ``page/`` and the library plotly.js into the file. The script draws the pictures.

``colltree report P.db -o page.html`` runs ``main``.
"""

import base64
import functools
import gzip
import html
import itertools
import json
import math
import os
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from ._style import percent_text, shades, size_text
from .errors import Error, PathLike

Json: TypeAlias = dict[str, Any]
_FOLDER = Path(__file__).with_name("page")
_DASH = "–"
_SIZE_CLASSES = ("small messages", "medium messages", "large messages")
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
        Options of ``colltree report``: ``system="grig"``, ``collective="bcast"``, ``most_leaves=16``, ``no_deployed=True``, ...

    Raises
    ------
    Error
        With the program's one line; or the program or plotly is not installed, or the file cannot be written.

    Examples
    --------
    >>> colltree.report("grig.db", "grig.html", models=["bcast.json"])  # doctest: +SKIP
    """
    from . import drive

    _packed_plotly()
    if compare_with is not None:
        options["compare_with"] = os.fspath(compare_with)
    data = json.loads(drive.run("report", os.fspath(profile), quiet=quiet, json=True, model=[os.fspath(path) for path in models], **options))
    try:
        Path(output).write_text(page(data), encoding="utf-8")
    except OSError as error:
        raise Error(f"{os.fspath(output)}: cannot be written ({error.strerror}); check the folder, its permissions and the free space") from None


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
    parts = {
        "title": _text(system["system"]),
        "facts": _text(" · ".join(fact for fact in facts if fact)),
        "style": (_FOLDER / "page.css").read_text("utf-8"),
        "script": (_FOLDER / "page.js").read_text("utf-8"),
        "verdict": _card(data["verdict"], "Verdict of tune") if data.get("verdict") else "",
        "overview": _overview(data),
        "comparison": _two_profiles(data["comparison"]) if "comparison" in data else "",
        "collectives": _choice("collective", "Collective", [(one["collective"],) * 2 for one in data["collectives"]], data["opens_on"]),
        "sections": "".join(_section(collective, data) for collective in data["collectives"]),
        "sources": _card(data["sources_text"], "Portable or rules") if data["sources_text"] else "",
        "profile": _profile(data),
        "commands": _commands(data),
        "version": _text(data["colltree"]),
        "data": _packed(json.dumps(_coloured(data), separators=(",", ":"))),
        "plotly": _packed_plotly(),
    }
    pieces = (_FOLDER / "page.html").read_text("utf-8").split("@")
    return "".join(parts[piece] if i % 2 else piece for i, piece in enumerate(pieces))


def _coloured(data: Json) -> Json:
    """Return the data with colours on a light and on a dark page: of the steps of penalties, and of the methods that a map shows."""
    steps = [{**step, "colour": colours} for step, colours in zip(data["penalty_steps"], _PENALTY_COLOURS, strict=True)]
    collectives = []
    for entry in data["collectives"]:
        methods = [dict(method) for method in entry["methods"]]
        # The library's own choice takes none of the eight.
        coloured = [place for place in entry["legend"] if methods[place]["algorithm"] != "default"]
        for place, colours in zip(coloured, shades(methods[place]["algorithm"] for place in coloured), strict=True):
            methods[place]["colour"] = colours
        for place in set(entry["legend"]) - set(coloured):
            methods[place]["colour"] = ("#222222", "#e2e4e9")
        collectives.append({**entry, "methods": methods})
    return {**data, "penalty_steps": steps, "collectives": collectives}


# Words and numbers


def _text(value: object) -> str:
    """Return the value as text of HTML; characters that move the cursor of a terminal or mean nothing are shown as a mark."""
    return html.escape("".join(c if c == "\n" or c.isprintable() else "\ufffd" for c in str(value)))


def _percent(fraction: float | None, signed: bool = False) -> str:
    if fraction is None:
        return _DASH
    sign = "−" if fraction < 0 else "+" if signed and fraction > 0 else ""
    return f"{sign}{percent_text(abs(fraction))}\u00a0%"


def _interval(pair: Sequence[float] | None, signed: bool = False, otherwise: str = "interval not known") -> str:
    return f"{_percent(pair[0], signed)} to {_percent(pair[1], signed)}" if pair else otherwise


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def _bytes(size: int) -> str:
    text = size_text(size)
    return f"{text}B" if size and text.isdigit() else text


def _range(pair: Sequence[int], text: Callable[[int], str] = str) -> str:
    return text(pair[0]) if pair[0] == pair[1] else f"{text(pair[0])} to {text(pair[1])}"


def _paragraph(text: str) -> str:
    return f"<p>{text}</p>\n"


def _card(text: str, label: str) -> str:
    return f'<div class="card"><h3>{label}</h3><pre tabindex="0" aria-label="{label}">{_text(text)}</pre></div>\n'


def _choice(name: str, label: str, values: Iterable[tuple[str, str]], chosen: str = "") -> str:
    options = "".join(f'<option value="{_text(value)}"{" selected" * (value == chosen)}>{_text(text)}</option>' for value, text in values)
    return f'<label class="field"><span>{label}</span><select name="{name}">{options}</select></label>\n'


def _cell(text: str, value: float | None = None, style: str = "") -> str:
    """Return a cell of a table; ``value`` is what the column is sorted by and what the CSV holds."""
    sorted_by = "" if value is None else f' data-value="{value}"'
    return f"<td{sorted_by}{style}>{text}</td>"


def _table(caption: str, titles: Iterable[str], rows: Iterable[str], name: str, kind: str = "figures") -> str:
    head = "".join(f'<th scope="col">{title}</th>' for title in titles)
    return (
        f'<div class="card scroll" tabindex="0" role="region" aria-label="{_text(caption)}"><table class="{kind} sortable" data-name="{name}">'
        f"<caption>{_text(caption)}</caption>\n<thead><tr>{head}</tr></thead>\n<tbody>{''.join(rows)}</tbody></table></div>\n"
    )


# The decision functions of a collective


def _chooser(collective: Json, name: str) -> Json | None:
    return next((chooser for chooser in collective["choosers"] if chooser["id"] == name), None)


def _entry(chooser: Json) -> Json:
    entry: Json = chooser["entries"][chooser["start"]]
    return entry


def _figures(chooser: Json) -> Json:
    figures: Json = _entry(chooser)["performance_penalty"]
    return figures


def _is_given(chooser: Json) -> bool:
    return chooser["id"] not in ("default", "best", "fixed", "deployed", "optimal")


def _label(chooser: Json, collective: Json) -> str:
    best = "best known" if "predicted" in collective else "best measured"
    labels = {"default": "library default", "best": best, "fixed": f"always {chooser['detail']}", "deployed": "model to deploy"}
    return _text({**labels, "optimal": "optimal tree"}.get(chooser["id"], Path(chooser["id"]).stem))


def _shown_first(collective: Json) -> Json:
    """Return the model that the page is about: the last given one, else the one to deploy, else the optimal tree."""
    choosers: list[Json] = collective["choosers"]
    found = [choosers[-1]] if _is_given(choosers[-1]) else [_chooser(collective, "deployed"), _chooser(collective, "optimal"), choosers[-1]]
    return next(chooser for chooser in found if chooser)


def _advice(collective: Json, data: Json) -> str:
    """Return what to do, as ``colltree tune`` says it: simulated times are no reason to deploy, and nothing that does harm is deployed."""
    shown, library = _shown_first(collective), _chooser(collective, "default")
    held_out = (shown["held_out"] or {}).get("performance_penalty")
    if data["system"]["provenance"] == "simulated":
        return "Not for deployment: these times are simulated."
    if library and held_out and held_out["mean"] >= _figures(library)["mean"]:
        return "Keep the library’s own choice."
    leaves = _entry(shown)["leaves"]
    return f"Deploy {_tree_name(shown, collective)}." if leaves is None else f"Deploy the {'given ' * _is_given(shown)}tree of {leaves} leaves."


def _tree_name(chooser: Json, collective: Json) -> str:
    leaves = f" of {_entry(chooser)['leaves']} leaves" if chooser["id"] == "optimal" else ""
    return f"the {_label(chooser, collective)}{leaves}"


# The overview of all collectives


def _overview(data: Json) -> str:
    titles = ["collective", "time against the default", "over 2 % slower", "mean penalty", "what to deploy", *_SIZE_CLASSES]
    caption = "All collectives: time of the model against the library default (below 0: faster), the risk, and what it runs by size of the message"
    return _table(caption, titles, [_overview_row(collective, data) for collective in data["collectives"]], "overview", "figures overview")


def _overview_row(collective: Json, data: Json) -> str:
    shown = _shown_first(collective)
    figures, held_out = _figures(shown), (shown["held_out"] or {}).get("performance_penalty", {})
    gain, slower, name = figures["versus_default"], figures.get("share_slower"), collective["collective"]
    interval = _interval(_entry(shown)["versus_default_interval"], True, "")
    cells = [
        _cell(f"{_percent(gain, True)}<small>{interval}</small>", gain, _shade(gain, 0.8)),
        _cell(f"{_percent(slower)}<small>of the instances</small>", slower),
        _cell(f"{_percent(figures['mean'])}<small>held out: {_percent(held_out.get('mean'))}</small>", figures["mean"]),
        f'<td class="words">{_advice(collective, data)}</td>',
        *(_class_cell(collective, shown, k) for k in range(len(_SIZE_CLASSES))),
    ]
    return f'<tr><th scope="row"><a href="#collective={name}">{name}</a></th>{"".join(cells)}</tr>\n'


def _class_cell(collective: Json, shown: Json, which: int) -> str:
    """Return the cell of a third of the message sizes: the gain over all communicator sizes, the worst penalty, and the most chosen method."""
    spans = sorted({tuple(region["message_sizes"]) for region in collective["regions"]})
    if which >= len(spans):
        return _cell(_DASH)
    low, high = spans[which]
    entry = _entry(shown)
    inside = [i for i, size in enumerate(collective["instances"]["message_size"]) if low <= size <= high]
    worst = max((entry["penalty"][i] for i in inside if entry["penalty"][i] is not None), default=None)
    method = Counter(entry["method"][i] for i in inside).most_common(1)[0][0] if entry.get("method") else None
    regions = zip(entry["regions"], collective["regions"], strict=True)
    gain = _joined_gain([figures for figures, region in regions if tuple(region["message_sizes"]) == spans[which]])
    words = [_range((low, high), _bytes), f"penalty at worst {_percent(worst)}"]
    if method is not None:
        words.append(f"mostly {_text(collective['methods'][method]['label'])}")
    return _cell(f"{_percent(gain, True)}<small>{'<br>'.join(words)}</small>", gain, _shade(gain, 0.8))


def _joined_gain(regions: list[list[float | None]]) -> float | None:
    """Return the geometric mean over the instances of several regions, each [instances, mean penalty, time against the default]."""
    known = [(region[0] or 0, math.log1p(region[2])) for region in regions if region[2] is not None]
    instances = sum(count for count, _ in known)
    return math.expm1(sum(count * value for count, value in known) / instances) if instances else None


def _shade(value: float | None, full: float, is_gain: bool = True) -> str:
    if value is None:
        return ""
    colour = "--good" if is_gain and value < 0 else "--bad"
    return f' style="background:color-mix(in srgb,var({colour}) {42 * min(abs(value) / full, 1):.0f}%,transparent)"'


# The section of a collective


def _section(collective: Json, data: Json) -> str:
    name, shown = collective["collective"], _shown_first(collective)
    placements = _placements(collective)
    models = [(one["id"], _label(one, collective)) for one in collective["choosers"] if one["id"] != "best" and "method" in _entry(one)]
    ranks = sorted(set(collective["instances"]["communicator_size"]))
    parts = {
        "name": name,
        "answer": _answer(collective, shown, data) + _tiles(collective, shown),
        "words": _known(collective) + _fixed(collective, shown) + _most_gained(collective, shown) + _certainty(collective, shown, data),
        "regions": _regions(collective, shown),
        "placement": _choice("placement", "Placement", placements) if len(placements) > 1 else "",
        "model": _choice("model", "Model", [(value, html.unescape(text)) for value, text in models], shown["id"]),
        "table": _choosers(collective),
        "ranks": _choice("times", "Communicator of", [(str(size), f"{size} ranks") for size in ranks], str(ranks[-1])),
        "deploy": _deploy(collective, shown, data),
    }
    pieces = (_FOLDER / "section.html").read_text("utf-8").split("@")
    return "".join(parts[piece] if i % 2 else piece for i, piece in enumerate(pieces))


def _placements(collective: Json) -> list[tuple[str, str]]:
    """Return the numbers of ranks on a node to choose from: several only where an instance was measured with several."""
    instances = collective["instances"]
    points = list(zip(instances["communicator_size"], instances["message_size"], strict=True))
    if len(set(points)) == len(points):
        return [("", "all")]
    return [(str(n), f"{_count(n, 'rank')} per node" if n else "placement not known") for n in sorted(set(instances["ranks_per_node"]))]


def _answer(collective: Json, shown: Json, data: Json) -> str:
    library, held_out = _chooser(collective, "default"), shown["held_out"]
    advice = _advice(collective, data)
    whose = "Its mean penalty" if advice.startswith("Deploy") else f"The mean penalty of {_tree_name(shown, collective)}"
    text = f"<strong>{advice}</strong> {whose} is {_percent(_figures(shown)['mean'])} on the instances that it was fitted to"
    text += f" and {_percent(held_out['performance_penalty']['mean'])} on held-out ones." if held_out else "; none was held out."
    if library:
        text += f" That of the library default is {_percent(_figures(library)['mean'])}."
    if shown["statements"]:
        text += f" It says: {_text('; '.join(shown['statements']))}."
    meaning = "Penalty: (time of the choice − time of the best method) / time of the best method, at one communicator size and message size."
    return _paragraph(text) + _paragraph(_versus_default(collective, shown)) + _paragraph(meaning)


def _versus_default(collective: Json, shown: Json) -> str:
    gain, interval = _figures(shown)["versus_default"], _entry(shown)["versus_default_interval"]
    if gain is None:
        return "The library’s own choice was not measured, so nothing can be said about it."
    change = "the same time" if abs(gain) < 0.005 else f"{_percent(abs(gain))} {'less' if gain < 0 else 'more'} time"
    certainty = f" (95 % interval {_interval(interval, True)})" if interval else ""
    return f"Against the library default {_tree_name(shown, collective)} takes <strong>{change}</strong>{certainty}."


def _tiles(collective: Json, shown: Json) -> str:
    figures, library, leaves = _figures(shown), _chooser(collective, "default"), _entry(shown)["leaves"]
    instances = _count(len(collective["instances"]["message_size"]), "instance")
    tiles = [
        (_percent(figures["versus_default"], True), "time against the library default (geometric mean)", figures["versus_default"] is not None),
        (_percent(figures["mean"]), "mean penalty of the model", True),
        (_percent(_figures(library)["mean"]) if library else "", "mean penalty of the library default", library is not None),
        (_percent(figures["max"]), "penalty at the worst instance", True),
        (str(leaves), f"leaves, for {instances}", leaves is not None),
    ]
    kept = "".join(f'<div><p class="value">{value}</p><p>{meaning}</p></div>\n' for value, meaning, is_known in tiles if is_known)
    return f'<div class="tiles">\n{kept}</div>\n'


def _known(collective: Json) -> str:
    instances, methods = collective["instances"], collective["measured_methods"]
    ranks, sizes = instances["communicator_size"], instances["message_size"]
    where = f"{_count(len(sizes), 'instance')}: {_range((min(ranks), max(ranks)))} ranks, messages of {_range((min(sizes), max(sizes)), _bytes)}, "
    where += f"{_count(methods, 'method')}."
    if "predicted" not in collective:
        return _paragraph(f"{collective['collective']} was timed at {where}")
    predicted = sum(collective["predicted"])
    measured = sum(time is not None for time in collective["time_us"]) - predicted
    best = _chooser(collective, "best")
    rest = sum(collective["predicted"][i * methods + m] for i, m in enumerate(_entry(best)["method"])) if best else 0
    counts = f"{_count(measured, 'time')} {'was' if measured == 1 else 'were'} measured, {_count(predicted, 'time')} predicted from them."
    return _paragraph(
        f"{collective['collective']} is known at {where} <strong>{counts}</strong> At {rest} of {_count(len(sizes), 'instance')} the best time was"
        " not measured but predicted."
    )


def _fixed(collective: Json, shown: Json) -> str:
    fixed = _chooser(collective, "fixed")
    if fixed is None or fixed is shown:
        return ""
    figures, own, cannot_run = _figures(fixed), _figures(shown), _entry(fixed)["cannot_run"]
    failing = f" and cannot run at {_count(cannot_run, 'instance')}" if cannot_run else ""
    return _paragraph(
        f"The best single method, {_text(fixed['detail'])}, loses <strong>{_percent(figures['mean'])}</strong> on average"
        f" ({_interval(figures.get('mean_interval'))}){failing}; {_tree_name(shown, collective)} loses <strong>{_percent(own['mean'])}</strong>"
        f" ({_interval(own.get('mean_interval'))})."
    )


def _most_gained(collective: Json, shown: Json) -> str:
    gains = sorted((region[2], k) for k, region in enumerate(_entry(shown)["regions"]) if region[2] is not None)
    if len(gains) < 2:
        return ""

    def place(k: int) -> str:
        region = collective["regions"][k]
        return f"messages of {_range(region['message_sizes'], _bytes)} on {_range(region['communicator_sizes'])} ranks"

    (most, where), (least, elsewhere) = gains[0], gains[-1]
    text = f"Most is gained for <strong>{place(where)}</strong> ({_percent(most, True)} time), least for {place(elsewhere)}"
    return _paragraph(f"{text} ({_percent(least, True)}).")


def _certainty(collective: Json, shown: Json, data: Json) -> str:
    held_out, rivals = shown["held_out"], collective["rivals"]
    text = ""
    if held_out:
        figures = held_out["performance_penalty"]
        loss = f"{_percent(figures['mean'])} ({_interval(figures.get('mean_interval'))})"
        text = f"On held-out communicator sizes ({held_out['folds']} folds) it loses {loss}. "
    if rivals is not None:
        share = _percent(rivals.count(0) / len(rivals))
        text += f"At {share} of the instances the best method is beyond doubt: no other one’s interval meets its own. "
    elif data["system"]["provenance"] == "simulated":
        text += "Simulated times repeat exactly: there is no noise in them. "
    else:
        text += "Each time is a single sample, so its noise is not known; measure more to be sure of small differences. "
    text += "The interval of a time holds the median with 95 % confidence; that of a mean is a bootstrap interval over the instances"
    return _paragraph(text + (", with the error of the predicted times." if "predicted" in collective else "."))


def _regions(collective: Json, shown: Json) -> str:
    is_gain = _figures(shown)["versus_default"] is not None
    regions = list(zip(collective["regions"], _entry(shown)["regions"], strict=True))
    titles = ["", *(_range(span, _bytes) for span in sorted({tuple(region["message_sizes"]) for region, _ in regions}))]
    rows: list[str] = []
    for ranks, row in itertools.groupby(regions, lambda pair: pair[0]["communicator_sizes"]):
        values = [figures[2 if is_gain else 1] for _, figures in row]
        cells = (_cell(_percent(value, is_gain), value, _shade(value, 0.8 if is_gain else 0.2, is_gain)) for value in values)
        rows.insert(0, f'<tr><th scope="row">{_range(ranks)} ranks</th>{"".join(cells)}</tr>\n')
    return _table("Time against the library default, by region" if is_gain else "Mean penalty by region", titles, rows, "regions", "regions")


_COLUMNS: tuple[tuple[str, str], ...] = (
    ("median", "median"),
    ("p95", "p95"),
    ("max", "max"),
    ("share_above_5", "&gt; 5 %"),
    ("share_above_50", "&gt; 50 %"),
    ("share_slower", "slower"),
)


def _choosers(collective: Json) -> str:
    """Return the table of all decision functions; columns that say nothing are omitted."""
    rows = []
    has_held_out = any(chooser["held_out"] for chooser in collective["choosers"])
    cannot_run = any(_entry(chooser)["cannot_run"] for chooser in collective["choosers"])
    is_predicted = "predicted" in collective
    titles = ["decision function", "leaves", "mean", "95 %", *["held out"] * has_held_out, *(title for _, title in _COLUMNS)]
    titles += [*["predicted"] * is_predicted, *["no run", "charged"] * cannot_run, "vs default"]
    for chooser in (one for one in collective["choosers"] if one["id"] != "best"):
        entry, figures, held_out = _entry(chooser), _figures(chooser), (chooser["held_out"] or {}).get("performance_penalty", {})
        cells = [_cell(str(entry["leaves"] or _DASH), entry["leaves"]), _cell(_percent(figures["mean"]), figures["mean"])]
        cells.append(_cell(_interval(figures.get("mean_interval"), otherwise=_DASH)))
        cells += [_cell(_percent(held_out.get("mean")), held_out.get("mean"))] * has_held_out
        cells += [_cell(_percent(figures.get(field)), figures.get(field)) for field, _ in _COLUMNS]
        cells += [_cell(str(figures.get("predicted", 0)), figures.get("predicted", 0))] * is_predicted
        charged = [_cell(str(entry["cannot_run"]), entry["cannot_run"]), _cell(_percent(figures["charged_mean"]), figures["charged_mean"])]
        cells += charged * cannot_run + [_cell(_percent(figures["versus_default"], True), figures["versus_default"])]
        rows.append(f'<tr data-chooser="{_text(chooser["id"])}"><th scope="row">{_label(chooser, collective)}</th>{"".join(cells)}</tr>\n')
    return _table("Performance penalty of all decision functions at the points of the profile", titles, rows, f"{collective['collective']}-penalties")


def _deploy(collective: Json, shown: Json, data: Json) -> str:
    leaves, name = str(_entry(shown)["leaves"]), collective["collective"]
    model = shlex.quote(shown["model_file"].replace("{leaves}", leaves))
    if not shown["model_file"]:
        return ""
    lines = [shown["fit_command"].replace("{leaves}", leaves)] if shown["fit_command"] else []
    lines.append(f"colltree evaluate {model} --on {data['profile']}")
    for emitter in data["emitters"]:
        if emitter["useful"]:
            lines.append(f"# {emitter['summary']}\ncolltree emit {emitter['target']} {model} -o {name}.{emitter['target']}")
    return _card(
        "\n".join([*lines, "# other targets: colltree emit --help"]),
        "Deploy it" if shown["id"] == "deployed" else f"Deploy {_tree_name(shown, collective)}",
    )


# The profile and the commands


def _profile(data: Json) -> str:
    system = data["system"]
    columns = ("instances", "samples", "ok", "predicted", "cannot_run", "failed")
    titles = ["collective", "ranks", "message sizes", "methods", "instances", "samples", "cells measured", "predicted", "cannot run", "failed"]
    rows = []
    for held in system["collectives"]:
        ranks, sizes, methods = held["communicator_sizes"], held["message_sizes"], held["methods"]
        ends = [_range((values[0], values[-1]), text) if values else _DASH for values, text in ((ranks, str), (sizes, _bytes))]
        counts = [len(methods), *(held[column] for column in columns)]
        cells = [*(_cell(end) for end in ends), *(_cell(str(count), count) for count in counts)]
        rows.append(f'<tr><th scope="row">{held["collective"]}</th>{"".join(cells)}</tr>\n')
    table = _table("What the profile holds", titles, rows, "profile")
    sessions = [_session(campaign) for campaign in system["campaigns"]]
    table += _table("Sessions", ["started (UTC)", "host", "colltree", "source", "options"], sessions, "sessions", "figures words-left")
    missing = [" ".join(f"{key} {value}" for key, value in cell.items() if value not in (None, "")) for cell in system["without_time"]]
    count = data["cells_without_time"]
    if missing:
        listed = "\n".join(missing) + (f"\n… {count - len(missing)} more" if count > len(missing) else "")
        table += f"<details><summary>{_count(count, 'cell')} without a time</summary>{_card(listed, 'Cells without a time')}</details>\n"
    return table


def _session(campaign: Json) -> str:
    options = ", ".join(f"{key} {value}" for key, value in campaign.get("options", {}).items())
    values = [campaign.get(key) or _DASH for key in ("started_utc", "host", "colltree_version", "source")] + [options or _DASH]
    return f"<tr>{''.join(_cell(_text(value)) for value in values)}</tr>\n"


def _commands(data: Json) -> str:
    lines = [*data["origin_commands"], f"colltree evaluate compare {data['profile']}", data["command"]]
    return _card("\n".join(lines), "Measure and report again")


# Two profiles


def _two_profiles(comparison: Json) -> str:
    """Return the table of ``colltree evaluate compare`` of two profiles; the script draws the ratio at each instance beside it."""
    titles = ["collective", "profile", "choice", "time (ratio)", "faster", "no difference", "slower", "instances"]
    rows: list[str] = []
    for entry in comparison["collectives"]:
        for column in entry["columns"]:
            counts = [column.get(name) for name in ("faster", "no difference", "slower")]
            cells = [_cell(_text(column["run"])), _cell(_text(column["what"])), _cell(f"{column.get('ratio', 1):.3g}", column.get("ratio", 1))]
            cells += [*(_cell(_DASH if count is None else str(count), count) for count in counts), _cell(str(len(entry["rows"])), len(entry["rows"]))]
            rows.append(f'<tr><th scope="row">{entry["collective"]}</th>{"".join(cells)}</tr>\n')
    runs = "".join(f"<li>{_text(run['run'])}: {_text(run['system'])}, {_text(run['mpi'])}</li>" for run in comparison["runs"])
    caption = "Times of both profiles at the instances that both hold, beside the first row of each collective (geometric mean)"
    return f'<h2>Two profiles</h2>\n<ul class="runs">{runs}</ul>\n{_table(caption, titles, rows, "two-profiles")}<div id="two-profiles"></div>\n'


# The command


def main() -> None:
    """Write the page to standard output; the data are the first line of standard input, a pipe that stays open behind it.

    What needs no data is done first, while the program still computes them.
    """
    try:
        _packed_plotly()
    except Error as error:
        sys.exit(f"colltree: {error}")
    sys.stdout.buffer.write(page(json.loads(sys.stdin.buffer.readline())).encode())
