"""The output of every command: one JSON object, or lines of text. Lines have styles on a terminal
and are plain elsewhere.

All commands write to stdout and stderr only through this file. Control characters are escaped here
for every stream; only `print_bytes` passes bytes unchanged to a pipe."""

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

# Folders that stand for addresses while a command runs (`loom.cli.address_mirrors`): told as these.
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
    found: Any, texts: Iterable[str | Text], *, json: bool, code: int = 0, wrap: bool = False
) -> int:
    """Print the object `found` with `json`, else the lines `texts`. Return the exit code `code`.
    With `wrap`, styled lines are wrapped, not cropped."""
    if json:
        print_json(found)
    else:
        print_lines(texts, wrap=wrap)
    return code


def print_json(value: Any) -> None:
    """Print a value as one JSON document on stdout, with unprintable characters escaped. The
    document is in ASCII if the stream cannot encode all of it."""
    data = to_builtins(value)
    if SHOWN_AS:
        data = json.loads(with_addresses(json.dumps(data)))
    text = UNSEEN.sub(_escape_sign, json.dumps(data, indent=2, ensure_ascii=False))
    print(text if can_encode(sys.stdout, text) else json.dumps(data, indent=2))


def prompt(question: str) -> None:
    """Print a question on stdout without a line end, so that the user answers on the same line."""
    print(question, end="", flush=True)


def one_line_json(value: Any) -> str:
    """Return a value as JSON on one line, with unprintable characters escaped."""
    return UNSEEN.sub(_escape_sign, json.dumps(to_builtins(value), ensure_ascii=False))


def print_json_line(value: Any) -> None:
    """Print a value as JSON on one line of stdout, in ASCII, and flush the stream."""
    print(with_addresses(json.dumps(to_builtins(value))), flush=True)


def print_bytes(data: bytes) -> None:
    """Write bytes to stdout, unchanged, or on a terminal with control characters escaped."""
    if sys.stdout.isatty():
        text = escape_invisible_lines(data.decode("utf-8", "replace"))
        data = text.encode(sys.stdout.encoding or "utf-8", "replace")
    sys.stdout.flush()
    sys.stdout.buffer.write(data)


def complain(text: str) -> None:
    """Print one line on stderr, with `loom: ` before it."""
    print(f"loom: {escape_invisible(with_addresses(text))}", file=sys.stderr)


def with_addresses(text: str) -> str:
    """Return the text with each path of a mirror replaced by the address it mirrors."""
    for folder, address in SHOWN_AS.items():
        text = text.replace(folder, address)
    return text


def _escape_sign(found: re.Match[str]) -> str:
    """Return the matched character, escaped as in JSON unless it is printable or a line end."""
    sign = found[0]
    return sign if sign.isprintable() or sign == "\n" else json.dumps(sign)[1:-1]


def print_traceback(trace: str) -> None:
    """Print a traceback on stderr with its control characters escaped."""
    print(escape_invisible_lines(trace), file=sys.stderr, end="")


def console(stream: TextIO | None = None) -> Console:
    """Return a rich console on `stream` (None: stdout). It has no colours if NO_COLOR is set."""
    plain = bool(os.environ.get("NO_COLOR"))
    colours: Literal["auto"] | None = None if plain else "auto"
    return Console(file=stream or sys.stdout, highlight=False, color_system=colours)


def is_drawn_on(screen: Console) -> bool:
    """Return True if the console is a terminal that can be drawn on."""
    # FORCE_COLOR makes rich take any stream for a terminal.
    return screen.is_terminal and not screen.is_dumb_terminal


def can_encode(stream: TextIO, text: str) -> bool:
    """Return True if the stream's encoding can encode the text."""
    try:
        text.encode(getattr(stream, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def can_draw(screen: Console) -> bool:
    """Return True if the console can be drawn on and stdout can encode the drawing characters."""
    return is_drawn_on(screen) and can_encode(sys.stdout, SIGNS)


def fill_width(screen: Console, elsewhere: int = PIPED) -> int:
    """Return the width of the output in columns: the terminal's, or `elsewhere` without a
    terminal."""
    return max(screen.width, 1) if is_drawn_on(screen) else elsewhere


def line_width() -> int:
    """Return the width of a line on stdout in columns: that of the terminal, at most `WIDTH`.
    Without a terminal, return `sys.maxsize` (no limit)."""
    return min(console().width, WIDTH) if sys.stdout.isatty() else sys.maxsize


def print_line(text: str = "") -> None:
    """Print one line on stdout. Characters that the stream cannot encode become ASCII."""
    text = escape_invisible(with_addresses(text))
    if not can_encode(sys.stdout, text):
        encoding = sys.stdout.encoding
        text = text.translate(ASCII).encode(encoding, "replace").decode(encoding)
    print(text)


def print_lines(texts: Iterable[str | Text], *, wrap: bool = False) -> None:
    """Print lines, plain or styled, on stdout; all plain if stdout is no terminal. A styled text
    wider than the terminal is cropped or, with `wrap`, wrapped. Markup has no effect."""
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
    """Return the text, after the heading `head`, as lines of at most `width` columns. The text
    always gets at least 20 columns. Each further line begins with `below` (None: blanks up to the
    start of the text)."""
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
    """Return lines of at most `width` columns, made of the non-empty parts joined by ` · `."""
    made: list[str] = []
    for part in map(escape_invisible, filter(None, parts)):
        if made and cell_len(made[-1]) + 3 + cell_len(part) <= width:
            made[-1] += f" · {part}"
        else:
            made.append(shorten(part, width))
    return made


def shorten(text: str, width: int) -> str:
    """Return the text on one line of at most `width` columns, with control characters escaped. A
    longer text is cut and ends in `…`."""
    text = escape_invisible(text)
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, width - 1).rstrip() + "…" if width > 0 else ""


def clip(text: str, width: int = WIDTH) -> str:
    """Return the text, cut to at most `width` characters with `…` at its end."""
    return text if len(text) <= width else text[: width - 1] + "…"


def share_bar(share: float, width: int = 30) -> str:
    """Return a bar of `width` characters, filled to `share` (0 to 1)."""
    filled = round(min(max(share, 0.0), 1.0) * width)
    return "█" * filled + "░" * (width - filled)


def spark_line(values: Sequence[float], scale: float, columns: int) -> str:
    """Return a curve of the newest `columns` values, one block character for each, the newest at
    the right. A value of `scale` or more is a full block."""
    steps = len(BLOCKS) - 1
    shown = values[-columns:] if columns > 0 else ()
    heights = (max(round(value / scale * steps), value > 0) for value in shown)
    return "".join(BLOCKS[min(height, steps)] for height in heights).rjust(columns)


def bytes_text(count: int) -> str:
    """Return a number of bytes as a short text: `812 B`, `14.2 KB`, `3.1 MB`."""
    if count < 1_000:
        return f"{count} B"
    return f"{count / 1_000:.1f} KB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"


def dollars_text(amount: float) -> str:
    """Return a number of dollars as a short text: `$1,240`, `$12.90`, `$0.31`, `$0.0042`."""
    if amount >= 1_000:
        return f"${amount:,.0f}"
    return f"${amount:.2f}" if amount >= 0.1 or not amount else f"${amount:.4f}"
