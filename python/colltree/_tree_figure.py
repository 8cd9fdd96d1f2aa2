# SPDX-License-Identifier: BSD-3-Clause
"""A drawing of what a model decides: its tree from left to right, tests with two branches, and leaves in the colours of their methods."""

import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from . import drive
from ._style import COLUMN, ink, method_label, size_text, styles
from ._tree import ATTRIBUTES, Tree
from .errors import Error
from .model import Method, Model, read_model

MOST_LEAVES = 400  # nobody reads more, and the map shows them better
_WORDS = ("ranks", "message", "nodes", "ranks per node", "power of two", "even message size")
_ROW, _BRANCH, _SWATCH, _CHARACTER = 11.0, 24.0, 9.0, 4.3  # points at font size 7


class _Node(NamedTuple):
    """A node with its place: column is its depth, row the middle of its leaves."""

    text: str
    column: int
    row: float
    method: Method | None = None
    children: tuple["_Node", ...] = ()
    branches: tuple[str, str] = ("yes", "no")

    def nodes(self) -> list["_Node"]:
        return [self, *(node for child in self.children for node in child.nodes())]

    def width(self) -> float:
        return _CHARACTER * len(self.text) + (_SWATCH if self.method else 0) + 6


def _lay_out(tree: Tree, methods: list[Method], node: int, depth: int, first_row: int) -> tuple[_Node, int]:
    """Return the subtree, whose first leaf is in ``first_row``, and the row after it."""
    if tree.low[node] < 0:
        if first_row >= MOST_LEAVES:
            raise Error(f"this tree has more than {MOST_LEAVES} leaves, too many to draw; draw its map instead")
        method = methods[int(tree.method[node])]
        return _Node(method_label(method), depth, first_row, method), first_row + 1
    low, row = _lay_out(tree, methods, int(tree.low[node]), depth + 1, first_row)
    high, row = _lay_out(tree, methods, int(tree.high[node]), depth + 1, row)
    attribute, threshold = int(tree.attribute[node]), int(tree.threshold[node])
    is_size = ATTRIBUTES[attribute] == "message_size"
    text = f"{_WORDS[attribute]} ≤ {size_text(threshold) if is_size else threshold}{' B' if is_size and threshold % 1024 else ''}"
    # "power of two?" rather than "power of two ≤ 0", whose low branch means no.
    is_question = attribute >= 4 and threshold == 0
    words = ("no", "yes") if is_question else ("yes", "no")
    return _Node(f"{_WORDS[attribute]}?" if is_question else text, depth, (low.row + high.row) / 2, None, (low, high), words), row


def tree(model: Model, collective: str | None = None, *, merge: bool = True, ax: Axes | None = None) -> Axes:
    """Draw the tree of a model; each leaf has the colour and hatch of its method.

    Parameters
    ----------
    collective : str, optional
        Draw the tree of this collective; the model's only one if it is not given.
    merge : bool
        Merge regions of one method, which the program ``colltree`` does; otherwise draw the tests as they are in the file.
    ax : Axes, optional
        Where to draw; a new figure as wide as one column of a paper if it is not given, or wider where the texts would be too small.

    Examples
    --------
    >>> colltree.plot.tree(colltree.read_model("bcast.json")).figure.savefig("tree.pdf")  # doctest: +SKIP
    """
    name = model.collectives[0] if collective is None and len(model.collectives) == 1 else collective
    if name not in model.collectives:
        raise Error(f"{model.path}: decides for {', '.join(model.collectives)}; name one of these collectives")
    if name not in model._trees:
        raise Error(f"{model.path}: holds a table for {name} and no tree; draw its map instead")
    drawn = model
    if merge and model.kind != "cdt":
        with tempfile.TemporaryDirectory() as folder:
            drive.run("emit", "tree", model.path, output=Path(folder) / "merged.cdt")
            drawn = read_model(Path(folder) / "merged.cdt")
    found = drawn._trees[name]
    root, leaves = _lay_out(found, drawn.methods, found.root, 0, 0)
    ax = _draw(root, leaves, ax)
    ax.set_title(f"{name}: {model.path.name}", fontsize=8)
    return ax


def _draw(root: _Node, leaves: int, ax: Axes | None) -> Axes:
    nodes = root.nodes()
    widths = [max(node.width() for node in nodes if node.column == column) for column in range(max(node.column for node in nodes) + 1)]
    left = [sum(widths[:column]) + _BRANCH * column for column in range(len(widths) + 1)]
    width, height = left[-1] - _BRANCH, _ROW * leaves
    if ax is None:
        # Below five points nobody reads a text in print.
        shrink = min(1.0, max(5 / 7, 72 * COLUMN[0] / width))
        room = (max(72 * COLUMN[0], shrink * width), shrink * height)
        ax = plt.subplots(figsize=(room[0] / 72, room[1] / 72 + 0.35), layout="constrained")[1]
    else:
        box = ax.get_window_extent()
        room = (72 * box.width / ax.figure.dpi, 72 * box.height / ax.figure.dpi)
        shrink = min(1.0, room[0] / width, room[1] / height)
    looks = styles(method for method, _ in Counter(node.method for node in nodes if node.method).most_common())
    for node in nodes:
        x, y = left[node.column], node.row * _ROW
        if node.method:
            colour, hatch = looks[node.method]
            ax.add_patch(Rectangle((x, y - 3.5), _SWATCH, 7, facecolor=colour, hatch=2 * hatch, edgecolor="#00000090", linewidth=0.4))
            ax.text(x + _SWATCH + 3, y, node.text, fontsize=7 * shrink, va="center")
            continue
        ax.add_patch(Rectangle((x, y - 4.5), node.width(), 9, facecolor="none", edgecolor=ink(), linewidth=0.5))
        ax.text(x + node.width() / 2, y, node.text, fontsize=7 * shrink, va="center", ha="center")
        elbow = x + widths[node.column] + 4
        for child, word in zip(node.children, node.branches, strict=True):
            end = child.row * _ROW
            ax.plot([x + node.width(), elbow, elbow, left[child.column] - 1], [y, y, end, end], color=ink(), linewidth=0.5)
            ax.text(elbow + 2, end - 1, word, fontsize=5.6 * shrink, va="bottom")
    ax.set_xlim(-2, room[0] / shrink + 2)
    ax.set_ylim(room[1] / shrink - 0.3 * _ROW, -0.7 * _ROW)
    ax.set_axis_off()
    return ax
