"""JSON Lines: the lines as the items of a list, each kept line valid JSON."""

from __future__ import annotations

from typing import Any

from loom.reduce.budget import MORE, Child, quote
from loom.reduce.structure.relevance import Objective
from loom.reduce.structure.values.decode import decode
from loom.reduce.structure.values.objects import Sketch


def reduce_lines(text: str, limit: int, ref: str, objective: Objective) -> str | None:
    """The telling lines within `limit`, markers as objects of one member.

    A line that is not JSON becomes a string. None when most lines are not.
    """
    values: list[Any] = []
    other = 0
    for line in text.split("\n"):
        if not line.strip():
            continue
        sound, value = decode(line)
        other += not sound
        values.append(value if sound else line.rstrip("\r"))
    if not values or 2 * other > len(values):
        return None
    where = f" rest in {ref}" if ref else ""
    note = f"{MORE} {len(values):,} lines, {len(text):,} characters{where}"
    for last in (note, ""):
        entries: list[Child] = [("", value) for value in values]
        pieces = Sketch(objective).pieces(entries, limit, 0, last, _mark)
        written = "\n".join(pieces)
        if pieces and len(written) <= limit:
            return written
    return _mark(MORE) if len(_mark(MORE)) <= limit else "{}"[: limit // 2 * 2]


def _mark(note: str) -> str:
    """A marker that is a line of JSON."""
    return f'{{"{MORE}":{quote(note)}}}'
