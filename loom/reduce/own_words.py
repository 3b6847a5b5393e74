"""Which lines of a long message its author typed, where the rest of it was pasted.

Theory of operation
-------------------
A question stands before a paste, behind it, or between two. So a message is looked at by
paragraphs, from both of its ends inwards, the last one first. A paragraph that looks pasted
(`loom.reduce.embedded`), is set in like code, stands in a fence, or is long is passed by; the
others are the author's own words, up to a number of characters. The first and the last line are
among them in any case: a question may have no blank line between itself and what it is about.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from loom.lazy import lazy_re
from loom.reduce.embedded import paragraphs, pasted
from loom.reduce.phrases import BULLET

OWN = 2_000  # characters of a message's own words (judgement)
LONG = 1_200  # characters of a paragraph, and …
HEIGHT = 12  # … lines, over which it is no paragraph that was typed
LINE = 500  # characters of a first or a last line that was typed

_FENCE = lazy_re(r"\s{0,8}(?:```|~~~)")


@lru_cache(maxsize=8)  # a text is cut at one limit after another
def own_words(text: str, most: int = OWN) -> tuple[tuple[int, int], ...]:
    """The lines a message's author typed, about `most` characters of them at most: ranges of first
    and last lines, counted from 1, in their order."""
    lines = text.split("\n")
    if len(text) <= most:
        return ((1, len(lines)),)
    found = {at for at in _ends(lines) if len(lines[at]) <= min(LINE, most // 2)}
    left = most - sum(len(lines[at]) for at in found)
    for start, end in _inwards(list(paragraphs(lines)), _fenced(lines)):
        part = lines[start:end]
        if not _typed(part):
            continue
        left -= sum(len(lines[at]) + 2 for at in range(start, end) if at not in found)
        if left < 0:
            break
        found |= set(range(start, end))
    return tuple(_ranges(lines, sorted(found)))


def _ends(lines: Sequence[str]) -> tuple[int, ...]:
    """Where the first and the last line stand that say anything."""
    said = (at for at in range(len(lines)) if lines[at].strip())
    first = next(said, None)
    if first is None:
        return ()
    return first, next(at for at in range(len(lines) - 1, -1, -1) if lines[at].strip())


def _typed(part: Sequence[str]) -> bool:
    """True for a paragraph in the form of what somebody types."""
    if len(part) > HEIGHT or sum(map(len, part)) > LONG:
        return False
    listed = BULLET.match(part[0].lstrip()) is not None
    set_in = any(line[:1].isspace() for line in part) and not listed
    return not set_in and not pasted("\n".join(part))


def _fenced(lines: Sequence[str]) -> frozenset[int]:
    """The places of the lines in a fence, its own among them."""
    found: set[int] = set()
    inside = False
    for at, line in enumerate(lines):
        fence = _FENCE.match(line) is not None
        if inside or fence:
            found.add(at)
        inside ^= fence
    return frozenset(found)


def _inwards(parts: Sequence[tuple[int, int]], fenced: frozenset[int]) -> Iterator[tuple[int, int]]:
    """The last paragraph, the first, the last but one, the second …; none with a fenced line."""
    for low in range((len(parts) + 1) // 2):
        for at in dict.fromkeys((len(parts) - 1 - low, low)):
            if fenced.isdisjoint(range(*parts[at])):
                yield parts[at]


def _ranges(lines: Sequence[str], places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Runs of places with nothing but blank lines between, as numbers of first and last lines."""
    start = 0
    for at, place in enumerate(places):
        behind = lines[place + 1 : places[at + 1]] if at + 1 < len(places) else [""]
        if at + 1 == len(places) or any(line.strip() for line in behind):
            yield places[start] + 1, place + 1
            start = at + 1
