"""Tables: plain lines whose columns give way on a terminal, and are whole in a pipe.

A ranked table always fits, in a pipe too: it has as many columns as there is room for, the most
telling ones.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Collection, Sequence
from itertools import zip_longest
from typing import Any

from msgspec import Struct
from rich.console import Console
from rich.text import Text

from loom.cli.show import GAP, PIPED, WIDTH, clip, console, fitting, line, lines, lively, speaks
from loom.cli.styled import columns_of, say, short
from loom.text import visible

LEAST = 8  # columns of a cell that gives way
NAMES = 16  # columns a name has at least, before the first column of figures


class Sheet(Struct, frozen=True):
    """A table: column names and rows of texts. A name that ends in `>` is right-aligned.

    `styles` are those of the rows on a terminal, where they have any.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    total: tuple[str, ...] = ()
    styles: tuple[str, ...] = ()


def sheet(table: Sheet) -> None:
    """A table on stdout."""
    styles = ("bold", *(style for _, style in zip_longest(table.rows, table.styles, fillvalue="")))
    rows = zip(aligned(table, fitting()), (*map(str, styles), "bold"), strict=False)
    say((Text(row, style=style) for row, style in rows), console())


def aligned(table: Sheet, width: int = WIDTH) -> list[str]:
    """The table as text; the widest columns give way until it fits `width`."""
    names = tuple(name.rstrip(">") for name in table.columns)
    rows = [names, *table.rows, *([table.total] if table.total else [])]
    sizes = [max(columns_of(visible(row[at])) for row in rows) for at in range(len(names))]
    for _ in range(sum(sizes) + len(GAP) * (len(sizes) - 1) - width):
        widest = sizes.index(max(sizes))
        sizes[widest] = max(sizes[widest] - 1, LEAST)
    return [
        GAP.join(
            _cell(cell, size, right=name.endswith(">"))
            for cell, size, name in zip(row, sizes, table.columns, strict=True)
        ).rstrip()
        for row in rows
    ]


def _cell(text: str, size: int, *, right: bool = False) -> str:
    text = short(text, size)
    blank = " " * (size - columns_of(text))
    return blank + text if right else text + blank


def pairs(rows: Sequence[tuple[str, str]], whole: Collection[str] = ()) -> None:
    """Labels and values, one a line; only a terminal gets long ones cut, those `whole` wrapped."""
    width = max((len(label) for label, _ in rows), default=0)
    for label, value in rows:
        head, said = f"{label:<{width}}{GAP}", visible(value)
        if not sys.stdout.isatty():
            line(head + said)
        elif label in whole:
            room, below = max(fitting(), len(head) + 20), " " * len(head)
            lines(textwrap.wrap(said, room, initial_indent=head, subsequent_indent=below))
        else:
            line(clip(head + said, fitting()))


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
    shown = shown_columns(head, columns, rows, width)
    taken = sum(_size(one, rows) + len(GAP) for one in shown)
    table = Sheet(
        (head, *(f"{one.name}>" for one in shown)),
        tuple(
            (middle(row.name, width - taken), *(row.texts.get(one.of, "") for one in shown))
            for row in rows
        ),
    )
    styles = ("bold", *("dim" if row.dim else "" for row in rows))
    lines = zip(aligned(table, sys.maxsize), styles, strict=True)
    return [Text(short(text, width), style=style) for text, style in lines]


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
