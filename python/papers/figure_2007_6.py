# SPDX-License-Identifier: BSD-3-Clause
"""Figure 6 of 2007: mean penalty of quadtrees by their mean depth, under an accuracy threshold and under a maximum depth."""

from figure_2007_5 import rows
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from paper_data import Paper, main

from colltree import plot


def draw(paper: Paper) -> Figure:
    figure, axes = plt.subplots(2, 2, figsize=(6.8, 5), layout="constrained")
    depths, thresholds = rows(paper, "depth"), rows(paper, "threshold")
    for (name, depth), ax in zip(depths.items(), axes.flat, strict=True):
        plot.limit_lines({"accuracy threshold": thresholds[name], "maximum depth": depth}, "mean_depth", ax=ax)
        ax.set_title(name, fontsize=8)
    figure.suptitle("Accuracy threshold and maximum depth", fontsize=9)
    return figure


if __name__ == "__main__":
    main(draw)
