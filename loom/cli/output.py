"""Output of every command: an object as JSON, or lines; drawn on a terminal, plain elsewhere.

Nothing else in the commands writes to a stream, and what cannot be seen is escaped here, wherever
it goes: only `raw` hands bytes on to a pipe.
"""

from __future__ import annotations

import json
import os
import re
import sys
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TextIO

from cyclopts import Parameter
from msgspec import to_builtins
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from loom.lazy import lazy_re
from loom.text import escape_invisible, escape_invisible_lines

# What most commands are given.
Folder = Annotated[Path, Parameter(help="The workspace: a folder, or an address (s3://…).")]
AsJson = Annotated[bool, Parameter(help="Print one JSON object instead.")]

# Folders that stand for addresses while a command runs (`loom.cli.elsewhere`): told as these.
SHOWN_AS: dict[str, str] = {}

UNSEEN = lazy_re(r"[^ -~]")  # signs that may be unprintable

WIDTH = 100
PIPED = 80  # columns of a text that is wrapped, and of a ranked table in a pipe
GAP = "  "

# For streams that cannot encode what Loom writes: every sign has an ASCII stand-in.
ASCII = str.maketrans(
    {"ρ": "rho", "→": "->", "·": "|", "…": "...", "–": "-", "×": "x", "█": "#", "░": "."}
    | {"✓": "+", "✗": "x"}
    | dict(zip("▁▂▃▄▅▆▇", "__--==#", strict=True))
)
BLOCKS = " ▁▂▃▄▅▆▇█"
SIGNS = "ρ█▁…·→"  # what a terminal must be able to show to be drawn on
STYLES = {
    "client": "bright_black", "system": "blue", "memory": "magenta", "skill": "yellow",
    "tools": "green", "history": "cyan", "working": "bright_red",
}  # fmt: skip


def print_result(
    found: Any, told: Iterable[str | Text], *, json: bool, code: int = 0, wrap: bool = False
) -> int:
    """Print what a command found, as one JSON object or as lines; return the exit code."""
    if json:
        print_json(found)
    else:
        print_lines(told, wrap=wrap)
    return code


def print_json(value: Any) -> None:
    """One JSON document on stdout, in ASCII where the stream holds nothing else.

    What cannot be printed is escaped.
    """
    data = to_builtins(value)
    if SHOWN_AS:
        data = json.loads(with_addresses(json.dumps(data)))
    text = UNSEEN.sub(_escape_sign, json.dumps(data, indent=2, ensure_ascii=False))
    print(text if can_encode(sys.stdout, text) else json.dumps(data, indent=2))


def prompt(question: str) -> None:
    """A question on stdout, which the answer follows on its line."""
    print(question, end="", flush=True)


def one_line_json(value: Any) -> str:
    """One JSON document on one line; what cannot be seen is escaped."""
    return UNSEEN.sub(_escape_sign, json.dumps(to_builtins(value), ensure_ascii=False))


def print_json_line(value: Any) -> None:
    """One JSON document on one line of stdout, in ASCII, at once."""
    print(with_addresses(json.dumps(to_builtins(value))), flush=True)


def print_bytes(data: bytes) -> None:
    """Bytes on stdout, as they are; a terminal gets their text, and nothing that could steer it."""
    if sys.stdout.isatty():
        text = escape_invisible_lines(data.decode("utf-8", "replace"))
        data = text.encode(sys.stdout.encoding or "utf-8", "replace")
    sys.stdout.flush()
    sys.stdout.buffer.write(data)


def complain(text: str) -> None:
    """One line on stderr, after whose it is."""
    print(f"loom: {escape_invisible(with_addresses(text))}", file=sys.stderr)


def with_addresses(text: str) -> str:
    """A text with the addresses that folders stand for."""
    for folder, address in SHOWN_AS.items():
        text = text.replace(folder, address)
    return text


def _escape_sign(found: re.Match[str]) -> str:
    """A sign as JSON escapes it, unless it can be printed; JSON's own line ends stay."""
    sign = found[0]
    return sign if sign.isprintable() or sign == "\n" else json.dumps(sign)[1:-1]


def print_traceback(trace: str) -> None:
    """The lines of a traceback on stderr."""
    print(escape_invisible_lines(trace), file=sys.stderr, end="")


def console(stream: TextIO | None = None) -> Console:
    """A rich console on stdout, or on `stream`; with NO_COLOR it has no styles either."""
    plain = bool(os.environ.get("NO_COLOR"))
    colours: Literal["auto"] | None = None if plain else "auto"
    return Console(file=stream or sys.stdout, highlight=False, color_system=colours)


def is_drawn_on(screen: Console) -> bool:
    """True when the console is drawn on: a terminal, or what FORCE_COLOR has rich take for one."""
    return screen.is_terminal and not screen.is_dumb_terminal


def can_encode(stream: TextIO, text: str) -> bool:
    """True when a stream's encoding holds a text."""
    try:
        text.encode(getattr(stream, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def can_draw(screen: Console) -> bool:
    """True when the console is a terminal that has the signs for drawing."""
    return is_drawn_on(screen) and can_encode(sys.stdout, SIGNS)


def fill_width(screen: Console, elsewhere: int = PIPED) -> int:
    """Columns to fill: those of the terminal, or what is taken elsewhere."""
    return max(screen.width, 1) if is_drawn_on(screen) else elsewhere


def line_width() -> int:
    """Columns of a line on stdout: those of the terminal, at most `WIDTH`; no end elsewhere."""
    return min(console().width, WIDTH) if sys.stdout.isatty() else sys.maxsize


def print_line(text: str = "") -> None:
    """One line on stdout."""
    text = escape_invisible(with_addresses(text))
    if not can_encode(sys.stdout, text):
        encoding = sys.stdout.encoding
        text = text.translate(ASCII).encode(encoding, "replace").decode(encoding)
    print(text)


def print_lines(texts: Iterable[str | Text], *, wrap: bool = False) -> None:
    """Lines on stdout: plain ones, and styled ones, which are plain off a terminal.

    What a terminal is too narrow for is cropped of a styled one, or with `wrap` goes on below as
    any text does. No markup in a text acts; where something in it is escaped it has one style.
    """
    screen = console()
    drawn = can_draw(screen)
    for text in texts:
        if isinstance(text, str):
            print_line(text)
        elif not drawn:
            print_line(text.plain if wrap else text.plain.rstrip())
        else:
            if not text.plain.isprintable():
                text = Text(escape_invisible(text.plain), text.style)
            screen.print(text, no_wrap=not wrap, soft_wrap=wrap, overflow="crop", crop=not wrap)


def wrapped_lines(
    text: str, head: str = "", width: int = PIPED, *, below: str | None = None
) -> list[str]:
    """A text behind a heading, at most `width` columns where that leaves any room for it; what is
    longer goes on below, as far in as it begins or behind `below`. No word is broken at a hyphen,
    so that a command can be copied."""
    below = " " * len(head) if below is None else below
    made = textwrap.wrap(
        escape_invisible(text),
        max(width, len(head) + 20),
        initial_indent=head,
        subsequent_indent=below,
        break_on_hyphens=False,
    )
    return [row.rstrip() for row in made] or [head.rstrip()]


def wrap_parts(parts: Iterable[str], width: int) -> list[str]:
    """Parts joined by ` · `, on as many lines as they take."""
    made: list[str] = []
    for part in map(escape_invisible, filter(None, parts)):
        if made and cell_len(made[-1]) + 3 + cell_len(part) <= width:
            made[-1] += f" · {part}"
        else:
            made.append(shorten(part, width))
    return made


def shorten(text: str, width: int) -> str:
    """The text on one line without control characters, in at most `width` columns of a terminal."""
    text = escape_invisible(text)
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, width - 1).rstrip() + "…" if width > 0 else ""


def clip(text: str, width: int = WIDTH) -> str:
    """At most `width` characters; what is cut is marked."""
    return text if len(text) <= width else text[: width - 1] + "…"


def share_bar(share: float, width: int = 30) -> str:
    """A bar of `width` characters, filled to a share of 0 to 1."""
    filled = round(min(max(share, 0.0), 1.0) * width)
    return "█" * filled + "░" * (width - filled)


def spark_line(values: Sequence[float], scale: float, columns: int) -> str:
    """One block a value, the newest right; what is above 0 shows, however little, and what is above
    the scale is a whole block."""
    steps = len(BLOCKS) - 1
    shown = values[-columns:] if columns > 0 else ()
    heights = (max(round(value / scale * steps), value > 0) for value in shown)
    return "".join(BLOCKS[min(height, steps)] for height in heights).rjust(columns)


def bytes_text(count: int) -> str:
    """Bytes for people: `812 B`, `14.2 KB`, `3.1 MB`."""
    if count < 1_000:
        return f"{count} B"
    return f"{count / 1_000:.1f} KB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"


def dollars_text(amount: float) -> str:
    """An amount for people: `$1,240`, `$12.90`, `$0.31`, `$0.0042`."""
    if amount >= 1_000:
        return f"${amount:,.0f}"
    return f"${amount:.2f}" if amount >= 0.1 or not amount else f"${amount:.4f}"
