# SPDX-License-Identifier: BSD-3-Clause
"""Figure 3 of 2007: where quadtrees of broadcast with a limited depth lose."""

from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from paper_data import Paper, finish_maps, limited_panels, main, penalty_text

from colltree import plot


def draw(paper: Paper) -> Figure:
    figure, axes = plt.subplots(2, 3, figsize=(6.6, 5), layout="constrained")
    for row, line in zip(limited_panels(paper, "max_depth"), axes, strict=True):
        for panel, ax in zip(row[1:], line, strict=True):
            plot.penalty_map(paper.times(panel.system), "bcast", model=panel.model, ax=ax)
            patches = ax.get_legend().get_patches()
            ax.get_legend().remove()
            ax.set_title(f"{panel.title}, {panel.system}\n{penalty_text(paper.penalty(panel.model, panel.system, 'bcast'))}", fontsize=7)
    finish_maps(figure, patches, "Penalty of depth-limited quadtrees of bcast")
    return figure


if __name__ == "__main__":
    main(draw)
