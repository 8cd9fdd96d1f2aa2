# SPDX-License-Identifier: BSD-3-Clause
"""What the scripts of this folder share: the timings of a paper's clusters, the trees fitted to them, and figures of several maps.

Each script draws one figure of a paper: ``python3 figure_2006_2.py FOLDER [-o FILE]``. FOLDER holds ``2006.db`` and ``2007.db``, which
``reproduce.py`` measures on simulated clusters. The figures have the papers' numbers:

2006
    Decision Trees and MPI Collective Algorithm Selection Problem; figure 1 is a text box
2007
    MPI collective algorithm selection and quadtree encoding, Parallel Computing 33, 613-623
"""

import argparse
import json
import string
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import matplotlib
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from quadtrees import quadtrees

import colltree
from colltree import Model, drive, plot
from colltree.model import methods_of


class Paper:
    """The timings of a paper's clusters, and the models fitted to them; both are computed once."""

    def __init__(self, folder: str | Path, year: int) -> None:
        self.folder, self.year = Path(folder), year
        self.path = self.folder / f"{year}.db"
        self._made = tempfile.TemporaryDirectory()
        self._times: pd.DataFrame | None = None
        self._models: dict[tuple[object, ...], Model] = {}
        self._penalties: dict[tuple[object, ...], dict[str, float]] = {}
        self._maps: dict[tuple[str, str], pd.DataFrame] = {}
        self._studies: dict[tuple[str, str, str], pd.DataFrame] = {}

    def times(self, system: str) -> pd.DataFrame:
        """Return the samples of a cluster without the library's own choice, which is no candidate in the papers."""
        if self._times is None:
            self._times = colltree.read_profile(self.path).query("algorithm != 'default'")
        return self._times[self._times["system"] == system]

    def best(self, system: str, collective: str) -> pd.DataFrame:
        """Return the decision map of the program, which breaks ties by its catalogue."""
        key = (system, collective)
        if key not in self._maps:
            path = Path(self._made.name) / f"{system}-{collective}.csv"
            drive.run("show", str(self.path), system=system, collective=collective, without_default=True, map=True, output=path, quiet=True)
            self._maps[key] = colltree.read_map(path)
        return self._maps[key]

    def model(self, kind: str, system: str, collectives: str, **options: object) -> Model:
        key = (kind, system, collectives, *options.items())
        if key not in self._models:
            path = Path(self._made.name) / f"{len(self._models)}.json"
            where = {"system": system, "collective": collectives, "without_default": True, "output": path, "quiet": True}
            drive.run(f"fit {kind}", str(self.path), **where, **options)
            self._models[key] = colltree.read_model(path)
        return self._models[key]

    def penalty(self, model: Model, system: str, collective: str) -> dict[str, float]:
        key = (model.path, system, collective)
        if key not in self._penalties:
            where = {"on": self.path, "system": system, "collective": collective, "without_default": True}
            self._penalties[key] = json.loads(drive.run("evaluate", str(model.path), json=True, quiet=True, **where))["performance_penalty"]
        return self._penalties[key]

    def quadtrees(self, what: str, system: str, collective: str) -> pd.DataFrame:
        """Return the rows of ``quadtrees``."""
        key = (what, system, collective)
        if key not in self._studies:
            self._studies[key] = quadtrees(what, self.path, system=system, collective=collective, without_default=True)
        return self._studies[key]

    def c45(self, collectives: str, weight: int, confidence: float) -> Model:
        return self.model("c45", "grig", collectives, weight=weight, confidence=confidence)


class Panel(NamedTuple):
    """A map of a figure: the best methods of a cluster, or the choice of a model."""

    title: str
    system: str
    collective: str
    model: Model | None = None


def limits() -> Iterator[tuple[str, str, float]]:
    """Yield title, option and value of the limits of the maps of 2007. Its tables list depths 1 to 6, and its text says three maps of each kind."""
    yield from ((f"maximum depth {depth}", "max_depth", depth) for depth in (4, 3, 2))
    yield from ((f"threshold {percent} %", "accuracy_threshold", percent / 100) for percent in (80, 60, 40))


def limited_panels(paper: Paper, option: str) -> Iterator[list[Panel]]:
    """Yield a row of panels for each cluster: the best methods of bcast, and what quadtrees of three limits choose."""
    for letter, system in zip("ab", ("frodo", "grig"), strict=True):
        models = ((title, paper.model("quadtree", system, "bcast", **{name: value})) for title, name, value in limits() if name == option)
        yield [
            Panel(f"({letter}) {system}, exact", system, "bcast"),
            *(Panel(f"({letter}) {title}", system, "bcast", model) for title, model in models),
        ]


def penalty_text(penalty: dict[str, float]) -> str:
    return f"mean {100 * penalty['mean']:.3g} %, max {100 * penalty['max']:.3g} %"


def maps_figure(paper: Paper, rows: list[list[Panel]], title: str) -> Figure:
    """Draw decision maps in rows, with one legend: a colour for each algorithm, a hatch for each of its segment sizes."""
    figure, axes = plt.subplots(len(rows), len(rows[0]), figsize=(2.2 * len(rows[0]), 2.3 * len(rows) + 0.8), squeeze=False, layout="constrained")
    panels = [panel for row in rows for panel in row]
    times = pd.concat(paper.times(system) for system in {panel.system for panel in panels})
    pairs = times[["algorithm", "segment_size"]].astype(object).drop_duplicates().sort_values(["algorithm", "segment_size"])
    looks = plot.styles(methods_of(pairs))
    drawn: set[str] = set()
    for panel, ax in zip(panels, axes.flat, strict=True):
        best = paper.best(panel.system, panel.collective)
        plot.decision_map(best, panel.collective, model=panel.model, ax=ax, most_named=0, looks=looks)
        drawn |= {collection.get_label() for collection in ax.collections}
        below = f"{len(best)} instances"
        if panel.model is not None:
            below = f"{panel.model.statistics['leaves']} leaves, {penalty_text(paper.penalty(panel.model, panel.system, panel.collective))}"
        ax.set_title(f"{panel.title}\n{below}", fontsize=7)
    labels = {plot.method_label(method): look for method, look in looks.items()}
    handles = [
        Patch(facecolor=labels[name][0], hatch=labels[name][1], edgecolor="#00000090", linewidth=0.2, label=name) for name in labels if name in drawn
    ]
    legend_below(figure, handles, title)
    return figure


def legend_below(figure: Figure, handles: list[Patch], title: str) -> None:
    for ax in figure.axes:
        ax.label_outer()
        ax.xaxis.label.set_size(7)
        ax.yaxis.label.set_size(7)
    figure.suptitle(title, fontsize=9)
    columns = max(2, int(figure.get_figwidth() / 1.5))
    figure.legend(
        handles=handles, fontsize=6, loc="upper center", bbox_to_anchor=(0.5, 0), ncol=columns, frameon=False, handlelength=2.5, handleheight=1.4
    )


def letters() -> Iterator[str]:
    return iter(string.ascii_lowercase)


def main(draw: Callable[[Paper], Figure]) -> None:
    """Draw the figure that the script is named after into FOLDER or the file of ``-o``."""
    _, year, number = Path(sys.argv[0]).stem.split("_")
    parser = argparse.ArgumentParser(description=draw.__doc__)
    parser.add_argument("folder", help=f"the folder with {year}.db, which reproduce.py measures")
    parser.add_argument("-o", "--output", help="the picture, .svg, .pdf or .png (default: an SVG in the folder)")
    options = parser.parse_args()
    matplotlib.use("Agg")
    output = options.output or Path(options.folder) / f"{year}-figure-{number}.svg"
    try:
        draw(Paper(options.folder, int(year))).savefig(output, bbox_inches="tight")
    except (colltree.Error, OSError) as error:
        sys.exit(f"colltree: {error}")
    print(output)
