"""Output of every command: JSON, lines, and tables that are data until they are printed.

On a terminal a table is drawn with rich; elsewhere it is aligned text, of which nothing is cut, so
that it can be piped, diffed and read aloud. Nothing else in the commands writes to a stream, and
what cannot be seen is escaped here, wherever it goes: only `raw` hands bytes on to a pipe.
"""

from __future__ import annotations

import json
import os
import re
import sys
import textwrap
from collections.abc import Collection, Iterable, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Any, Literal, TextIO

from cyclopts import Parameter
from msgspec import Struct, to_builtins
from rich.console import Console
from rich.table import Table
from rich.text import Text

from loom.lazy import lazy_re
from loom.text import visible, visible_lines

# What most commands are given.
Folder = Annotated[Path, Parameter(help="The workspace: a folder, or an address (s3://…).")]
AsJson = Annotated[bool, Parameter(help="Print one JSON object instead.")]

# Folders that stand for addresses while a command runs (`loom.cli.elsewhere`): told as these.
SHOWN_AS: dict[str, str] = {}

UNSEEN = lazy_re(r"[^ -~]")  # signs that may be unprintable

WIDTH = 100
GAP = "  "
MIN_ROOM = 20  # columns of a wrapped value

# For streams that cannot encode what Loom writes: every sign has an ASCII stand-in.
ASCII = str.maketrans(
    {"ρ": "rho", "→": "->", "·": "|", "…": "...", "–": "-", "×": "x", "█": "#", "░": "."}
    | {"✓": "+", "✗": "x"}
    | dict(zip("▁▂▃▄▅▆▇", "__--==#", strict=True))
)


class Sheet(Struct, frozen=True):
    """A table: column names and rows of texts. A name that ends in `>` is right-aligned.

    `styles` are those of the rows on a terminal, where they have any.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    total: tuple[str, ...] = ()
    styles: tuple[str, ...] = ()


def emit(value: Any) -> None:
    """One JSON document on stdout, in ASCII where the stream holds nothing else.

    What cannot be printed is escaped.
    """
    data = to_builtins(value)
    if SHOWN_AS:
        data = json.loads(addressed(json.dumps(data)))
    text = UNSEEN.sub(_escaped, json.dumps(data, indent=2, ensure_ascii=False))
    print(text if speaks(sys.stdout, text) else json.dumps(data, indent=2))


def prompt(question: str) -> None:
    """A question on stdout, which the answer follows on its line."""
    print(question, end="", flush=True)


def one_line_json(value: Any) -> str:
    """One JSON document on one line; what cannot be seen is escaped."""
    return UNSEEN.sub(_escaped, json.dumps(to_builtins(value), ensure_ascii=False))


def emit_line(value: Any) -> None:
    """One JSON document on one line of stdout, in ASCII, at once."""
    print(addressed(json.dumps(to_builtins(value))), flush=True)


def raw(data: bytes) -> None:
    """Bytes on stdout, as they are; a terminal gets their text, and nothing that could steer it."""
    if sys.stdout.isatty():
        text = visible_lines(data.decode("utf-8", "replace"))
        data = text.encode(sys.stdout.encoding or "utf-8", "replace")
    sys.stdout.flush()
    sys.stdout.buffer.write(data)


def complain(text: str) -> None:
    """One line on stderr, after whose it is."""
    print(f"loom: {visible(addressed(text))}", file=sys.stderr)


def addressed(text: str) -> str:
    """A text with the addresses that folders stand for."""
    for folder, address in SHOWN_AS.items():
        text = text.replace(folder, address)
    return text


def _escaped(found: re.Match[str]) -> str:
    """A sign as JSON escapes it, unless it can be printed; JSON's own line ends stay."""
    sign = found[0]
    return sign if sign.isprintable() or sign == "\n" else json.dumps(sign)[1:-1]


def failed(trace: str) -> None:
    """The lines of a traceback on stderr."""
    print(visible_lines(trace), file=sys.stderr, end="")


def console(stream: TextIO | None = None) -> Console:
    """A rich console on stdout, or on `stream`; with NO_COLOR it has no styles either."""
    plain = bool(os.environ.get("NO_COLOR"))
    colours: Literal["auto"] | None = None if plain else "auto"
    return Console(file=stream or sys.stdout, highlight=False, color_system=colours)


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


def line(text: str = "") -> None:
    """One line on stdout."""
    text = visible(addressed(text))
    if not speaks(sys.stdout, text):
        encoding = sys.stdout.encoding
        text = text.translate(ASCII).encode(encoding, "replace").decode(encoding)
    print(text)


def lines(texts: Iterable[str]) -> None:
    """Lines on stdout."""
    for text in texts:
        line(text)


def pairs(rows: Sequence[tuple[str, str]], whole: Collection[str] = ()) -> None:
    """Labels and values, one a line; only a terminal gets long ones cut, those `whole` wrapped."""
    width = max((len(label) for label, _ in rows), default=0)
    for label, value in rows:
        head, said = f"{label:<{width}}{GAP}", visible(value)
        if not sys.stdout.isatty():
            line(head + said)
        elif label in whole:
            room = max(fitting() - len(head), MIN_ROOM)
            wrapped = textwrap.wrap(said, room, break_on_hyphens=False)
            indents = [head, *[" " * len(head)] * len(wrapped)]
            lines(indent + row for indent, row in zip(indents, wrapped, strict=False))
        else:
            line(clip(head + said, fitting()))


def sheet(table: Sheet) -> None:
    """A table, as the stream allows."""
    screen = console()
    if not lively(screen) or not speaks(sys.stdout, "─│╭ρ"):
        lines(aligned(table, fitting()))
        return
    drawn = Table(header_style="bold", show_footer=bool(table.total))
    for at, name in enumerate(table.columns):
        footer = table.total[at] if table.total else ""
        drawn.add_column(
            Text(visible(name.rstrip(">"))),
            Text(visible(footer)),
            justify="right" if name.endswith(">") else "left",
            no_wrap=True,
        )
    for row, style in zip_longest(table.rows, table.styles, fillvalue=""):
        drawn.add_row(*(Text(visible(cell)) for cell in row), style=str(style))
    screen.print(drawn)


def aligned(table: Sheet, width: int = WIDTH) -> list[str]:
    """The table as text; the widest column gives way until it fits `width`."""
    names = tuple(name.rstrip(">") for name in table.columns)
    rows = [names, *table.rows, *([table.total] if table.total else [])]
    rows = [tuple(visible(cell) for cell in row) for row in rows]
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


def fitting() -> int:
    """Columns of a line on stdout: those of the terminal, at most `WIDTH`; no end elsewhere."""
    return min(console().width, WIDTH) if sys.stdout.isatty() else sys.maxsize


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


def dollars(amount: float) -> str:
    """An amount for people: `$1,240`, `$12.90`, `$0.31`, `$0.0042`."""
    if amount >= 1_000:
        return f"${amount:,.0f}"
    return f"${amount:.2f}" if amount >= 0.1 or not amount else f"${amount:.4f}"
