# SPDX-License-Identifier: BSD-3-Clause
"""The command ``python3 -m colltree.plot KIND FILE... -o F.svg``: whole pictures of profiles and models as SVG, PNG or PDF.

The figures are those of the program ``colltree``, which loads, fits and judges; the same files and options give the same bytes.
"""

import argparse
import io
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from .._study_command import Parser, Usage, add_timings, exit_code
from ..errors import write_file
from . import _pictures
from ._pictures import Json


class _Kind(NamedTuple):
    draw: Callable[[argparse.Namespace], tuple[Figure, str]]
    summary: str
    files: str
    nargs: Any = 1
    option: str = ""
    is_of_profile: bool = True


_BESIDE = "the profile (P.db), then models to draw beside it (M.json)"
_OTHERS = "the profile (P.db), then further ones, whose library's own choice is drawn beside it"
_ALONE = "the profile (P.db)"
_KINDS = {
    "map": _Kind(_pictures.maps, "decision maps: the best method of each instance and what models choose", f"{_BESIDE}, or models alone", "+", "fit"),
    "penalty": _Kind(_pictures.penalty, "where the default and models lose, and how much", _BESIDE, "+", "fit"),
    "times": _Kind(_pictures.times, "times of all methods against message size, with their intervals", _OTHERS, "+", "communicator-size"),
    "depth": _Kind(_pictures.quadtrees, "penalty of quadtrees against their depth limit", _ALONE),
    "threshold": _Kind(_pictures.quadtrees, "depth and penalty of quadtrees against the accuracy threshold", _ALONE),
    "limits": _Kind(_pictures.quadtrees, "penalty of quadtrees against mean depth, under either limit", _ALONE),
    "leaves": _Kind(_pictures.leaves, "penalty against the number of leaves: quadtree, C4.5, optimal", _ALONE, option="leaves"),
    "frontier": _Kind(
        _pictures.frontier, "the least penalty of each number of leaves", "models of 'colltree fit optimal' (M.json)", "+", is_of_profile=False
    ),
    "tree": _Kind(_pictures.tree, "a model as a tree", "the model (M.json)", is_of_profile=False),
}
_DARK = dict.fromkeys(("figure.facecolor", "axes.facecolor", "savefig.facecolor"), "#16181D")
_OPTIONS: dict[str, Json] = {
    "fit": {"help": "models to fit and draw, separated by spaces: 'quadtree:max_depth=3 c45:weight=40,confidence=5 optimal:leaves=10'"},
    "communicator-size": {"type": int, "help": "number of ranks (default: the largest that was measured)"},
    "leaves": {"type": int, "default": 32, "help": "largest number of leaves of the optimal trees (default: 32)"},
}


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="python3 -m colltree.plot", description="draw maps, penalties, times and trees as SVG, PNG or PDF")
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="KIND")
    for name, kind in _KINDS.items():
        line = kinds.add_parser(name, help=kind.summary, description=kind.summary)
        line.add_argument("files", nargs=kind.nargs, metavar="FILE", help=kind.files)
        line.add_argument("-o", "--output", required=True, help="the picture (F.svg, F.png or F.pdf)")
        line.add_argument("--title", help="title of the picture (default: what it shows)")
        line.add_argument("--background", choices=("light", "dark"), default="light", help="colour scheme of the picture (default: light)")
        line.add_argument("--scale", type=float, default=2, help="pixels of a PNG in a hundredth of an inch (default: 2)")
        if kind.option:
            line.add_argument(f"--{kind.option}", **_OPTIONS[kind.option])
        if kind.is_of_profile:
            add_timings(line)
    return parser


def _draw(asked: argparse.Namespace) -> None:
    ending = Path(asked.output).suffix.lower()
    dates = {".svg": {"Date": None}, ".png": {"Software": None}, ".pdf": {"CreationDate": None}}
    if ending not in dates:
        raise Usage(f"{asked.output}: the name of a picture ends in .svg, .png or .pdf")
    if not 0.1 <= asked.scale <= 20:
        raise Usage(f"--scale: expected 0.1 to 20, got {asked.scale:g}")
    picture = io.BytesIO()
    fixed: Json = {"svg.hashsalt": "colltree", "svg.fonttype": "none"}
    page: list[Any] = ["dark_background", _DARK] if asked.background == "dark" else []
    with plt.style.context(["default", *page, fixed]):
        figure, title = _KINDS[asked.kind].draw(asked)
        if len(figure.axes) == 1 and asked.kind not in ("map", "penalty"):
            figure.axes[0].set_title("")  # says less than that of the picture
        figure.suptitle(asked.title or title, fontsize=9)
        figure.savefig(picture, format=ending[1:], dpi=100 * asked.scale, bbox_inches="tight", metadata=dates[ending])
        plt.close("all")
    content = picture.getvalue()  # of an SVG with a line for each group
    write_file(asked.output, re.sub(rb" ?\n(?=[LCQMz])|\n *(?=<(?!g))", b"", content) if ending == ".svg" else content)
    print(asked.output)


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw the picture that the command line asks for, and return the exit code."""
    matplotlib.use("Agg")
    asked = _parser().parse_args(arguments)
    return exit_code(lambda: _draw(asked))


if __name__ == "__main__":
    sys.exit(main())
