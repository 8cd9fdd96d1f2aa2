# SPDX-License-Identifier: BSD-3-Clause
"""The part of the report about one collective, from its JSON in ``colltree report --json``."""

import html
import itertools
import shlex
from pathlib import Path
from typing import Any, TypeAlias

from ._html import DASH, card, choice, count_of, filled, interval, paragraph, percent, range_of, row, shade, table, text_of
from ._style import bytes_of

Json: TypeAlias = dict[str, Any]
# Figures of the penalty with their titles.
_FIGURES = {"median": "median", "p95": "p95", "max": "max", "share_above_5": "&gt; 5 %", "share_above_50": "&gt; 50 %", "share_slower": "slower"}
_KEEP = {
    "simulated": "Not for deployment: these times are simulated.",
    "disturbed": "Keep the library’s own choice: most times were disturbed.",
    "keep": "Keep the library’s own choice.",
}
_MEANING = "Penalty: (time of the choice − time of the best method) / time of the best method, at one communicator size and message size."


class Chooser:
    """A decision function: the entry that is shown first, its figures, and those at held-out instances (none: empty)."""

    def __init__(self, chooser: Json, collective: Json) -> None:
        self.json, self.id = chooser, chooser["id"]
        self.entry: Json = chooser["entries"][chooser["start"]]
        self.leaves: int | None = self.entry["leaves"]
        self.figures: Json = self.entry["performance_penalty"]
        self.held_out: Json = (chooser["held_out"] or {}).get("performance_penalty", {})
        best = "best known" if "predicted" in collective else "best measured"
        labels = {"default": "library default", "best": best, "fixed": f"always {chooser['detail']}", "deployed": "model to deploy"}
        labels["optimal"] = "optimal tree"
        self.is_given = self.id not in labels
        self.label = text_of(labels.get(self.id, Path(self.id).stem))
        self.name = f"the {self.label}" + (f" of {self.leaves} leaves" if self.id == "optimal" else "")


class Section:
    """A collective with its decision functions. The page is about ``shown``: the last given, else that to deploy, else the optimal tree."""

    def __init__(self, collective: Json, data: Json) -> None:
        self.json, self.data, self.name = collective, data, collective["collective"]
        self.choosers = [Chooser(chooser, collective) for chooser in collective["choosers"]]
        last = self.choosers[-1]
        self.library = self._chooser("default")
        self.shown = last if last.is_given else self._chooser("deployed") or self._chooser("optimal") or last
        self.size_classes = sorted({tuple(region["message_sizes"]) for region in collective["regions"]})
        self.is_simulated = data["system"]["provenance"] == "simulated"
        self.instances = count_of(len(collective["instances"]["message_size"]), "instance")

    def _chooser(self, name: str) -> Chooser | None:
        return next((chooser for chooser in self.choosers if chooser.id == name), None)

    def advice(self) -> str:
        """Return what to do with the model that is shown, as the program says it."""
        keep = _KEEP.get(self.shown.json["advice"])
        if keep:
            return keep
        shown = self.shown
        return f"Deploy {shown.name}." if shown.leaves is None else f"Deploy the {'given ' * shown.is_given}tree of {shown.leaves} leaves."

    def html(self) -> str:
        """Return the section."""
        placements, ranks = self._placements(), sorted(set(self.json["instances"]["communicator_size"]))
        models = [(one.id, html.unescape(one.label)) for one in self.choosers if one.id != "best" and "method" in one.entry]
        words = (self._known(), self._fixed(), self._most_gained(), self._certainty())
        parts = {
            "name": self.name,
            "answer": "".join(map(paragraph, (self._answer(), self._versus_default(), _MEANING))) + self._tiles(),
            "words": "".join(map(paragraph, words)),
            "regions": self._regions(),
            "placement": choice("placement", "Placement", placements) if len(placements) > 1 else "",
            "model": choice("model", "Model", models, self.shown.id),
            "table": self._choosers(),
            "ranks": choice("times", "Communicator of", [(str(size), f"{size} ranks") for size in ranks], str(ranks[-1])),
            "deploy": self._deploy(),
        }
        return filled("section.html", parts)

    def _placements(self) -> list[tuple[str, str]]:
        """Return the numbers of ranks on a node to choose from: several only where an instance was measured with several."""
        instances = self.json["instances"]
        points = list(zip(instances["communicator_size"], instances["message_size"], strict=True))
        if len(set(points)) == len(points):
            return [("", "all")]
        return [(str(n), f"{count_of(n, 'rank')} per node" if n else "placement not known") for n in sorted(set(instances["ranks_per_node"]))]

    def _answer(self) -> str:
        shown, advice = self.shown, self.advice()
        whose = "Its mean penalty" if advice.startswith("Deploy") else f"The mean penalty of {shown.name}"
        text = f"<strong>{advice}</strong> {whose} is {percent(shown.figures['mean'])} on the instances that it was fitted to"
        text += f" and {percent(shown.held_out['mean'])} on held-out ones." if shown.held_out else "; none was held out."
        if self.library:
            text += f" That of the library default is {percent(self.library.figures['mean'])}."
        return text + (f" It says: {text_of('; '.join(shown.json['statements']))}." if shown.json["statements"] else "")

    def _versus_default(self) -> str:
        gain, ends = self.shown.figures["versus_default"], self.shown.entry["versus_default_interval"]
        if gain is None:
            return "The library’s own choice was not measured, so nothing can be said about it."
        change = "the same time" if abs(gain) < 0.005 else f"{percent(abs(gain))} {'less' if gain < 0 else 'more'} time"
        certainty = f" (95 % interval {interval(ends, True)})" if ends else ""
        return f"Against the library default {self.shown.name} takes <strong>{change}</strong>{certainty}."

    def _tiles(self) -> str:
        figures, gain = self.shown.figures, self.shown.figures["versus_default"]
        tiles = {
            "time against the library default (geometric mean)": None if gain is None else percent(gain, True),
            "mean penalty of the model": percent(figures["mean"]),
            "mean penalty of the library default": percent(self.library.figures["mean"]) if self.library else None,
            "penalty at the worst instance": percent(figures["max"]),
            f"leaves, for {self.instances}": self.shown.leaves,
        }
        kept = (f'<div><p class="value">{value}</p><p>{meaning}</p></div>\n' for meaning, value in tiles.items() if value is not None)
        return f'<div class="tiles">\n{"".join(kept)}</div>\n'

    def _known(self) -> str:
        methods = self.json["measured_methods"]
        ranks, sizes = (self.json["instances"][name] for name in ("communicator_size", "message_size"))
        where = f"{self.instances}: {range_of((min(ranks), max(ranks)))} ranks, "
        where += f"messages of {range_of((min(sizes), max(sizes)), bytes_of)}, {count_of(methods, 'method')}."
        if "predicted" not in self.json:
            return f"{self.name} was timed at {where}"
        is_predicted, best = self.json["predicted"], self._chooser("best")
        predicted = sum(is_predicted)
        measured = sum(time is not None for time in self.json["time_us"]) - predicted
        rest = sum(is_predicted[i * methods + method] for i, method in enumerate(best.entry["method"])) if best else 0
        counts = f"{count_of(measured, 'time')} {'was' if measured == 1 else 'were'} measured, {count_of(predicted, 'time')} predicted from them."
        text = f"{self.name} is known at {where} <strong>{counts}</strong> At {rest} of {self.instances} the best time was not measured but"
        return f"{text} predicted."

    def _fixed(self) -> str:
        fixed, shown = self._chooser("fixed"), self.shown
        if fixed is None or fixed is shown:
            return ""
        means = [f"<strong>{percent(one.figures['mean'])}</strong>" for one in (fixed, shown)]
        ends = [interval(one.figures.get("mean_interval")) for one in (fixed, shown)]
        failing = f" and cannot run at {count_of(fixed.entry['cannot_run'], 'instance')}" if fixed.entry["cannot_run"] else ""
        text = f"The best single method, {text_of(fixed.json['detail'])}, loses {means[0]} on average ({ends[0]}){failing}; "
        return f"{text}{shown.name} loses {means[1]} ({ends[1]})."

    def _most_gained(self) -> str:
        gains = sorted((region[2], k) for k, region in enumerate(self.shown.entry["regions"]) if region[2] is not None)
        if len(gains) < 2:
            return ""
        regions = [self.json["regions"][k] for _, k in (gains[0], gains[-1])]
        most, least = (
            f"messages of {range_of(region['message_sizes'], bytes_of)} on {range_of(region['communicator_sizes'])} ranks" for region in regions
        )
        text = f"Most is gained for <strong>{most}</strong> ({percent(gains[0][0], True)} time), least for {least}"
        return f"{text} ({percent(gains[-1][0], True)})."

    def _certainty(self) -> str:
        held_out, rivals, text = self.shown.held_out, self.json["rivals"], ""
        if held_out:
            loss = f"{percent(held_out['mean'])} ({interval(held_out.get('mean_interval'))})"
            text = f"On held-out communicator sizes ({self.shown.json['held_out']['folds']} folds) it loses {loss}. "
        if rivals is not None:
            share = percent(rivals.count(0) / len(rivals))
            text += f"At {share} of the instances the best method is beyond doubt: no other one’s interval meets its own. "
        elif self.is_simulated:
            text += "Simulated times repeat exactly: there is no noise in them. "
        else:
            text += "Each time is a single sample, so its noise is not known; measure more to be sure of small differences. "
        text += "The interval of a time holds the median with 95 % confidence; that of a mean is a bootstrap interval over the instances"
        return text + (", with the error of the predicted times." if "predicted" in self.json else ".")

    def _regions(self) -> str:
        is_gain = self.shown.figures["versus_default"] is not None
        regions = zip(self.json["regions"], self.shown.entry["regions"], strict=True)
        titles = ["", *(range_of(span, bytes_of) for span in self.size_classes)]
        rows: list[str] = []
        for ranks, of_ranks in itertools.groupby(regions, lambda pair: pair[0]["communicator_sizes"]):
            values = [figures[2 if is_gain else 1] for _, figures in of_ranks]
            cells = ((percent(value, is_gain), value, shade(value, 0.8 if is_gain else 0.2, is_gain)) for value in values)
            rows.insert(0, row(f"{range_of(ranks)} ranks", cells))
        return table("Time against the library default, by region" if is_gain else "Mean penalty by region", titles, rows, "regions", "regions")

    def _choosers(self) -> str:
        """Return the table of all decision functions; columns that say nothing are omitted."""
        has_held_out = any(chooser.held_out for chooser in self.choosers)
        cannot_run = any(chooser.entry["cannot_run"] for chooser in self.choosers)
        is_predicted, rows = "predicted" in self.json, []
        titles = ["decision function", "leaves", "mean", "95 %", *["held out"] * has_held_out, *_FIGURES.values()]
        titles += [*["predicted"] * is_predicted, *["no run", "charged"] * cannot_run, "vs default"]
        for chooser in (one for one in self.choosers if one.id != "best"):

            def figure(name: str, figures: Json = chooser.figures, signed: bool = False) -> tuple[str, float | None]:
                return percent(figures.get(name), signed), figures.get(name)

            failing, predicted, ends = chooser.entry["cannot_run"], chooser.figures.get("predicted", 0), chooser.figures.get("mean_interval")
            cells: list[Any] = [(str(chooser.leaves or DASH), chooser.leaves), figure("mean"), interval(ends, otherwise=DASH)]
            cells += [figure("mean", chooser.held_out)] * has_held_out + [figure(name) for name in _FIGURES]
            cells += [(str(predicted), predicted)] * is_predicted + [(str(failing), failing), figure("charged_mean")] * cannot_run
            rows.append(row(chooser.label, [*cells, figure("versus_default", signed=True)], f' data-chooser="{text_of(chooser.id)}"'))
        return table("Performance penalty of all decision functions at the points of the profile", titles, rows, f"{self.name}-penalties")

    def _deploy(self) -> str:
        shown = self.shown
        if not shown.json["model_file"]:
            return ""
        model, fit = (shown.json[name].replace("{leaves}", str(shown.leaves)) for name in ("model_file", "fit_command"))
        model = shlex.quote(model)
        lines = [*[fit] * bool(fit), f"colltree evaluate {model} --on {self.data['profile']}"]
        for emitter in (emitter for emitter in self.data["emitters"] if emitter["useful"]):
            target = emitter["target"]
            lines += [f"# {emitter['summary']}", f"colltree emit {target} {model} -o {self.name}.{target}"]
        return card("\n".join([*lines, "# other targets: colltree emit --help"]), "Deploy it" if shown.id == "deployed" else f"Deploy {shown.name}")
