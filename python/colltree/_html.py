# SPDX-License-Identifier: BSD-3-Clause
"""The words, numbers and tables of the report as HTML."""

import html
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ._style import percent_text

FOLDER = Path(__file__).with_name("page")
DASH = "–"


def filled(template: str, parts: Mapping[str, str]) -> str:
    """Return a file of ``page/`` with the parts in the places of their ``@names@``."""
    pieces = (FOLDER / template).read_text("utf-8").split("@")
    return "".join(parts[piece] if i % 2 else piece for i, piece in enumerate(pieces))


def text_of(value: object) -> str:
    """Return the value as text of HTML; characters that move the cursor of a terminal or mean nothing are shown as a mark."""
    return html.escape("".join(c if c == "\n" or c.isprintable() else "\ufffd" for c in str(value)))


def percent(fraction: float | None, signed: bool = False) -> str:
    if fraction is None:
        return DASH
    sign = "−" if fraction < 0 else "+" if signed and fraction > 0 else ""
    return f"{sign}{percent_text(abs(fraction))}\u00a0%"


def interval(pair: Sequence[float] | None, signed: bool = False, otherwise: str = "interval not known") -> str:
    return f"{percent(pair[0], signed)} to {percent(pair[1], signed)}" if pair else otherwise


def count_of(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def range_of(pair: Sequence[int], text: Callable[[int], str] = str) -> str:
    return text(pair[0]) if pair[0] == pair[1] else f"{text(pair[0])} to {text(pair[1])}"


def paragraph(text: str) -> str:
    return f"<p>{text}</p>\n" if text else ""


def card(text: str | None, label: str) -> str:
    return f'<div class="card"><h3>{label}</h3><pre tabindex="0" aria-label="{label}">{text_of(text)}</pre></div>\n' if text else ""


def choice(name: str, label: str, values: Iterable[tuple[str, str]], chosen: str = "") -> str:
    options = "".join(f'<option value="{text_of(value)}"{" selected" * (value == chosen)}>{text_of(text)}</option>' for value, text in values)
    return f'<label class="field"><span>{label}</span><select name="{name}">{options}</select></label>\n'


def row(head: str, cells: Iterable[Any], attributes: str = "") -> str:
    """Return a row of a table; of a cell, a text with a value and attributes, the value is what the column is sorted by and the CSV holds."""
    text = f'<tr{attributes}><th scope="row">{head}</th>' if head else "<tr>"
    for cell in cells:
        words, value, *looks = (cell, None) if isinstance(cell, str) else cell
        sorted_by = "" if value is None else f' data-value="{value}"'
        text += f"<td{sorted_by}{''.join(looks)}>{words}</td>"
    return text + "</tr>\n"


def table(caption: str, titles: Iterable[str], rows: Iterable[str], name: str, kind: str = "figures") -> str:
    head = "".join(f'<th scope="col">{title}</th>' for title in titles)
    return (
        f'<div class="card scroll" tabindex="0" role="region" aria-label="{text_of(caption)}"><table class="{kind} sortable" data-name="{name}">'
        f"<caption>{text_of(caption)}</caption>\n<thead><tr>{head}</tr></thead>\n<tbody>{''.join(rows)}</tbody></table></div>\n"
    )


def shade(value: float | None, full: float, is_gain: bool = True) -> str:
    if value is None:
        return ""
    colour = "--good" if is_gain and value < 0 else "--bad"
    return f' style="background:color-mix(in srgb,var({colour}) {42 * min(abs(value) / full, 1):.0f}%,transparent)"'
