"""How a memory of an earlier session is shown: marked, on a line, bounded."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from loom.capabilities.memory.longterm.memory_item import MemoryItem
from loom.lazy import lazy_re
from loom.reduce.clauses import told
from loom.text import one_line

LINE_CHARS = 400
HEADING = "from earlier sessions:"
_MARK = lazy_re(r"\[memory (\d+), [^\]\n]*\]")


def recalled_line(memory: MemoryItem) -> str:
    """One line for a memory: its id, its day (UTC), where it is from, and its text."""
    day = datetime.fromtimestamp(memory.saved, UTC).date().isoformat()
    source = f", from {one_line(memory.source, 80)}" if memory.source else ""
    return told(f"[memory {memory.id}, {day}{source}] {memory.text}", LINE_CHARS)


def recalled_lines(memories: Iterable[MemoryItem]) -> str:
    """Some memories, each on a line, under a heading."""
    return "\n".join([HEADING, *map(recalled_line, memories)])


def fresh(text: str) -> str:
    """A text less the lines that show a memory, and the heading above them."""
    kept = (line for line in text.split("\n") if line != HEADING and not _MARK.match(line))
    return "\n".join(kept).strip("\n")


def recalled_ids(text: str) -> tuple[int, ...]:
    """The ids of the memories a text shows, each once."""
    return tuple(dict.fromkeys(int(found) for found in _MARK.findall(text)))
