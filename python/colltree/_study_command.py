# SPDX-License-Identifier: BSD-3-Clause
"""The studies over profiles as commands of ``python3 -m colltree.study``: their options, and their documents as text."""

import argparse
import json
import math
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

from . import _cliffs, _guidelines, _portfolio
from ._style import percent_text
from .errors import Error

Json = dict[str, Any]
_PENALTY = "in percent (default: %(default)s)"


class Usage(Error):
    """What the command line asks for does not go together."""


def exit_code(work: Callable[[], object]) -> int:
    """Return the exit code of a command, which says in one line what went wrong."""
    try:
        work()
    except (Error, OSError) as error:
        text = f"{error.filename}: {error.strerror}; check the path" if isinstance(error, OSError) else error
        print(f"colltree: {text}", file=sys.stderr)
        return 2 if isinstance(error, Usage) else 1
    return 0


class Parser(argparse.ArgumentParser):
    """Says in one line what is wrong with a command line."""

    def error(self, message: str) -> NoReturn:
        """Print the message and exit with code 2."""
        self.exit(2, f"colltree: {message}; try {self.prog} --help\n")


def percent(text: str) -> float:
    """Return the fraction that a text such as 0.1% or 0.1 means."""
    try:
        value = float(text.removesuffix("%"))
    except ValueError:
        value = math.nan
    if not 0 <= value <= 1e6:
        raise argparse.ArgumentTypeError(f"expected a number from 0 to 1000000 (percent), such as 0.1%, got '{text}'")
    return value / 100


def _number_from(least: float, what: type) -> Callable[[str], Any]:
    def parse(text: str) -> Any:
        try:
            value = what(text)
        except ValueError:
            value = math.nan
        if not least <= value < math.inf:
            raise argparse.ArgumentTypeError(f"expected a number from {least} on, got '{text}'")
        return value

    return parse


def add_commands(studies: Any) -> None:
    """Add the commands to the subparsers of a ``Parser``; the attribute ``work`` is what each does with its options."""
    portfolio = studies.add_parser("portfolio", help="find the smallest set of methods worth measuring on a similar machine")
    portfolio.add_argument("profile", help="the profile (P.db)")
    text = f"at each instance, the fastest of them may be slower than the best method by this much, {_PENALTY}"
    portfolio.add_argument("--within", type=percent, default="1%", help=text)
    portfolio.add_argument("--judge-on", help="also say what choosing among them loses on this other profile")
    _finish(portfolio, portfolio_text, lambda o: _portfolio.of_profile(o.pop("profile"), o.pop("within"), o.pop("judge_on"), o))

    guidelines = studies.add_parser("guidelines", help="find where a collective is slower than other calls that do the same")
    guidelines.add_argument("profile", help="the profile (P.db)")
    guidelines.add_argument("models", nargs="*", help="models, one for each collective, to judge as 'chosen'; other collectives keep the default")
    text = f"a call may be slower than its replacement by this much, {_PENALTY}"
    guidelines.add_argument("--tolerance", type=percent, default="5%", help=text)
    _finish(guidelines, guidelines_text, lambda o: _guidelines.of_profile(o.pop("profile"), o.pop("models"), o.pop("tolerance"), o), most=True)

    cliffs = studies.add_parser("cliffs", help="find where a decision changes and the time jumps")
    _add_model(cliffs, nargs="?", help="the model (M.json; default: the best method of each instance decides)")
    text = "a jump is by this factor beyond the trend of the times around (default: %(default)s)"
    cliffs.add_argument("--factor", type=_number_from(1, float), default=1.5, help=text)
    cliffs.add_argument("--cost", type=percent, default="0.1%", help=f"report the leaves that save at most this much mean penalty, {_PENALTY}")
    _finish(cliffs, cliffs_text, lambda o: _cliffs.of_profile(o.pop("model"), o.pop("on"), o.pop("factor"), o.pop("cost"), o), most=True)

    smooth = studies.add_parser("smooth", help="remove the leaves of a model that save almost nothing")
    _add_model(smooth, help="the model (M.json)")
    text = f"the mean penalty of a collective may grow by this much, {_PENALTY}"
    smooth.add_argument("--within", type=percent, default="0.1%", help=text)
    smooth.add_argument("-o", "--output", required=True, help="the model to write, of kind 'rules'")
    _finish(smooth, smooth_text, lambda o: _cliffs.smooth(o.pop("model"), o.pop("on"), o.pop("output"), o.pop("within"), o))


def _add_model(study: argparse.ArgumentParser, **settings: Any) -> None:
    study.add_argument("model", **settings)
    study.add_argument("--on", required=True, help="the profile (P.db)")


def _finish(study: argparse.ArgumentParser, text: Callable[..., str], document: Callable[[Json], Json], most: bool = False) -> None:
    """Add the options that all have in common, and the work."""
    study.description = f"{study.prog.split()[-1]}: docs/tasks/judging.md and docs/tasks/tuning.md"
    study.add_argument("--json", action="store_true", help="print the results as JSON")
    if most:
        study.add_argument("--most", type=_number_from(0, int), default=20, help="largest number of each to show (default: %(default)s)")
    add_timings(study)

    def work(options: Json) -> None:
        is_json, shown = options.pop("json"), {name: options[name] for name in ("factor", "cost", "output") if name in options}
        limit = {"most": options.pop("most")} if most else {}
        found = document(options)
        print(json.dumps(found, indent=2, sort_keys=True) if is_json else text(found, **limit, **shown).rstrip("\n"))

    study.set_defaults(work=work)


def add_timings(parser: argparse.ArgumentParser) -> None:
    """Add the options that say which timings of a profile count, and how."""
    parser.add_argument("--collective", help="collectives, comma-separated (default: all that were measured)")
    parser.add_argument("--system", help="the system, if the profile holds several")
    parser.add_argument("--ranks-per-node", type=_number_from(1, int), default=0, help="take only this placement (default: all)")
    parser.add_argument("--time", choices=["median", "mean", "minimum"], default="median", help="how the samples of a cell become its time")
    parser.add_argument("--external", action="store_true", help="take also the methods 'ext:*', which are not in the MPI library")
    parser.add_argument("--without-default", action="store_true", help="do not count the library's own choice among the methods")


def _table(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "".join(("".join(f"  {cell:<{width}}" for cell, width in zip(row, widths, strict=True))).rstrip() + "\n" for row in rows)


def _some(rows: Sequence[Any], most: int, text: Callable[[Any], str]) -> str:
    return "".join(map(text, rows[:most])) + _rest(rows, most)


def _rest(rows: Sequence[Any], most: int) -> str:
    return f"  and {len(rows) - most} more; --most N or --json\n" if len(rows) > most else ""


def portfolio_text(document: Json) -> str:
    """Return the sets of methods with what each method is there for."""
    text = "{system} ({provenance}): the smallest set of methods of which one is within {} % of the best everywhere\n"
    text = text.format(percent_text(document["within"]), **document)
    for found in document["collectives"]:
        size, instances = len(found["methods"]), sum(method["best_at"] for method in found["methods"])
        bound = "" if found["at_least"] == size else f" ({found['at_least']} at least)"
        share = f"{found['cells']} of {found['all_cells']} cells, {percent_text(found['time_share'])} % of the time of a call of each"
        text += f"{found['collective']}: {size} of {found['of_methods']} methods{bound}; {share}\n"
        for method in found["methods"]:
            best, needed = (percent_text(method[name] / instances) for name in ("best_at", "needed_at"))
            text += f"  {method['method']:<24} fastest at {best:>5} %, the only one within at {needed:>5} %\n"
        for judged in found["penalties"]:
            mean, greatest = percent_text(judged["mean"]), percent_text(judged["max"])
            text += f"  penalty of the fastest of them on {judged['profile']}: mean {mean} %, max {greatest} %"
            if "predicted" in judged:
                text += f" at {judged['instances']} instances; at {judged['predicted']} more it rests on predicted times"
            text += f", none can run at {judged['cannot_run']} instances\n" if judged["cannot_run"] else "\n"
        text += f"  --collective {found['collective']} --methods {','.join(method['method'] for method in found['methods'])}\n"
    return text


def cliffs_text(document: Json, most: int, factor: float, cost: float) -> str:
    """Return the jumps and the leaves of each collective."""
    text = ""
    for found in document["collectives"]:
        about, jumps, islands = f"{found['collective']} by {found['chooser']}", found["jumps"], found["islands"]
        predicted = sum(jump.get("predicted", False) for jump in jumps)
        text += f"{about}: {len(jumps)} jumps by more than a factor of {factor:g}"
        text += (f", {predicted} of them by predicted times\n" if predicted else "\n") + _some(jumps, most, _jump_text)
        if found["chooser"] == "best":
            continue
        text += f"{about}: {len(islands)} leaves whose removal adds at most {100 * cost:g}% to the mean penalty\n"
        text += _some(islands, most, _island_text)
    return text + str(document.get("note", ""))


def _jump_text(jump: Json) -> str:
    (low, small), (high, large) = ((jump[end]["communicator_size"], jump[end]["message_size"]) for end in ("from", "to"))
    where = f"{low} -> {high} ranks, {small} B" if low != high else f"{low} ranks, {small} -> {large} B"
    ends = (f"{jump[end]} {jump[f'{end}_us']:.4g} us (+{percent_text(jump[f'penalty_{end}'])} %)" for end in ("before", "after"))
    trend = f"{jump['expected_us']:.4g} us by the trend{', predicted' * ('predicted' in jump)}"
    return f"  x{jump['factor']:<6.3g} {where:<30} {' -> '.join(ends)}, {trend}\n"


def _island_text(island: Json) -> str:
    instead = ", ".join(island["instead"]) or "what is beside it"
    return f"  {percent_text(island['cost']):>6} %  {island['region']}: {island['method']}, {island['instances']} points; without it {instead}\n"


def smooth_text(statistics: Json, output: str) -> str:
    """Return what the smoothed model is."""
    penalty, before = statistics["performance_penalty"], statistics["smoothed"]["leaves_before"]
    figures = ", ".join(f"{name} {percent_text(penalty[name])} %" for name in ("mean", "median", "max"))
    predicted = f", {penalty['predicted']} of them by predicted times" if penalty.get("predicted") else ""
    return f"{output}: {statistics['leaves']} of {before} leaves; performance penalty: {figures} at {penalty['instances']} instances{predicted}"


def guidelines_text(document: Json, most: int) -> str:
    """Return how often each guideline is broken, and for each chooser its worst violations; last what could not be tested, and why.

    Of the default all violations are shown, of others those that the default has not.
    """
    text = "{system} ({provenance}): guidelines broken by more than {:.4g} %\n".format(100 * document["tolerance"], **document)
    text += f"chosen: {', '.join(document['models'])}\n\n" if document["models"] else "\n"
    tested = [row for row in document["guidelines"] if any(by["tested"] for by in row["by"])]
    if tested:
        names = [by["chooser"] for by in tested[0]["by"]]
        text += _table([["broken/tested", *names], *([row["text"], *map(_tally_text, row["by"])] for row in tested)])
        has_default = any(row["by"][0]["tested"] for row in tested)
        text += "".join(_chooser_text(document["violations"], names, place, has_default, most) for place in range(len(names))) + "\n"
    untested = [row for row in document["guidelines"] if row not in tested]
    if untested:
        missing = ((row["text"], ", ".join(row["not_measured"])) for row in untested)
        rows = [[name, f"no times of {without}" if without else "no times at sizes that fit"] for name, without in missing]
        text += _table([["not tested", "because"], *rows]) + "  Measure what is missing into the same profile to test them.\n"
    return text + (f"{document['not_tested']}; guidelines are tested by measured ones\n" if "not_tested" in document else "")


def _tally_text(tally: Json) -> str:
    noise = f" (+{tally['within_noise']} ~)" if tally["within_noise"] else ""
    return f"{tally['broken']}/{tally['tested']}{noise}" if tally["tested"] else "-"


def _is_broken(test: Json) -> bool:
    return test["verdict"] not in ("not measured", "kept")


def _count_text(tests: Iterable[Json]) -> str:
    noise = [test["verdict"] == "within noise" for test in tests]
    certain = len(noise) - sum(noise)
    return f"{certain} violation{'' if certain == 1 else 's'}" + (f", {sum(noise)} more that may be noise" if any(noise) else "")


def _chooser_text(violations: Sequence[Json], names: Sequence[str], place: int, has_default: bool, most: int) -> str:
    """Return the violations of one of the choosers."""
    if place == 0 and not has_default:
        return f"\n{names[0]}: not measured, so nothing is known of it\n"
    broken = [case for case in violations if _is_broken(case["by"][place])]
    broken.sort(key=lambda case: (case["by"][place]["verdict"] == "within noise", -case["by"][place]["factor"]))
    text = f"\n{names[place]}: {_count_text(case['by'][place] for case in broken)}"
    if place == 0 and broken:
        removed = [sum(case["by"][other]["verdict"] == "kept" for case in broken) for other in range(1, len(names))]
        text += "".join(f"; {name} removes {count}" for name, count in zip(names[1:], removed, strict=True))
    elif has_default and broken:
        broken = [case for case in broken if not _is_broken(case["by"][0])]
        text += f"; where the default has none: {_count_text(case['by'][place] for case in broken)}"
    if not broken or not most:
        return text + "\n"
    others = [other for other in range(1, len(names)) if other != place]
    head = ["factor", "certain", "guideline", "where", "takes", "instead of", *(names[other] for other in others), "by"]
    table = _table([head, *(_violation_row(case, place, others) for case in broken[:most])])
    return f"{text}\n{table}{_rest(broken, most)}"


def _violation_row(case: Json, place: int, others: Sequence[int]) -> list[str]:
    test = case["by"][place]
    certain = {"certain": "yes", "broken, no interval": "?"}.get(test["verdict"], "no")
    where = f"{case['collective']}, {_ranks_text(case)}, {case['message_size']} B"
    times = [f"{test[side]['time_us']:.4g} us" for side in ("left", "right")]
    removed = {"not measured": "-", "kept": "removed"}
    by = [case["by"][other] for other in others]
    outcomes = [removed.get(one["verdict"]) or f"x{one['factor']:.3g}{' ~' * (one['verdict'] == 'within noise')}" for one in by]
    calls = " + ".join(_call_text(call, case) for call in test["calls"])
    return [f"x{test['factor']:.3g}", certain, case["guideline"], where, *times, *outcomes, calls]


def _ranks_text(instance: Json) -> str:
    placement = [str(instance[name] or "?") for name in ("nodes", "ranks_per_node")]
    return f"{instance['communicator_size']} ranks" + ("" if placement == ["?", "?"] else f" ({' x '.join(placement)})")


def _call_text(call: Json, left: Json) -> str:
    """Return what differs from the left side: ``8 x 1024 B``, ``bcast 1024 B``, ``64 ranks (64 x 1)``."""
    if call["communicator_size"] != left["communicator_size"]:
        return _ranks_text(call)
    times = f"{call['times']} x " if call["times"] > 1 else ""
    return f"{times}{call['collective'] + ' ' if call['collective'] != left['collective'] else ''}{call['message_size']} B"
