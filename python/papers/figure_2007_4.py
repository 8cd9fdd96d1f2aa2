# SPDX-License-Identifier: BSD-3-Clause
"""Figure 4 of 2007: decision maps of quadtrees of broadcast with an accuracy threshold."""

from matplotlib.figure import Figure
from paper_data import Paper, limited_panels, main, maps_figure


def draw(paper: Paper) -> Figure:
    return maps_figure(paper, list(limited_panels(paper, "accuracy_threshold")), "Threshold-limited quadtrees of bcast")


if __name__ == "__main__":
    main(draw)
