# SPDX-License-Identifier: BSD-3-Clause
"""The part of the report about one collective, from its JSON in ``colltree report --json``."""

import html
import itertools
import shlex
from pathlib import Path
from typing import Any, TypeAlias

from ._html import DASH, bytes_of, card, cell, choice, count_of, filled, interval, paragraph, percent, range_of, shade, table, text_of

Json: TypeAlias = dict[str, Any]


def chooser_of(collective: Json, name: str) -> Json | None:
    return next((chooser for chooser in collective["choosers"] if chooser["id"] == name), None)


def entry_of(chooser: Json) -> Json:
    entry: Json = chooser["entries"][chooser["start"]]
    return entry


def figures_of(chooser: Json) -> Json:
    figures: Json = entry_of(chooser)["performance_penalty"]
    return figures


def is_given(chooser: Json) -> bool:
    return chooser["id"] not in ("default", "best", "fixed", "deployed", "optimal")


def label_of(chooser: Json, collective: Json) -> str:
    best = "best known" if "predicted" in collective else "best measured"
    labels = {"default": "library default", "best": best, "fixed": f"always {chooser['detail']}", "deployed": "model to deploy"}
    return text_of({**labels, "optimal": "optimal tree"}.get(chooser["id"], Path(chooser["id"]).stem))


def shown_first(collective: Json) -> Json:
    """Return the model that the page is about: the last given one, else the one to deploy, else the optimal tree."""
    choosers: list[Json] = collective["choosers"]
    found = [choosers[-1]] if is_given(choosers[-1]) else [chooser_of(collective, "deployed"), chooser_of(collective, "optimal"), choosers[-1]]
    return next(chooser for chooser in found if chooser)


def advice(collective: Json, data: Json) -> str:
    """Return what to do, as ``colltree tune`` says it: simulated times are no reason to deploy, and nothing that does harm is deployed."""
    shown, library = shown_first(collective), chooser_of(collective, "default")
    held_out = (shown["held_out"] or {}).get("performance_penalty")
    if data["system"]["provenance"] == "simulated":
        return "Not for deployment: these times are simulated."
    if library and held_out and held_out["mean"] >= figures_of(library)["mean"]:
        return "Keep the library’s own choice."
    leaves = entry_of(shown)["leaves"]
    return f"Deploy {tree_name(shown, collective)}." if leaves is None else f"Deploy the {'given ' * is_given(shown)}tree of {leaves} leaves."


def tree_name(chooser: Json, collective: Json) -> str:
    leaves = f" of {entry_of(chooser)['leaves']} leaves" if chooser["id"] == "optimal" else ""
    return f"the {label_of(chooser, collective)}{leaves}"


def section(collective: Json, data: Json) -> str:
    name, shown = collective["collective"], shown_first(collective)
    placements = _placements(collective)
    models = [(one["id"], label_of(one, collective)) for one in collective["choosers"] if one["id"] != "best" and "method" in entry_of(one)]
    ranks = sorted(set(collective["instances"]["communicator_size"]))
    parts = {
        "name": name,
        "answer": _answer(collective, shown, data) + _tiles(collective, shown),
        "words": _known(collective) + _fixed(collective, shown) + _most_gained(collective, shown) + _certainty(collective, shown, data),
        "regions": _regions(collective, shown),
        "placement": choice("placement", "Placement", placements) if len(placements) > 1 else "",
        "model": choice("model", "Model", [(value, html.unescape(text)) for value, text in models], shown["id"]),
        "table": _choosers(collective),
        "ranks": choice("times", "Communicator of", [(str(size), f"{size} ranks") for size in ranks], str(ranks[-1])),
        "deploy": _deploy(collective, shown, data),
    }
    return filled("section.html", parts)


def _placements(collective: Json) -> list[tuple[str, str]]:
    """Return the numbers of ranks on a node to choose from: several only where an instance was measured with several."""
    instances = collective["instances"]
    points = list(zip(instances["communicator_size"], instances["message_size"], strict=True))
    if len(set(points)) == len(points):
        return [("", "all")]
    return [(str(n), f"{count_of(n, 'rank')} per node" if n else "placement not known") for n in sorted(set(instances["ranks_per_node"]))]


def _answer(collective: Json, shown: Json, data: Json) -> str:
    library, held_out = chooser_of(collective, "default"), shown["held_out"]
    what_to_do = advice(collective, data)
    whose = "Its mean penalty" if what_to_do.startswith("Deploy") else f"The mean penalty of {tree_name(shown, collective)}"
    text = f"<strong>{what_to_do}</strong> {whose} is {percent(figures_of(shown)['mean'])} on the instances that it was fitted to"
    text += f" and {percent(held_out['performance_penalty']['mean'])} on held-out ones." if held_out else "; none was held out."
    if library:
        text += f" That of the library default is {percent(figures_of(library)['mean'])}."
    if shown["statements"]:
        text += f" It says: {text_of('; '.join(shown['statements']))}."
    meaning = "Penalty: (time of the choice − time of the best method) / time of the best method, at one communicator size and message size."
    return paragraph(text) + paragraph(_versus_default(collective, shown)) + paragraph(meaning)


def _versus_default(collective: Json, shown: Json) -> str:
    gain, ends = figures_of(shown)["versus_default"], entry_of(shown)["versus_default_interval"]
    if gain is None:
        return "The library’s own choice was not measured, so nothing can be said about it."
    change = "the same time" if abs(gain) < 0.005 else f"{percent(abs(gain))} {'less' if gain < 0 else 'more'} time"
    certainty = f" (95 % interval {interval(ends, True)})" if ends else ""
    return f"Against the library default {tree_name(shown, collective)} takes <strong>{change}</strong>{certainty}."


def _tiles(collective: Json, shown: Json) -> str:
    figures, library, leaves = figures_of(shown), chooser_of(collective, "default"), entry_of(shown)["leaves"]
    instances = count_of(len(collective["instances"]["message_size"]), "instance")
    tiles = [
        (percent(figures["versus_default"], True), "time against the library default (geometric mean)", figures["versus_default"] is not None),
        (percent(figures["mean"]), "mean penalty of the model", True),
        (percent(figures_of(library)["mean"]) if library else "", "mean penalty of the library default", library is not None),
        (percent(figures["max"]), "penalty at the worst instance", True),
        (str(leaves), f"leaves, for {instances}", leaves is not None),
    ]
    kept = "".join(f'<div><p class="value">{value}</p><p>{meaning}</p></div>\n' for value, meaning, is_known in tiles if is_known)
    return f'<div class="tiles">\n{kept}</div>\n'


def _known(collective: Json) -> str:
    instances, methods = collective["instances"], collective["measured_methods"]
    ranks, sizes = instances["communicator_size"], instances["message_size"]
    where = f"{count_of(len(sizes), 'instance')}: {range_of((min(ranks), max(ranks)))} ranks, "
    where += f"messages of {range_of((min(sizes), max(sizes)), bytes_of)}, {count_of(methods, 'method')}."
    if "predicted" not in collective:
        return paragraph(f"{collective['collective']} was timed at {where}")
    predicted = sum(collective["predicted"])
    measured = sum(time is not None for time in collective["time_us"]) - predicted
    best = chooser_of(collective, "best")
    rest = sum(collective["predicted"][i * methods + m] for i, m in enumerate(entry_of(best)["method"])) if best else 0
    counts = f"{count_of(measured, 'time')} {'was' if measured == 1 else 'were'} measured, {count_of(predicted, 'time')} predicted from them."
    return paragraph(
        f"{collective['collective']} is known at {where} <strong>{counts}</strong> At {rest} of {count_of(len(sizes), 'instance')} the best time was"
        " not measured but predicted."
    )


def _fixed(collective: Json, shown: Json) -> str:
    fixed = chooser_of(collective, "fixed")
    if fixed is None or fixed is shown:
        return ""
    figures, own, cannot_run = figures_of(fixed), figures_of(shown), entry_of(fixed)["cannot_run"]
    failing = f" and cannot run at {count_of(cannot_run, 'instance')}" if cannot_run else ""
    return paragraph(
        f"The best single method, {text_of(fixed['detail'])}, loses <strong>{percent(figures['mean'])}</strong> on average"
        f" ({interval(figures.get('mean_interval'))}){failing}; {tree_name(shown, collective)} loses <strong>{percent(own['mean'])}</strong>"
        f" ({interval(own.get('mean_interval'))})."
    )


def _most_gained(collective: Json, shown: Json) -> str:
    gains = sorted((region[2], k) for k, region in enumerate(entry_of(shown)["regions"]) if region[2] is not None)
    if len(gains) < 2:
        return ""

    def place(k: int) -> str:
        region = collective["regions"][k]
        return f"messages of {range_of(region['message_sizes'], bytes_of)} on {range_of(region['communicator_sizes'])} ranks"

    (most, where), (least, elsewhere) = gains[0], gains[-1]
    text = f"Most is gained for <strong>{place(where)}</strong> ({percent(most, True)} time), least for {place(elsewhere)}"
    return paragraph(f"{text} ({percent(least, True)}).")


def _certainty(collective: Json, shown: Json, data: Json) -> str:
    held_out, rivals = shown["held_out"], collective["rivals"]
    text = ""
    if held_out:
        figures = held_out["performance_penalty"]
        loss = f"{percent(figures['mean'])} ({interval(figures.get('mean_interval'))})"
        text = f"On held-out communicator sizes ({held_out['folds']} folds) it loses {loss}. "
    if rivals is not None:
        share = percent(rivals.count(0) / len(rivals))
        text += f"At {share} of the instances the best method is beyond doubt: no other one’s interval meets its own. "
    elif data["system"]["provenance"] == "simulated":
        text += "Simulated times repeat exactly: there is no noise in them. "
    else:
        text += "Each time is a single sample, so its noise is not known; measure more to be sure of small differences. "
    text += "The interval of a time holds the median with 95 % confidence; that of a mean is a bootstrap interval over the instances"
    return paragraph(text + (", with the error of the predicted times." if "predicted" in collective else "."))


def _regions(collective: Json, shown: Json) -> str:
    is_gain = figures_of(shown)["versus_default"] is not None
    regions = list(zip(collective["regions"], entry_of(shown)["regions"], strict=True))
    titles = ["", *(range_of(span, bytes_of) for span in sorted({tuple(region["message_sizes"]) for region, _ in regions}))]
    rows: list[str] = []
    for ranks, row in itertools.groupby(regions, lambda pair: pair[0]["communicator_sizes"]):
        values = [figures[2 if is_gain else 1] for _, figures in row]
        cells = (cell(percent(value, is_gain), value, shade(value, 0.8 if is_gain else 0.2, is_gain)) for value in values)
        rows.insert(0, f'<tr><th scope="row">{range_of(ranks)} ranks</th>{"".join(cells)}</tr>\n')
    return table("Time against the library default, by region" if is_gain else "Mean penalty by region", titles, rows, "regions", "regions")


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
    cannot_run = any(entry_of(chooser)["cannot_run"] for chooser in collective["choosers"])
    is_predicted = "predicted" in collective
    titles = ["decision function", "leaves", "mean", "95 %", *["held out"] * has_held_out, *(title for _, title in _COLUMNS)]
    titles += [*["predicted"] * is_predicted, *["no run", "charged"] * cannot_run, "vs default"]
    for chooser in (one for one in collective["choosers"] if one["id"] != "best"):
        entry, figures, held_out = entry_of(chooser), figures_of(chooser), (chooser["held_out"] or {}).get("performance_penalty", {})
        cells = [cell(str(entry["leaves"] or DASH), entry["leaves"]), cell(percent(figures["mean"]), figures["mean"])]
        cells.append(cell(interval(figures.get("mean_interval"), otherwise=DASH)))
        cells += [cell(percent(held_out.get("mean")), held_out.get("mean"))] * has_held_out
        cells += [cell(percent(figures.get(field)), figures.get(field)) for field, _ in _COLUMNS]
        cells += [cell(str(figures.get("predicted", 0)), figures.get("predicted", 0))] * is_predicted
        charged = [cell(str(entry["cannot_run"]), entry["cannot_run"]), cell(percent(figures["charged_mean"]), figures["charged_mean"])]
        cells += charged * cannot_run + [cell(percent(figures["versus_default"], True), figures["versus_default"])]
        rows.append(f'<tr data-chooser="{text_of(chooser["id"])}"><th scope="row">{label_of(chooser, collective)}</th>{"".join(cells)}</tr>\n')
    return table("Performance penalty of all decision functions at the points of the profile", titles, rows, f"{collective['collective']}-penalties")


def _deploy(collective: Json, shown: Json, data: Json) -> str:
    leaves, name = str(entry_of(shown)["leaves"]), collective["collective"]
    model = shlex.quote(shown["model_file"].replace("{leaves}", leaves))
    if not shown["model_file"]:
        return ""
    lines = [shown["fit_command"].replace("{leaves}", leaves)] if shown["fit_command"] else []
    lines.append(f"colltree evaluate {model} --on {data['profile']}")
    for emitter in data["emitters"]:
        if emitter["useful"]:
            lines.append(f"# {emitter['summary']}\ncolltree emit {emitter['target']} {model} -o {name}.{emitter['target']}")
    return card(
        "\n".join([*lines, "# other targets: colltree emit --help"]),
        "Deploy it" if shown["id"] == "deployed" else f"Deploy {tree_name(shown, collective)}",
    )
