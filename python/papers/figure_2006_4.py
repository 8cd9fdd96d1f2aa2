# SPDX-License-Identifier: BSD-3-Clause
"""Figure 4 of 2006: mean penalty of C4.5 trees that decide for broadcast and reduce together."""

from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from paper_data import Paper, main

PARAMETERS = ((2, 25), (6, 25), (8, 25), (20, 5), (40, 25))


def draw(paper: Paper) -> Figure:
    figure, ax = plt.subplots(figsize=(3.4, 2.6), layout="constrained")
    trees = {f"-m {weight} -c {level}": paper.c45("bcast,reduce", weight, level) for weight, level in PARAMETERS}
    for collective, look in (("bcast", {"color": "#0072B2", "marker": "o"}), ("reduce", {"color": "#D55E00", "marker": "s", "linestyle": "--"})):
        ax.plot(list(trees), [100 * paper.penalty(tree, "grig", collective)["mean"] for tree in trees.values()], label=collective, **look)
    ax.set_xlabel("tree", fontsize=8)
    ax.set_ylabel("mean performance penalty [%]", fontsize=8)
    ax.set_title("Combined trees of bcast and reduce on grig", fontsize=8)
    ax.set_ylim(bottom=0)
    ax.tick_params(labelsize=6)
    ax.legend(fontsize=7, frameon=False)
    return figure


if __name__ == "__main__":
    main(draw)
