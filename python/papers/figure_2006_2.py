# SPDX-License-Identifier: BSD-3-Clause
"""Figure 2 of 2006: decision maps of C4.5 trees of broadcast."""

from matplotlib.figure import Figure
from paper_data import Paper, Panel, main, maps_figure

PARAMETERS = ((2, 25), (4, 25), (6, 15), (8, 5), (40, 5))


def draw(paper: Paper) -> Figure:
    panels = [Panel("(a) Measured", "grig", "bcast")]
    for letter, (weight, level) in zip("bcdef", PARAMETERS, strict=True):
        panels.append(Panel(f"({letter}) -m {weight} -c {level}", "grig", "bcast", paper.c45("bcast", weight, level)))
    return maps_figure(paper, [panels[:3], panels[3:]], "C4.5 decision maps: bcast on grig")


if __name__ == "__main__":
    main(draw)
