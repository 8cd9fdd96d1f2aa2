# SPDX-License-Identifier: BSD-3-Clause
"""Figure 3 of 2006: decision maps of C4.5 trees that decide for broadcast and reduce together."""

from matplotlib.figure import Figure
from paper_data import Paper, Panel, main, maps_figure

PARAMETERS = ((2, 25), (20, 5))


def draw(paper: Paper) -> Figure:
    models = {"exact": None, **{f"-m {weight} -c {level}": paper.c45("bcast,reduce", weight, level) for weight, level in PARAMETERS}}
    rows = []
    for letters, collective in (("abc", "reduce"), ("def", "bcast")):
        titled = zip(letters, models.items(), strict=True)
        rows.append([Panel(f"({letter}) {collective}, {title}", "grig", collective, model) for letter, (title, model) in titled])
    return maps_figure(paper, rows, "Combined C4.5 trees of bcast and reduce on grig")


if __name__ == "__main__":
    main(draw)
