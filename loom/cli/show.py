"""Output of every command: JSON, lines, and tables that are data until they are printed.

On a terminal a table is drawn with rich; elsewhere it is aligned text of at most `WIDTH` columns,
without control characters, so that it can be piped, diffed and read aloud.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, TextIO

from cyclopts import Parameter
from msgspec import Struct, to_builtins
from rich.console import Console
from rich.table import Table
from rich.text import Text

# What most commands are given.
Folder = Annotated[Path, Parameter(help="The workspace.")]
AsJson = Annotated[bool, Parameter(help="Print one JSON object instead.")]

UNSEEN = re.compile(r"[^ -~]")  # signs that may be unprintable

WIDTH = 100
GAP = "  "

# For streams that cannot encode what Loom writes: every sign has an ASCII stand-in.
ASCII = str.maketrans(
    {"ρ": "rho", "→": "->", "·": "|", "…": "...", "–": "-", "×": "x", "█": "#", "░": "."}
    | dict(zip("▁▂▃▄▅▆▇", "__--==#", strict=True))
)


class Sheet(Struct, frozen=True):
    """A table: column names and rows of texts. A name that ends in `>` is right-aligned."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    total: tuple[str, ...] = ()


def emit(value: Any) -> None:
    """One JSON document on stdout, in ASCII where the stream holds nothing else.

    What cannot be printed is escaped.
    """
    data = to_builtins(value)
    text = UNSEEN.sub(_escaped, json.dumps(data, indent=2, ensure_ascii=False))
    print(text if speaks(sys.stdout, text) else json.dumps(data, indent=2))


def _escaped(found: re.Match[str]) -> str:
    """A sign as JSON escapes it, unless it can be printed; JSON's own line ends stay."""
    sign = found[0]
    return sign if sign.isprintable() or sign == "\n" else json.dumps(sign)[1:-1]


def console(stream: TextIO | None = None) -> Console:
    """A rich console on stdout, or on `stream`."""
    return Console(file=stream or sys.stdout, highlight=False)


def lively(screen: Console) -> bool:
    """True when the console is drawn on: a terminal, or what FORCE_COLOR has rich take for one."""
    return screen.is_terminal and not screen.is_dumb_terminal


def speaks(stream: TextIO, text: str) -> bool:
    """True when a stream's encoding holds a text."""
    try:
        text.encode(getattr(stream, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def plain(text: str) -> str:
    """The text with a blank for each sign that cannot be printed: it cannot steer a terminal.

    These are control and format characters, what turns the direction of writing among them, line
    and paragraph ends, and what has no character.
    """
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() else " " for sign in text)


def plain_lines(text: str) -> str:
    """A text of several lines as a terminal may be given it: its lines and tabs stand."""
    text = text.replace("\r\n", "\n")
    return UNSEEN.sub(lambda found: found[0] if found[0] in "\n\t" else plain(found[0]), text)


def line(text: str = "") -> None:
    """One line on stdout."""
    text = plain(text)
    if not speaks(sys.stdout, text):
        encoding = sys.stdout.encoding
        text = text.translate(ASCII).encode(encoding, "replace").decode(encoding)
    print(text)


def lines(texts: Iterable[str]) -> None:
    """Lines on stdout."""
    for text in texts:
        line(text)


def pairs(rows: Sequence[tuple[str, str]]) -> None:
    """Labels and values, one a line."""
    width = max((len(label) for label, _ in rows), default=0)
    for label, value in rows:
        line(clip(f"{label:<{width}}{GAP}{value}"))


def sheet(table: Sheet) -> None:
    """A table, as the stream allows."""
    screen = console()
    if not lively(screen) or not speaks(sys.stdout, "─│╭ρ"):
        lines(aligned(table))
        return
    drawn = Table(header_style="bold", show_footer=bool(table.total))
    for at, name in enumerate(table.columns):
        footer = table.total[at] if table.total else ""
        drawn.add_column(
            Text(plain(name.rstrip(">"))),
            Text(plain(footer)),
            justify="right" if name.endswith(">") else "left",
            no_wrap=True,
        )
    for row in table.rows:
        drawn.add_row(*(Text(plain(cell)) for cell in row))
    Console(file=sys.stdout, highlight=False).print(drawn)


def aligned(table: Sheet, width: int = WIDTH) -> list[str]:
    """The table as text; the widest column gives way until it fits `width`."""
    names = tuple(name.rstrip(">") for name in table.columns)
    rows = [names, *table.rows, *([table.total] if table.total else [])]
    rows = [tuple(plain(cell) for cell in row) for row in rows]
    sizes = [max(len(row[at]) for row in rows) for at in range(len(names))]
    over = sum(sizes) + len(GAP) * (len(sizes) - 1) - width
    if over > 0:
        widest = sizes.index(max(sizes))
        sizes[widest] = max(sizes[widest] - over, 8)
    made = []
    for row in rows:
        cells = [
            f"{clip(cell, size):>{size}}" if name.endswith(">") else f"{clip(cell, size):<{size}}"
            for cell, size, name in zip(row, sizes, table.columns, strict=True)
        ]
        made.append(GAP.join(cells).rstrip())
    return made


def clip(text: str, width: int = WIDTH) -> str:
    """At most `width` characters; what is cut is marked."""
    return text if len(text) <= width else text[: width - 1] + "…"


def bar(share: float, width: int = 30) -> str:
    """A bar of `width` characters, filled to a share of 0 to 1."""
    filled = round(min(max(share, 0.0), 1.0) * width)
    return "█" * filled + "░" * (width - filled)


def sized(count: int) -> str:
    """Bytes for people: `812 B`, `14.2 KB`, `3.1 MB`."""
    if count < 1_000:
        return f"{count} B"
    return f"{count / 1_000:.1f} KB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"
