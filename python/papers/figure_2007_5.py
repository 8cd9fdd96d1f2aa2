# SPDX-License-Identifier: BSD-3-Clause
"""Figure 5 of 2007: mean depth and mean penalty of quadtrees by their accuracy threshold."""

from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from paper_data import Paper, main

from colltree import plot

CURVES = [(collective, system) for system in ("frodo", "grig") for collective in ("bcast", "reduce")]


def rows(paper: Paper, what: str) -> dict:
    return {f"{collective} on {system}": paper.quadtrees(what, system, collective) for collective, system in CURVES}


def draw(paper: Paper) -> Figure:
    figure, axes = plt.subplots(1, 2, figsize=(6.8, 2.6), layout="constrained")
    thresholds = rows(paper, "threshold")
    plot.limit_lines(thresholds, "accuracy_threshold", "mean_depth", ax=axes[0])
    plot.limit_lines(thresholds, "accuracy_threshold", ax=axes[1])
    figure.suptitle("Effect of the accuracy threshold", fontsize=9)
    return figure


if __name__ == "__main__":
    main(draw)
