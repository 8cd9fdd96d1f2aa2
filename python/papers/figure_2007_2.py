# SPDX-License-Identifier: BSD-3-Clause
"""Figure 2 of 2007: decision maps of quadtrees of broadcast with a limited depth."""

from matplotlib.figure import Figure
from paper_data import Paper, limited_panels, main, maps_figure


def draw(paper: Paper) -> Figure:
    return maps_figure(paper, list(limited_panels(paper, "max_depth")), "Depth-limited quadtrees of bcast")


if __name__ == "__main__":
    main(draw)
