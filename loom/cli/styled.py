"""Lines with styles, fitted to columns: drawn on a terminal, printed plain elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from loom.cli.show import WIDTH, line, lively, speaks
from loom.text import visible

BLOCKS = " ▁▂▃▄▅▆▇█"
SIGNS = "ρ█▁…·→"  # what a terminal must be able to show to be drawn on
STYLES = {
    "client": "bright_black",
    "system": "blue",
    "memory": "magenta",
    "skill": "yellow",
    "tools": "green",
    "history": "cyan",
    "working": "bright_red",
}
ROLES = {"system": "blue", "user": "green", "assistant": "cyan", "tool": "yellow"}
CHANGES = {"entered": "green", "left": "red", "changed": "yellow"}


def columns_of(text: str) -> int:
    """Columns a text takes on a terminal; wide signs take two."""
    return cell_len(text)


def short(text: str, width: int) -> str:
    """The text on one line without control characters, in at most `width` columns of a terminal."""
    text = visible(text)
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, width - 1).rstrip() + "…" if width > 0 else ""


def wrap_parts(parts: Iterable[str], width: int) -> list[str]:
    """Parts joined by ` · `, on as many lines as they take."""
    made: list[str] = []
    for part in map(visible, filter(None, parts)):
        if made and cell_len(made[-1]) + 3 + cell_len(part) <= width:
            made[-1] += f" · {part}"
        else:
            made.append(short(part, width))
    return made


def spark(values: Sequence[float], scale: float, columns: int) -> str:
    """One block a value, the newest right; what is above 0 shows, however little, and what is above
    the scale is a whole block."""
    steps = len(BLOCKS) - 1
    shown = values[-columns:] if columns > 0 else ()
    heights = (max(round(value / scale * steps), value > 0) for value in shown)
    return "".join(BLOCKS[min(height, steps)] for height in heights).rjust(columns)


def drawable(screen: Console) -> bool:
    """True when the console is a terminal that has the signs for drawing."""
    return lively(screen) and speaks(sys.stdout, SIGNS)


def width_of(screen: Console) -> int:
    """Columns to fill: those of the terminal, or what every command takes elsewhere."""
    return max(screen.width, 1) if lively(screen) else WIDTH


def say(lines: Iterable[Text], screen: Console, *, wrap: bool = False) -> None:
    """Styled lines on a terminal, plain ones elsewhere.

    What a terminal is too narrow for is cropped, or with `wrap` goes on below as any text does.
    What cannot be seen is escaped, and no markup in a text acts; a Text in which something is
    escaped has one style.
    """
    for text in lines:
        if not drawable(screen):
            line(text.plain if wrap else text.plain.rstrip())
            continue
        if not text.plain.isprintable():
            text = Text(visible(text.plain), text.style)
        screen.print(text, no_wrap=not wrap, soft_wrap=wrap, overflow="crop", crop=not wrap)
