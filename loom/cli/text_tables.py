"""Tables as lines of text. A plain table narrows its columns to fit a terminal, and is complete in
a pipe. A ranked table always fits its width: it leaves out whole columns, those with the highest
rank numbers first."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Collection, Iterator, Sequence
from itertools import zip_longest
from typing import Any

from msgspec import Struct
from rich.cells import cell_len
from rich.text import Text

from loom.cli.output import GAP, WIDTH, can_encode, clip, line_width, print_lines, shorten
from loom.text import escape_invisible

LEAST = 8  # columns of a cell that gives way
NAMES = 16  # columns a name has at least, before the first column of figures
Cells = Sequence[str]


def table_lines(
    columns: Cells, rows: Sequence[Cells], total: Cells = (), styles: Cells = ()
) -> list[Text]:
    """Return the lines of a plain table: the column names, the rows, and a last row `total`, if
    given. A column whose name ends in `>` is aligned to the right. `styles` holds a terminal style
    for each row."""
    marks = ["bold", *(style for _, style in zip_longest(rows, styles, fillvalue="")), "bold"]
    told = aligned_rows(columns, [*rows, *([total] if total else [])], line_width())
    return [Text(row, style=style) for row, style in zip(told, map(str, marks), strict=False)]


def aligned_rows(columns: Cells, rows: Sequence[Cells], width: int = WIDTH) -> list[str]:
    """Return the lines of a table, the column names first. The widest columns are narrowed, to no
    less than LEAST characters, until a line fits in `width`."""
    every = [[name.rstrip(">") for name in columns], *rows]
    sizes = [
        max(cell_len(escape_invisible(row[at])) for row in every) for at in range(len(columns))
    ]
    for _ in range(sum(sizes) + len(GAP) * (len(sizes) - 1) - width):
        widest = sizes.index(max(sizes))
        sizes[widest] = max(sizes[widest] - 1, LEAST)
    return [
        GAP.join(
            _padded_cell(cell, size, right=name.endswith(">"))
            for cell, size, name in zip(row, sizes, columns, strict=True)
        ).rstrip()
        for row in every
    ]


def _padded_cell(text: str, size: int, *, right: bool) -> str:
    text = shorten(text, size)
    blank = " " * (size - cell_len(text))
    return blank + text if right else text + blank


def label_value_lines(
    rows: Sequence[tuple[str, str]], whole: Collection[str] = ()
) -> Iterator[str]:
    """Yield a line for each pair (label, value). On a terminal a long value is cut, or wrapped if
    its label is in `whole`."""
    width = max((len(label) for label, _ in rows), default=0)
    for label, value in rows:
        head, said = f"{label:<{width}}{GAP}", escape_invisible(value)
        if sys.stdout.isatty() and label in whole:
            room, below = max(line_width(), len(head) + 20), " " * len(head)
            yield from textwrap.wrap(said, room, initial_indent=head, subsequent_indent=below)
        else:
            yield clip(head + said, line_width())


class RankedColumn(Struct, frozen=True):
    """A column of a ranked table. `name` is its heading. Columns with the highest `rank` are left
    out first. `of` is the key of its texts in RankedRow.texts."""

    name: str
    rank: int
    of: str


class RankedRow(Struct, frozen=True):
    """A row of a ranked table. `name` is its first cell. `texts` maps the key `of` of a column to
    the text of its cell. `dim` is True for a row that explains the row above."""

    name: str
    texts: dict[str, Any]
    dim: bool = False


def ranked_table(
    head: str, columns: Sequence[RankedColumn], rows: Sequence[RankedRow], width: int
) -> list[Text]:
    """Return the lines of a ranked table, none wider than `width`. `head` is the heading of the row
    names. If the columns do not all fit, columns with the highest rank are left out."""
    shown = columns_that_fit(head, columns, rows, width)
    room = width - sum(_column_width(one, rows) + len(GAP) for one in shown)
    cells = [
        [shorten_middle(row.name, room), *(row.texts.get(c.of, "") for c in shown)] for row in rows
    ]
    told = aligned_rows((head, *(f"{one.name}>" for one in shown)), cells, sys.maxsize)
    styles = ("bold", *("dim" if row.dim else "" for row in rows))
    return [Text(shorten(text, width), style) for text, style in zip(told, styles, strict=True)]


def columns_that_fit(
    head: str, columns: Sequence[RankedColumn], rows: Sequence[RankedRow], width: int
) -> list[RankedColumn]:
    """Return the columns that fit in `width` beside the row names, whose heading is `head`."""
    longest = max(cell_len(escape_invisible(name)) for name in (head, *(row.name for row in rows)))
    room, kept = width - min(longest, NAMES), set()
    for one in sorted(columns, key=lambda one: one.rank):
        room -= _column_width(one, rows) + len(GAP)
        if room < 0:
            break
        kept.add(one.of)
    return [one for one in columns if one.of in kept]


def print_ranked_table(
    head: str, columns: Sequence[RankedColumn], rows: Sequence[RankedRow], width: int
) -> None:
    """Print a ranked table on stdout. `head` is the heading of the row names."""
    print_lines(ranked_table(head, columns, rows, width))


def shorten_middle(text: str, width: int) -> str:
    """Return the text in at most `width` terminal columns, with `…` for the middle of a longer
    text."""
    text = escape_invisible(text)
    if cell_len(text) <= width:
        return text
    mark = "…" if can_encode(sys.stdout, "…") else ".."
    left = width - cell_len(mark)
    if left < 2:
        return shorten(text, width) if len(mark) == 1 else text[: max(width, 0)]
    front, back = left - left // 2, left // 2
    return next(
        text[:at] + mark + text[end:]
        for at in range(front, -1, -1)
        if cell_len(text[:at]) <= front
        for end in range(max(len(text) - back, at), len(text) + 1)
        if cell_len(text[end:]) <= back
    )


def _column_width(column: RankedColumn, rows: Sequence[RankedRow]) -> int:
    texts = (str(row.texts.get(column.of, "")) for row in rows)
    return max(map(cell_len, (column.name, *texts)))
