"""What a guide says, statement by statement: list items and sentences with their line numbers.

Theory of operation
-------------------
Markdown is read by its lines. A block is a list item or a paragraph, with the lines it is wrapped
over; code blocks, tables and blank lines end one and say nothing themselves. A block is split into
sentences outside of code spans; a short line whose successor begins with a capital is whole. Each
statement knows the headings above it and the line that introduces the list it is an item of
("Before committing:").
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct

from loom.capabilities.memory.guide_text import GuideLine, fence_after
from loom.lazy import lazy_re

SENTENCES_MOST = 20_000  # of one guide
WRAPPED = 50  # columns from which a line may be one that was wrapped
_IMPORT = lazy_re(r"\s*@\S+\s*")
_HEADING = lazy_re(r" {0,3}#{1,6}(?:\s+(?P<text>.*?))?\s*#*\s*$")
_DEPTH = lazy_re(r" {0,3}(#+)")
_ITEM = lazy_re(r"\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
_QUOTE = lazy_re(r"\s{0,3}(?:>\s?)+")
_RULE = lazy_re(r"\s*(?:[-*_]\s*){3,}$|\s*=+\s*$")
_TICKS = lazy_re("`+")
_END = lazy_re(r"(?<=[.!?;])[*_]*\s+(?=\S)")
_ABBREVIATED = lazy_re(r"\b(?:e\.g|i\.e|etc|vs|cf|approx|resp|No)\.[*_]*$")
_EMPHASIS = lazy_re(r"\*{1,3}|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)")


class CodeSpan(NamedTuple):
    """Where a code span stands in a text, its backticks included, and what it holds."""

    start: int
    end: int
    code: str


class Statement(Struct, frozen=True):
    """A list item's or a paragraph's sentence, without emphasis marks, and where it begins.

    `headings` are those above it, from the outermost in; `under` is the line that introduces the
    list it stands in, "" for none; `item` tells a list item from running text; `code` are the lines
    of the code block it introduces.
    """

    line: int
    text: str
    headings: tuple[str, ...] = ()
    under: str = ""
    item: bool = False
    code: tuple[str, ...] = ()


def statements(lines: Sequence[GuideLine]) -> tuple[Statement, ...]:
    """The statements of a guide's lines, in their order."""
    found: list[Statement] = []
    for statement in _statements(lines):
        found.append(statement)
        if len(found) == SENTENCES_MOST:
            break
    return tuple(found)


def spans(text: str) -> list[CodeSpan]:
    """The code spans of a text: what stands between two runs of as many backticks."""
    runs = list(_TICKS.finditer(text))
    later: dict[int, list[re.Match[str]]] = {}
    for run in reversed(runs):
        later.setdefault(len(run[0]), []).append(run)
    found: list[CodeSpan] = []
    at = 0
    for run in runs:
        others = later[len(run[0])]
        while others and others[-1].start() <= run.start():
            others.pop()
        if run.start() >= at and others:
            at = others[-1].end()
            inner = text[run.end() : others[-1].start()].strip()
            found.append(CodeSpan(run.start(), at, inner))
    return found


def _statements(lines: Sequence[GuideLine]) -> Iterator[Statement]:
    headings: list[tuple[int, str]] = []
    intro = ""
    introduced = _introduced(lines)
    for block, item in _blocks(lines):
        text = block[0].text
        depth = _DEPTH.match(text)
        heading = _HEADING.match(text)
        if heading is not None and depth is not None and not item:
            level = len(depth[1])
            headings = [one for one in headings if one[0] < level]
            headings.append((level, _unmarked(heading["text"] or "")))
            intro = ""
            continue
        above = tuple(text for _, text in headings)
        made = list(_sentences(block, item))
        if not item:
            intro = made[-1][1] if made and made[-1][1].endswith(":") else ""
        code = introduced.get(block[-1].number, ())
        for at, (number, said) in enumerate(made, 1):
            shown = code if at == len(made) and said.endswith(":") else ()
            yield Statement(number, said, above, intro if item else "", item, shown)


def _introduced(lines: Sequence[GuideLine]) -> dict[int, tuple[str, ...]]:
    """The lines of each code block by the number of the line before it that says something."""
    found: dict[int, list[str]] = {}
    fence, last = "", 0
    for line in lines:
        inside, fence = fence, fence_after(fence, line.text.lstrip())
        if inside and fence:
            found.setdefault(last, []).append(line.text.strip())
        elif not inside and not fence and line.text.strip():
            last = line.number
    return {number: tuple(some) for number, some in found.items()}


def _blocks(lines: Sequence[GuideLine]) -> Iterator[tuple[list[GuideLine], bool]]:
    """(its lines, whether it is a list item) of each heading, item and paragraph."""
    block: list[GuideLine] = []
    item = blank = False
    fence = ""
    for line in lines:
        inside, fence = fence, fence_after(fence, line.text.lstrip())
        text = _QUOTE.sub("", line.text) if line.text.lstrip().startswith(">") else line.text
        begins = _ITEM.match(text)
        silent = (
            inside
            or fence
            or not text.strip()
            or text.lstrip().startswith("|")
            or _IMPORT.fullmatch(text)
            or _RULE.match(text)
            or (blank and not item and not begins and text.startswith(("    ", "\t")))
        )
        apart = bool(block) and _apart(block[-1].text, text.strip())
        if silent or begins or apart or _HEADING.match(text):
            if block:
                yield block, item
            block = []
        if silent:
            blank = True
            continue
        if _HEADING.match(text):
            yield [GuideLine(line.number, text)], False
            item, blank = False, True
            continue
        if begins:
            item, text = True, text[begins.end() :]
        elif not block:
            item = item and text.startswith(("  ", "\t"))
        blank = False
        block.append(GuideLine(line.number, text.strip()))
    if block:
        yield block, item


def _apart(before: str, text: str) -> bool:
    """True when a line begins a rule of its own: the one before it was not wrapped, and ended."""
    return len(before) < WRAPPED and text[:1].isupper() and not before.endswith((",", ":"))


def _sentences(block: Sequence[GuideLine], item: bool) -> Iterator[tuple[int, str]]:
    """(line, text) of each sentence of a block."""
    starts: list[tuple[int, int]] = []
    at, parts = 0, list[str]()
    for line in block:
        starts.append((at, line.number))
        parts.append(line.text)
        at += len(line.text) + 1
    text = " ".join(parts)
    inside = [(span.start, span.end) for span in spans(text)]
    begins = [start for start, _ in inside]
    begin = 0
    for end in [*(found.end() for found in _END.finditer(text)), len(text)]:
        said = text[begin:end].strip()
        at = bisect_left(begins, end) - 1
        if (at >= 0 and end < inside[at][1]) or _ABBREVIATED.search(said[-12:]):
            continue
        if said:
            number = max(line for start, line in starts if start <= begin)
            yield number, _unmarked(said)
        begin = end


def _unmarked(text: str) -> str:
    """A text without the marks of emphasis, but for those in code spans."""
    made, at = list[str](), 0
    for start, end, _ in spans(text):
        made += [_EMPHASIS.sub("", text[at:start]), text[start:end]]
        at = end
    return "".join([*made, _EMPHASIS.sub("", text[at:])]).strip()
