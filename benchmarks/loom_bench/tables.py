"""Tables of figures, for a terminal or a pipe."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.cells import cell_len
from rich.table import Column, Table
from rich.text import Text, TextType

from loom.text import escape_invisible_lines

FRAME = 3  # characters a column of a table takes beside its text


def table(title: str, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> Table:
    """A table with the first column to the left and numbers to the right."""
    made = Table(title=title, title_justify="left")
    for at, head in enumerate(heads):
        made.add_column(head, justify="left" if at == 0 else "right")
    for row in rows:
        made.add_row(*(Text(escape_invisible_lines(str(cell))) for cell in row))
    return made


def parts(made: Table, width: int) -> list[Table]:
    """The table alone where it fits, else several, each with its first column; in characters."""
    made.columns[0].no_wrap = True  # the name of the row
    if 1 + sum(_least(one, str(one.header)) + FRAME for one in made.columns) <= width:
        return [made]
    first, *others = made.columns
    label = min(_least(first), max(width // 2 - FRAME, 1))
    groups: list[list[Column]] = [[]]
    left = width - 1 - label - FRAME
    for column in others:
        size = min(_least(column), width - 1 - label - 2 * FRAME) + FRAME
        if groups[-1] and size > left:
            groups.append([])
            left = width - 1 - label - FRAME
        groups[-1].append(column)
        left -= size
    many = len(groups) > 1
    return [
        _part(
            f"{made.title} ({at} of {len(groups)})" if many else made.title,
            first, group, label, width,
        )
        for at, group in enumerate(groups, 1)
    ]  # fmt: skip


def _part(
    title: TextType | None, first: Column, others: Sequence[Column], label: int, width: int
) -> Table:
    """A table of some columns of another, as wide as they need to be, at most `width`."""
    part = Table(title=title, title_justify="left")
    room = width - 1 - label - 2 * FRAME
    for column in (first, *others):
        size = label if column is first else min(_least(column), room)
        part.add_column(
            column.header, justify=column.justify, width=size, overflow="fold", no_wrap=False
        )
    for cells in zip(*(column.cells for column in (first, *others)), strict=True):
        part.add_row(*cells)
    return part


def _least(column: Column, head: str = "") -> int:
    """Columns of a terminal that a column of a table needs, its head by the word or as it is."""
    words = [head] if head else str(column.header).split()
    lines = [line for cell in column.cells for line in str(cell).splitlines()]
    return max(map(cell_len, (*words, *lines)), default=1)
