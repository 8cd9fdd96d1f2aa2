# SPDX-License-Identifier: BSD-3-Clause
"""Figure 1 of 2007: the decision map of reduce, and the same as a table."""

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from paper_data import Paper, main

from colltree import plot
from colltree.model import methods_of

MOST = 8  # rows and columns of the table


def draw(paper: Paper) -> Figure:
    figure, (above, below) = plt.subplots(2, 1, figsize=(6.8, 5.6), layout="constrained", height_ratios=(1, 1))
    best = paper.best("frodo", "reduce")
    plot.decision_map(best, "reduce", ax=above, most_named=20)
    above.set_title("(a) reduce on frodo, exact", fontsize=8)
    names = [plot.method_label(method).replace(", ", "\n") for method in methods_of(best)]
    names_at = best.assign(name=names).pivot(index="communicator_size", columns="message_size", values="name")
    spread = [np.unique(np.linspace(0, count - 1, min(MOST, count)).round().astype(int)) for count in names_at.shape]  # with both ends
    shown = names_at.iloc[spread[0], spread[1]]
    heads = ["ranks", *map(plot.tick_text, shown.columns)]
    table = below.table(shown.reset_index().to_numpy(), colLabels=heads, cellLoc="center", bbox=(0, 0, 1, 1))
    table.auto_set_font_size(False)
    table.set_fontsize(5)
    below.set_axis_off()
    below.set_title("(b) the same as a table: communicator size (rows), message size (columns)", fontsize=8)
    return figure


if __name__ == "__main__":
    main(draw)
