# SPDX-License-Identifier: BSD-3-Clause
"""The looks that all pictures share: colours, hatches, names of methods and texts of sizes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the page needs colours and texts without waiting for matplotlib and pandas
    from matplotlib.axes import Axes

    from .model import Method

OKABE_ITO = ("#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7", "#999999")
HATCHES = ("", "///", "...", "\\\\\\", "xxx", "---", "ooo", "|||", "+++", "***", "//..", "\\\\oo")
MARKERS = "osD^v<>PX*"
LINE_COLOURS = tuple(colour for colour in OKABE_ITO if colour != "#F0E442")  # yellow is too light for a line on white
COLUMN = (3.4, 2.6)  # inches
_UNITS = ((1 << 30, "G"), (1 << 20, "M"), (1 << 10, "K"))


def method_label(method: Method) -> str:
    """Return a short name: ``chain@fanout=4, 1K`` or ``default``.

    Examples
    --------
    >>> method_label(colltree.Method("binomial", 1024))
    'binomial, 1K'
    """
    if not method.segment_size:
        return method.algorithm
    return f"{method.algorithm}, {size_text(method.segment_size)}"


def size_text(size: float) -> str:
    unit, name = next((pair for pair in _UNITS if size >= pair[0] and size % pair[0] == 0), (1, ""))
    return f"{int(size) // unit}{name}"


def bytes_of(size: int) -> str:
    text = size_text(size)
    return f"{text}B" if size and text.isdigit() else text


def percent_text(fraction: float) -> str:
    """Return a fraction of 0 or more in percent with the digits that matter: 0.04, 8.9, 566."""
    value = 100 * fraction
    return "0" if value == 0 else f"{value:.{2 if value < 1 else 1 if value < 100 else 0}f}"


def tick_text(size: float) -> str:
    """Return a size with at most three digits: 335544 is 328K."""
    return next((f"{size / unit:.3g}{name}" for unit, name in _UNITS if size >= unit), f"{int(size)}")


def styles(methods: Iterable[Method]) -> dict[Method, tuple[str, str]]:
    """Return a colour and a hatch for each method: one colour for each algorithm, another hatch for each further method of that colour.

    Examples
    --------
    >>> styles([colltree.Method("binomial", 0), colltree.Method("binomial", 1024)])
    {Method(algorithm='binomial', segment_size=0): ('#E69F00', ''), Method(algorithm='binomial', segment_size=1024): ('#E69F00', '///')}
    """
    looks: dict[Method, tuple[str, str]] = {}
    colours: dict[str, int] = {}
    used = [0] * len(OKABE_ITO)
    for method in dict.fromkeys(methods):
        colour = colours.setdefault(method.algorithm, len(colours)) % len(OKABE_ITO)
        looks[method] = (OKABE_ITO[colour], HATCHES[used[colour] % len(HATCHES)])
        used[colour] += 1
    return looks


def shades(algorithms: Iterable[str]) -> list[tuple[str, str]]:
    """Return a colour on a light and on a dark page for each method, where no hatch can be drawn: shades of one colour for each algorithm.

    Examples
    --------
    >>> shades(["linear", "binomial", "binomial"])
    [('#e69f00', '#eaad26'), ('#56b4e9', '#6fbfec'), ('#4794bf', '#8cccf0')]
    """
    places: dict[str, int] = {}
    seen: dict[str, int] = {}
    found = []
    for algorithm in algorithms:
        colour = [part / 255 for part in bytes.fromhex(OKABE_ITO[places.setdefault(algorithm, len(places)) % len(OKABE_ITO)][1:])]
        step = seen[algorithm] = seen.get(algorithm, -1) + 1
        pages = ([part * 0.82**step for part in colour], [1 - (1 - part) * 0.85 * 0.8**step for part in colour])
        light, dark = (f"#{bytes(round(255 * part) for part in page).hex()}" for page in pages)
        found.append((light, dark))
    return found


def ink() -> str:
    """Return the colour of texts and lines on the page, which a style of matplotlib may make dark."""
    from matplotlib import rcParams

    return str(rcParams["text.color"])


def is_dark() -> bool:
    from matplotlib import colors, rcParams

    return sum(colors.to_rgb(rcParams["figure.facecolor"])) < 1.5


def new_axes(ax: Axes | None) -> Axes:
    from matplotlib import pyplot as plt

    return plt.subplots(figsize=COLUMN, layout="constrained")[1] if ax is None else ax


def label_axes(ax: Axes, x_label: str, y_label: str, title: str = "") -> None:
    ax.set_xlabel(x_label, fontsize=8)
    ax.set_ylabel(y_label, fontsize=8)
    ax.set_title(title, fontsize=8)
