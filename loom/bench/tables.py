"""Tables of figures, for a terminal or a pipe."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.table import Table
from rich.text import Text

from loom.text import visible_lines


def table(title: str, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> Table:
    """A table with the first column to the left and numbers to the right."""
    made = Table(title=title, title_justify="left")
    for at, head in enumerate(heads):
        made.add_column(head, justify="left" if at == 0 else "right")
    for row in rows:
        made.add_row(*(Text(visible_lines(str(cell))) for cell in row))
    return made
