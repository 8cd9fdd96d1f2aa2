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
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from quadtrees import quadtrees

import colltree
from colltree import Model, drive, plot
from colltree.model import methods_of


class Paper:
    """The timings of a paper's clusters, and the models fitted to them; each is computed once."""

    def __init__(self, folder: str | Path, year: int) -> None:
        self.folder, self.year = Path(folder), year
        self.path = self.folder / f"{year}.db"
        self._made = tempfile.TemporaryDirectory()

    @cache
    def times(self, system: str) -> pd.DataFrame:
        """Return the samples of a cluster without the library's own choice, which is no candidate in the papers."""
        return colltree.read_profile(self.path, system=system).query("algorithm != 'default'")

    @cache
    def best(self, system: str, collective: str) -> pd.DataFrame:
        """Return the decision map of the program, which breaks ties by its catalogue."""
        output = Path(self._made.name) / f"{system}-{collective}.csv"
        self._run("show", self.path, system, collective, map=True, output=output)
        return colltree.read_map(output)

    @cache
    def model(self, kind: str, system: str, collectives: str, **options: Any) -> Model:
        output = Path(tempfile.mkdtemp(dir=self._made.name)) / "model.json"
        self._run(f"fit {kind}", self.path, system, collectives, output=output, **options)
        return colltree.read_model(output)

    def c45(self, collectives: str, weight: int, confidence: float) -> Model:
        return self.model("c45", "grig", collectives, weight=weight, confidence=confidence)

    @cache
    def penalty(self, model: Model, system: str, collective: str) -> dict[str, float]:
        return json.loads(self._run("evaluate", model.path, system, collective, on=self.path, json=True))["performance_penalty"]

    @cache
    def quadtrees(self, what: str, system: str, collective: str) -> pd.DataFrame:
        return quadtrees(what, self.path, system=system, collective=collective, without_default=True)

    @staticmethod
    def _run(command: str, file: Path, system: str, collective: str, **options: Any) -> str:
        return drive.run(command, file, system=system, collective=collective, without_default=True, quiet=True, **options)


class Panel(NamedTuple):
    """A map of a figure: the best methods of a cluster, or the choice of a model."""

    title: str
    system: str
    collective: str
    model: Model | None = None


# The limits of the maps of 2007. Its tables list depths 1 to 6, and its text says three maps of each kind.
LIMITS: dict[str, dict[str, float]] = {
    "max_depth": {f"maximum depth {depth}": depth for depth in (4, 3, 2)},
    "accuracy_threshold": {f"threshold {percent} %": percent / 100 for percent in (80, 60, 40)},
}


def limited_panels(paper: Paper, option: str) -> Iterator[list[Panel]]:
    """Yield a row of panels for each cluster: the best methods of bcast, and what quadtrees of three limits choose."""
    for letter, system in zip("ab", ("frodo", "grig"), strict=True):
        models = {title: paper.model("quadtree", system, "bcast", **{option: limit}) for title, limit in LIMITS[option].items()}
        yield [Panel(f"({letter}) {title}", system, "bcast", model) for title, model in {f"{system}, exact": None, **models}.items()]


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
    finish_maps(figure, plot.patches({name: look for name, look in labels.items() if name in drawn}), title)
    return figure


def finish_maps(figure: Figure, handles: list[Any], title: str) -> None:
    for ax in figure.axes:
        ax.label_outer()
        ax.xaxis.label.set_size(7)
        ax.yaxis.label.set_size(7)
    figure.suptitle(title, fontsize=9)
    plot.legend_below(figure, handles)


def main(draw: Callable[[Paper], Figure]) -> None:
    """Draw the figure that the script is named after into FOLDER or the file of ``-o``."""
    _, year, number = Path(sys.argv[0]).stem.split("_")
    parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__)
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
