# SPDX-License-Identifier: BSD-3-Clause
"""Figure 3 of 2006: decision maps of C4.5 trees that decide for broadcast and reduce together."""

from matplotlib.figure import Figure
from paper_data import Paper, Panel, letters, main, maps_figure

PARAMETERS = ((2, 25), (20, 5))


def draw(paper: Paper) -> Figure:
    """Draw for both collectives the best methods and the choices of two trees."""
    letter, rows = letters(), []
    for collective in ("reduce", "bcast"):
        row = [Panel(f"({next(letter)}) {collective}, exact", "grig", collective)]
        for weight, level in PARAMETERS:
            model = paper.c45("bcast,reduce", weight, level)
            row.append(Panel(f"({next(letter)}) {collective}, -m {weight} -c {level}", "grig", collective, model))
        rows.append(row)
    return maps_figure(paper, rows, "Combined C4.5 trees of bcast and reduce on grig")


if __name__ == "__main__":
    main(draw)
