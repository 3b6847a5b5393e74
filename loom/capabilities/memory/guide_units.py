"""The parts of a section of a guide: list items, paragraphs, code blocks, and sentences of those.

What introduces a list ("Never:") is needed by each of its items, as they say another thing alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from loom.capabilities.memory.guide_text import fence_after
from loom.lazy import lazy_re

LEFT_OUT = " …"
PIECE_CHARS = 80  # of a part of a line that holds no sentence so short
_ITEM = lazy_re(r"\s*(?:[-*+]|\d{1,3}[.)])\s")
_SENTENCE = lazy_re(r"\S.*?(?:[.!?;](?=\s)|$)")
_PIECE = lazy_re(rf"\S.{{0,{PIECE_CHARS - 1}}}(?=\s|$)|\S.{{0,{PIECE_CHARS - 1}}}")


class GuideUnit(Struct, frozen=True):
    """Some lines, from line `at` and column `start` on; `needs` is the place of its introduction.

    `after` tells that a blank line stands before it, `end` is the column its last line ends at, 0
    where it ends with the line.
    """

    at: int
    lines: tuple[str, ...]
    needs: tuple[int, int] | None = None
    after: bool = False
    start: int = 0
    end: int = 0

    @property
    def place(self) -> tuple[int, int]:
        """Where it begins: the line of its section, from 0, and the column."""
        return self.at, self.start

    @property
    def text(self) -> str:
        """The lines as they are shown alone."""
        mark = LEFT_OUT if self.end else ""
        return "\n".join([*[""] * self.after, *self.lines]) + mark

    @property
    def introduces(self) -> bool:
        """True when what follows is read by it."""
        return self.lines[-1].rstrip("*_ ").endswith(":")


def units(lines: Sequence[str]) -> tuple[GuideUnit, ...]:
    """The items (with all that is indented below them), paragraphs and code blocks of lines."""
    found: list[GuideUnit] = []
    intro: GuideUnit | None = None
    for at, block, after in _blocks(lines):
        item = bool(_ITEM.match(block[0]))
        needs = intro.place if item and intro is not None else None
        made = GuideUnit(at, tuple(block), needs, after)
        found.append(made)
        if not item:
            intro = made if made.introduces else None
    return tuple(found)


def pieces(unit: GuideUnit) -> tuple[GuideUnit, ...]:
    """The sentences of a unit, or what is short enough of one; of a code block only the unit."""
    if fence_after("", unit.lines[0].lstrip()):
        return (unit,)
    found: list[GuideUnit] = []
    intros = [(-1, unit.needs)]  # indentation, and what stands there
    for at, line in enumerate(unit.lines, unit.at):
        if not line.strip():
            continue
        indent = len(line) - len(line.lstrip())
        while len(intros) > 1 and intros[-1][0] >= indent:
            intros.pop()
        for start, end in _parts(line):
            stop = 0 if end == len(line) else end
            made = (line[:end] if not start else line[start:end],)
            found.append(GuideUnit(at, made, intros[-1][1], start=start, end=stop))
        if found[-1].introduces:
            intros.append((indent, found[-1].place))
    return tuple(found)


def opening(unit: GuideUnit, lines: int) -> GuideUnit:
    """The first lines of a code block, with what ends it."""
    first, *inner = unit.lines
    fence = fence_after("", first.lstrip())
    closed = bool(inner) and not fence_after(fence, inner[-1].lstrip())
    last = inner[-1:] if closed else []
    body = inner[: len(inner) - len(last)]
    return GuideUnit(unit.at, (first, *body[:lines], *last), unit.needs, unit.after)


def shown(chosen: Sequence[GuideUnit]) -> list[str]:
    """The lines of some units in the order of the file; parts of a line that touch are one."""
    made: list[str] = []
    last: GuideUnit | None = None
    for unit in sorted(chosen, key=lambda unit: unit.place):
        if last is not None and last.at == unit.at and last.end and unit.start - last.end <= 1:
            made[-1] = made[-1].removesuffix(LEFT_OUT) + " " * (unit.start - last.end)
            made[-1] += unit.text
        else:
            made += unit.text.split("\n")
        last = unit
    return made


def _parts(line: str) -> Iterator[tuple[int, int]]:
    """Where the sentences of a line begin and end; long ones in pieces, at a space if possible."""
    for sentence in _SENTENCE.finditer(line):
        for piece in _PIECE.finditer(line, sentence.start(), sentence.end()):
            yield (piece.start() if piece.start() != _indent(line) else 0), piece.end()


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _blocks(lines: Sequence[str]) -> Iterator[tuple[int, list[str], bool]]:
    """(its first line's place, its lines, whether a blank line stands before it) of each block."""
    block: list[str] = []
    begun = depth = 0
    item = blank = after = False
    fence = ""
    for at, line in enumerate(lines):
        inside, fence = fence, fence_after(fence, line.lstrip())
        if not line.strip() and not inside:
            blank = True
            continue
        indent = _indent(line)
        below = item and indent > depth
        begins = not inside and not below and (blank or fence or _ITEM.match(line) or not block)
        if block and begins:
            yield begun, block, after
            block = []
        if not block:
            begun, after = at, blank
            item, depth = bool(_ITEM.match(line)) and not inside, indent
        elif blank:
            block.append("")
        blank = False
        block.append(line)
        if inside and not fence and not item:  # a code block ends, and what follows is another
            yield begun, block, after
            block = []
    if block:
        yield begun, block, after
