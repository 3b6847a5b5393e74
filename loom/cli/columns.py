"""A table that always fits: it has as many columns as there is room for, the most telling ones."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from rich.console import Console
from rich.text import Text

from loom.cli.show import GAP, console, lively, speaks
from loom.cli.styled import columns_of, say, short
from loom.text import visible

PIPED = 80  # columns elsewhere than on a terminal
NAMES = 16  # columns a name has at least, before the first column of figures


class RankedColumn(Struct, frozen=True):
    """A column of figures: its name, and its rank, 0 for what gives way last.

    `of` is the key of its texts in a row.
    """

    name: str
    rank: int
    of: str


class RankedRow(Struct, frozen=True):
    """A row: its name and its texts by key; `dim` ones stand below another, which they explain."""

    name: str
    texts: dict[str, Any]
    dim: bool = False


def width_for(screen: Console) -> int:
    """Columns a table may take: those of the terminal, `PIPED` elsewhere."""
    return max(screen.width, 1) if lively(screen) else PIPED


def ranked_table(
    head: str, columns: Sequence[RankedColumn], rows: Sequence[RankedRow], width: int
) -> list[Text]:
    """The lines of a table, none wider than `width`; names are shortened in the middle.

    `head` stands over the names. Columns keep their order; where they do not all fit those of the
    highest ranks are left out.
    """
    names = [visible(row.name) for row in rows]
    longest = max(map(columns_of, [head, *names]))
    sizes = {one.of: _size(one, rows) for one in columns}
    shown = shown_columns(head, columns, rows, width)
    first = min(longest, width - sum(sizes[one.of] + len(GAP) for one in shown))
    made = [Text(_line(head, [(one.name, sizes[one.of]) for one in shown], first), style="bold")]
    for row, name in zip(rows, names, strict=True):
        cells = [(row.texts.get(one.of, ""), sizes[one.of]) for one in shown]
        style = "dim" if row.dim else ""
        made.append(Text(_line(middle(name, first), cells, first), style=style))
    return made


def shown_columns(
    head: str, columns: Sequence[RankedColumn], rows: Sequence[RankedRow], width: int
) -> list[RankedColumn]:
    """The columns there is room for, in their order."""
    longest = max(columns_of(visible(name)) for name in (head, *(row.name for row in rows)))
    room, kept = width - min(longest, NAMES), set()
    for one in sorted(columns, key=lambda one: one.rank):
        room -= _size(one, rows) + len(GAP)
        if room < 0:
            break
        kept.add(one.of)
    return [one for one in columns if one.of in kept]


def print_table(
    head: str, columns: Sequence[RankedColumn], rows: Sequence[RankedRow], width: int
) -> None:
    """A table on stdout."""
    say(ranked_table(head, columns, rows, width), console())


def middle(text: str, width: int) -> str:
    """The text in at most `width` columns, its middle left out where it is longer."""
    text = visible(text)
    if columns_of(text) <= width:
        return text
    mark = "…" if speaks(sys.stdout, "…") else ".."
    left = width - columns_of(mark)
    if left < 2:
        return short(text, width) if len(mark) == 1 else text[: max(width, 0)]
    back = left // 2
    end = len(text)
    while end > 0 and columns_of(text[end - 1 :]) <= back:
        end -= 1
    front = 0
    while columns_of(text[: front + 1]) <= left - back:
        front += 1
    return text[:front] + mark + text[end:]


def _size(column: RankedColumn, rows: Sequence[RankedRow]) -> int:
    texts = [str(row.texts.get(column.of, "")) for row in rows]
    return max(map(columns_of, [column.name, *texts]))


def _line(name: str, cells: Sequence[tuple[str, int]], first: int) -> str:
    """A name, and figures to the right of their columns."""
    made = short(name, first)
    made += " " * (first - columns_of(made))
    for text, size in cells:
        made += GAP + " " * (size - columns_of(text)) + text
    return made.rstrip()
