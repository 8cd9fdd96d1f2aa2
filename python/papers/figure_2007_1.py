# SPDX-License-Identifier: BSD-3-Clause
"""Figure 1 of 2007: the decision map of reduce, and the same as a table."""

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from paper_data import Paper, main

from colltree import Method, plot

MOST = 8  # rows and columns of the table


def draw(paper: Paper) -> Figure:
    """Draw the best methods on Frodo: (a) all of them as a map, (b) some of them as a table."""
    figure, (above, below) = plt.subplots(2, 1, figsize=(6.8, 5.6), layout="constrained", height_ratios=(1, 1))
    best = paper.best("frodo", "reduce")
    plot.decision_map(best, "reduce", ax=above, most_named=20)
    above.set_title("(a) reduce on frodo, exact", fontsize=8)
    rows = best.set_index(["communicator_size", "message_size"]).sort_index()
    ranks, sizes = (spread(rows.index.get_level_values(level).unique().sort_values()) for level in (0, 1))
    cells = [[str(rank), *(label(rows.loc[(rank, size)]) for size in sizes)] for rank in ranks]
    table = below.table(cells, colLabels=["ranks", *(plot.tick_text(size) for size in sizes)], cellLoc="center", bbox=(0, 0, 1, 1))
    table.auto_set_font_size(False)
    table.set_fontsize(5)
    below.set_axis_off()
    below.set_title("(b) the same as a table: communicator size (rows), message size (columns)", fontsize=8)
    return figure


def spread(values):
    """Return at most MOST of the values, evenly spread, with both ends."""
    return values[np.unique(np.linspace(0, len(values) - 1, min(MOST, len(values))).round().astype(int))]


def label(row) -> str:
    """Return the name of the best method, with its segment size below."""
    return plot.method_label(Method(row["algorithm"], row["segment_size"])).replace(", ", "\n")


if __name__ == "__main__":
    main(draw)
