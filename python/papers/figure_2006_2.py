# SPDX-License-Identifier: BSD-3-Clause
"""Figure 2 of 2006: decision maps of C4.5 trees of broadcast."""

from matplotlib.figure import Figure
from paper_data import Paper, Panel, letters, main, maps_figure

PARAMETERS = ((2, 25), (4, 25), (6, 15), (8, 5), (40, 5))


def draw(paper: Paper) -> Figure:
    """Draw what was measured, and what trees of five weights and confidence levels choose."""
    letter = letters()
    panels = [Panel(f"({next(letter)}) Measured", "grig", "bcast")]
    panels += [Panel(f"({next(letter)}) -m {weight} -c {level}", "grig", "bcast", paper.c45("bcast", weight, level)) for weight, level in PARAMETERS]
    return maps_figure(paper, [panels[:3], panels[3:]], "C4.5 decision maps: bcast on grig")


if __name__ == "__main__":
    main(draw)
