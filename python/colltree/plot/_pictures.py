# SPDX-License-Identifier: BSD-3-Clause
"""The whole pictures of ``python3 -m colltree.plot``: each function loads what the command line names, and returns a figure with its title."""

import argparse
import contextlib
import re
import runpy
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .. import drive, plot, study
from .._study_command import Usage
from .._style import LINE_COLOURS, MARKERS
from ..errors import Error
from ..model import Model, methods_of, read_model
from ..penalty import PLACEMENT, point_times
from ..read import read_map, read_profile, report_data, reported_times

Json = dict[str, Any]
TIMINGS = "collective system ranks_per_node time external without_default".split()


class _Panel(NamedTuple):
    collective: str
    title: str
    below: str
    frame: pd.DataFrame


def _options(asked: argparse.Namespace) -> Json:
    return {name: getattr(asked, name) for name in TIMINGS if getattr(asked, name)}


def _report(asked: argparse.Namespace, **more: Any) -> Json:
    """Return the JSON of ``colltree report``: the times of all methods, and how the library's own choice and the models are judged."""
    return report_data(asked.files[0], **_options(asked), **more)


def _system(document: Json) -> str:
    """Return "bcast on grig (simulated)", and which share of the times was predicted; of several collectives the system."""
    system, (entry, *further) = document["system"], document["collectives"]
    if further:
        return f"{system['system']} ({system['provenance']})"
    is_predicted = np.array(entry.get("predicted", []) + entry.get("default_predicted", []))
    known = [time is not None for time in entry["time_us"] + entry["default_us"]]
    share = f", {100 * is_predicted[known].mean():.0f} % of the times predicted" if is_predicted.any() else ""
    return f"{entry['collective']} on {system['system']} ({system['provenance']}{share})"


def _models(asked: argparse.Namespace, document: Json, folder: Path) -> dict[str, str]:
    """Return the files of the models to draw with their titles: those that are given, and for each collective those that are fitted."""
    models = {path: f"{Path(path).stem} ({read_model(path).kind})" for path in asked.files[1:]}
    for fitter, entry in product(re.findall(r"[^ ;]+", asked.fit or ""), document["collectives"]):
        kind, _, settings = fitter.partition(":")
        path = str(folder / f"{len(models)}.json")
        fit = {"parameters": settings or None, "collective": entry["collective"], "output": path}
        drive.run(f"fit {kind}", asked.files[0], quiet=True, **{**_options(asked), **fit})
        models[path] = fitter
    return models


def _judged(asked: argparse.Namespace) -> tuple[Json, dict[str, str], dict[str, Model]]:
    """Return the data of the report with the models, their titles and the models themselves."""
    with tempfile.TemporaryDirectory() as folder:
        document = _report(asked)
        titles = _models(asked, document, Path(folder))
        if titles:
            document = _report(asked, model=list(titles))
        return document, titles, {path: read_model(path) for path in titles}


def _instances(entry: Json) -> pd.DataFrame:
    frame = pd.DataFrame(entry["instances"]).assign(collective=entry["collective"])
    if frame.duplicated(["communicator_size", "message_size"]).any():
        raise Error(f"{entry['collective']}: some instances were measured with several numbers of ranks per node; choose one with --ranks-per-node N")
    return frame


def _penalty_text(judged: Json) -> str:
    mean, most = (f"{100 * judged[name]:.{'0f' if judged[name] >= 10 else '3g'}}" for name in ("mean", "max"))
    at = f", by predicted times at {judged['predicted']} of {judged['instances']} instances" if judged.get("predicted") else ""
    return f"mean {mean} %, max {most} %{at}"


def _of_collective(document: Json, entry: Json, title: str) -> str:
    return title if len(document["collectives"]) == 1 else f"{entry['collective']}: {title}"


def _size(model: Model) -> str:
    return f"{model.statistics['leaves']} leaves" if model.statistics else "compact decision file"


def _figure(panels: int, columns: int = 0) -> tuple[Figure, list[Axes]]:
    """Return a figure with panels in rows; 0 columns: as many as are readable."""
    columns = columns if 1 < columns <= 4 else {1: 1, 4: 2}.get(panels, min(panels, 3))
    rows = -(-panels // columns)
    size = (5.4, 3.6) if panels == 1 else (3.1 * columns, 2.6 * rows)
    figure, axes = plt.subplots(rows, columns, figsize=size, squeeze=False, layout="constrained")
    for ax in axes.flat[panels:]:
        ax.remove()
    return figure, list(axes.flat[:panels])


def _draw_panels(panels: list[_Panel], draw: Callable[[_Panel, Axes], Any]) -> Figure:
    collectives = Counter(panel.collective for panel in panels)
    same = len(collectives) > 1 and len(set(collectives.values())) == 1
    figure, axes = _figure(len(panels), next(iter(collectives.values())) if same else 0)
    for panel, ax in zip(panels, axes, strict=True):
        draw(panel, ax)
        ax.set_title(f"{panel.title}\n{panel.below}", fontsize=7)
    return figure


def _draw_maps(panels: list[_Panel]) -> Figure:
    methods = methods_of(pd.concat(panel.frame[["algorithm", "segment_size"]] for panel in panels))
    counts = Counter(method.algorithm for method in methods)
    looks = plot.styles(sorted(set(methods), key=lambda method: (-counts[method.algorithm], method.algorithm, method.segment_size or 0)))
    figure = _draw_panels(panels, lambda panel, ax: plot.decision_map(panel.frame, panel.collective, ax=ax, most_named=0, looks=looks))
    handles: list[Any] = plot.patches({plot.method_label(method): look for method, look in looks.items()})
    dots = [line for ax in figure.axes for line in ax.lines]
    plot.legend_below(figure, handles + dots[:1])
    return figure


def maps(asked: argparse.Namespace) -> tuple[Figure, str]:
    if _is_model(asked.files[0]):
        return _map_of_models(asked)
    document, titles, models = _judged(asked)
    with tempfile.TemporaryDirectory() as folder:
        drive.run("show", asked.files[0], quiet=True, map=True, output=Path(folder) / "map.csv", **_options(asked))
        best = read_map(Path(folder) / "map.csv")
    panels = []
    for entry in document["collectives"]:
        collective, count = entry["collective"], len(entry["default_us"])
        frame = best[best["collective"] == collective].merge(_instances(entry), "left")
        predicted = (frame["origin"] == "predicted").sum()
        below = f"the best time predicted, not measured, at {predicted} of {count} instances" if predicted else f"{count} instances measured"
        panels.append(_Panel(collective, _of_collective(document, entry, "exact"), below, frame))
        frame = frame.assign(origin="measured").fillna(dict.fromkeys(PLACEMENT, 0))
        for chooser in (chooser for chooser in entry["choosers"] if chooser["id"] in models):
            model, title = models[chooser["id"]], _of_collective(document, entry, titles[chooser["id"]])
            below = f"{_size(model)}, penalty {_penalty_text(chooser['entries'][0]['performance_penalty'])}"
            panels.append(_Panel(collective, title, below, plot.chosen_methods(frame, model, collective)))
    return _draw_maps(panels), f"Decision map: {_system(document)}"


def _map_of_models(asked: argparse.Namespace) -> tuple[Figure, str]:
    if asked.fit:
        raise Usage(f"--fit: needs a profile, and {asked.files[0]} is not one")
    models = [read_model(path) for path in asked.files]
    panels = []
    for model in models:
        for collective in asked.collective.split(",") if asked.collective else model.collectives:
            panels.append(_Panel(collective, f"{collective}: {model.path.stem} ({model.kind})", _size(model), _regions(model, collective)))
    return _draw_maps(panels), "Decision map: fitted to " + ", ".join(dict.fromkeys(_origin(model) for model in models))


def _origin(model: Model) -> str:
    provenance = model.origin.get("provenance")  # which compact decision files do not hold
    return f"{model.origin.get('system', model.path.name)}{f' ({provenance})' if provenance else ''}"


def _regions(model: Model, collective: str) -> pd.DataFrame:
    """Return what a model chooses at every threshold and beside it, and at the powers of two between."""
    if collective not in model.collectives:
        raise Error(f"{model.path}: does not decide for {collective}; it does for {', '.join(model.collectives)}")
    found = model.thresholds(collective)

    def values(name: str, derived: str, least: int, most: int) -> list[int]:
        shown = {value + step for value in found.get(name, []) if value < 2**50 for step in (0, 1)}
        most = max(most, 2 * max(shown, default=0))
        shown |= {least << power for power in range(most.bit_length()) if least << power <= most}
        if name == "communicator_size" and most <= 128:
            shown |= set(range(least, most + 1))
        return sorted({value + step for value in shown if value >= least for step in ((0, 1) if found.get(derived) else (0,))})

    ranks = values("communicator_size", "communicator_size_is_power_of_two", 2, 16)
    sizes = values("message_size", "message_size_is_even", 1, 1 << 20)
    frame = pd.DataFrame(product(ranks, sizes), columns=["communicator_size", "message_size"])
    return plot.chosen_methods(frame.assign(collective=collective, origin="measured"), model, collective)


def penalty(asked: argparse.Namespace) -> tuple[Figure, str]:
    document, titles, models = _judged(asked)
    mpi, panels = document["system"]["mpi"], []
    titles["default"] = f"default ({mpi})" if mpi else "default"
    for entry in document["collectives"]:
        for chooser in (chooser for chooser in entry["choosers"] if chooser["id"] in titles):
            judged, title = chooser["entries"][0], _of_collective(document, entry, titles[chooser["id"]])
            frame = _instances(entry).assign(penalty=np.array(judged["penalty"], dtype=float))
            if chooser["id"] == "default":  # where it has no time it was not measured: it always runs
                frame = frame.dropna(subset="penalty")
            size = f"{_size(models[chooser['id']])}, " if chooser["id"] in models else ""
            if len(frame):
                panels.append(_Panel(entry["collective"], title, size + _penalty_text(judged["performance_penalty"]), frame))
    if not panels:
        raise Usage("nothing to draw: no default was measured; name a model, or one to fit with --fit")
    looks = plot.penalty_looks()
    figure = _draw_panels(panels, lambda panel, ax: plot.penalty_map(panel.frame, panel.collective, ax=ax, looks=looks))
    has_none = any(panel.frame["penalty"].isna().any() for panel in panels)
    plot.legend_below(figure, plot.patches(looks)[: len(looks) if has_none else -1])
    return figure, f"Performance penalty: {_system(document)}"


def _only(collectives: Iterable[str], path: str) -> str:
    names = sorted(set(collectives))
    if len(names) > 1:
        raise Usage(f"{path}: holds several collectives; choose one with --collective NAME")
    return names[0]


def _held(path: str, asked: argparse.Namespace, **filters: Any) -> pd.DataFrame:
    frame = read_profile(path, **filters)
    return frame[frame["ranks_per_node"] == asked.ranks_per_node] if asked.ranks_per_node else frame


def times(asked: argparse.Namespace) -> tuple[Figure, str]:
    path, *others = asked.files
    held = _held(path, asked, system=asked.system, collective=asked.collective)
    asked.collective = collective = _only(held["collective"], path)
    if (held["algorithm"] == "default").all():
        points, what = held, f"{collective} on {held['system'].iloc[0]} ({held['provenance'].iloc[0]})"
    else:
        document = _report(asked)
        _instances(document["collectives"][0])  # of several placements there is no one line
        points, what = reported_times(document["collectives"][0]), _system(document)
    ranks = asked.communicator_size or int(points["communicator_size"].max())
    figure, (ax,) = _figure(1)
    plot.times(points, collective, ranks, ax=ax)
    for index, other in enumerate(others):
        beside = point_times(_held(other, asked, collective=collective, algorithm="default"), collective)
        line = beside[beside["communicator_size"] == ranks].sort_values("message_size")
        if line.empty:
            raise Error(f"{other}: holds no {collective} on {ranks} ranks; name another size with --communicator-size N")
        look: Json = {"marker": MARKERS[-1 - index % len(MARKERS)], "color": LINE_COLOURS[-1 - index % len(LINE_COLOURS)], "markersize": 3}
        ax.plot(np.maximum(line["message_size"], 0.5), line["time_us"], linestyle=":", label=f"default of {Path(other).stem}", **look)
    plot.legend(ax)
    return figure, f"{what}, {ranks} processes"


def quadtrees(asked: argparse.Namespace) -> tuple[Figure, str]:
    """Draw what depth limits and accuracy thresholds cost quadtrees."""
    document, kind = _report(asked), asked.kind
    papers = next(folder / "papers" for folder in Path(__file__).parents if (folder / "papers").is_dir())
    rows_of = runpy.run_path(str(papers / "quadtrees.py"))["quadtrees"]
    names = [entry["collective"] for entry in document["collectives"]]
    limits = ("threshold", "depth") if kind == "limits" else (kind,)
    options = _options(asked)
    rows = {limit: {name: rows_of(limit, asked.files[0], **{**options, "collective": name}) for name in names} for limit in limits}
    figure, axes = _figure(2 if kind == "threshold" else len(names))
    if kind == "threshold":
        for column, ax in zip(("mean_depth", "penalty_mean"), axes, strict=True):
            plot.limit_lines(rows[kind], "accuracy_threshold", column, ax=ax)
    for name, ax in zip(names, axes, strict=False) if kind != "threshold" else ():
        if kind == "limits":
            lines = {"accuracy threshold": rows["threshold"][name], "maximum depth": rows["depth"][name]}
            plot.limit_lines(lines, "mean_depth", ax=ax)
        else:
            lines = dict.fromkeys(("mean", "median", "95th percentile"), rows[kind][name])
            plot.limit_lines(lines, "max_depth_limit", ["penalty_mean", "penalty_median", "penalty_p95"], ax=ax)
        ax.set_title(name, fontsize=8)
    what = {"depth": "depth limit", "threshold": "accuracy threshold", "limits": "depth limit and accuracy threshold"}[kind]
    return figure, f"Quadtrees by {what}: {_system(document)}"


def leaves(asked: argparse.Namespace) -> tuple[Figure, str]:
    document = _report(asked)
    asked.collective = _only((entry["collective"] for entry in document["collectives"]), asked.files[0])
    figure, (ax,) = _figure(1)
    plot.penalty_by_leaves(study.leaves(asked.files[0], most=asked.leaves, **_options(asked)), ax=ax)
    return figure, f"Penalty by size of the tree: {_system(document)}"


def frontier(asked: argparse.Namespace) -> tuple[Figure, str]:
    figure, (ax,) = _figure(1)
    plot.penalty_by_leaves(study.frontier(*(read_model(path) for path in asked.files)), ax=ax)
    return figure, "The least of each number of leaves"


def tree(asked: argparse.Namespace) -> tuple[Figure, str]:
    (path,) = asked.files
    model = read_model(path)
    figures: list[Any] = [plot.tree(model, name).figure for name in model.collectives]
    figure: Figure = figures[0]
    if len(figures) > 1:
        wide, high = zip(*(drawn.get_size_inches() for drawn in figures), strict=True)
        figure, axes = plt.subplots(len(high), figsize=(max(wide), sum(high)), height_ratios=high, layout="constrained")
        figure.canvas.draw()  # settles the room of each tree
        for collective, ax in zip(model.collectives, axes, strict=True):
            plot.tree(model, collective, ax=ax).set_title(collective, fontsize=8)
    return figure, f"{model.path.stem} ({model.kind}), fitted to {_origin(model)}"


def _is_model(path: str) -> bool:
    """Whether the file is JSON, gzip or a compact decision file rather than a profile; where it cannot be read, its reader says so."""
    with contextlib.suppress(OSError), Path(path).open("rb") as file:
        return file.read(64).lstrip()[:1] in (b"{", b"\x1f", b"\x89")
    return False
