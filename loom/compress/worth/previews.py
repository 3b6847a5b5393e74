"""Previews that stand in the window, and what may still be brought beside them.

A preview by number says which lines of its page it shows. These are not brought again, and what is
brought beside a preview of any kind may not make the two take more than the whole would.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from loom.compress.worth.slices import Range
from loom.compress.worth.units import Unit
from loom.lazy import lazy_re
from loom_partitions.message import Detail, Digest, Entry, Step, Text, UserTurn

RUN = 3  # lines in a row that are worth bringing between those shown
BY_NUMBER = " shown by number"
_NUMBER = lazy_re(r"^(\d+): ", re.MULTILINE)


class Preview(Struct, frozen=True):
    """The numbers of the lines a preview shows, and the tokens the whole takes more."""

    numbers: frozenset[int]
    left: int


def is_preview(text: Text) -> bool:
    """True for a text that came in as a preview of its page; not for a choice of lines."""
    return not text.whole and bool(text.body) and not text.lines


def previews_of(entry: UserTurn | Step, units: Sequence[Unit]) -> dict[str, Preview]:
    """The previews of an entry, by their pages; `units` are the entry's."""
    found: dict[str, Preview] = {}
    if entry.detail < Detail.REDUCED:
        for text in filter(is_preview, _texts(entry)):
            whole = sum(unit.tokens for unit in units if unit.key[0] == text.page)
            found[text.page] = Preview(_numbers(text.body or ""), whole - text.tokens)
    return found


def previews(
    of: Callable[[UserTurn | Step], Mapping[str, Preview]], entries: Iterable[Entry]
) -> dict[str, Preview]:
    """The previews that stand in the window (those `of` each entry), by their pages, less what
    stands beside them."""
    found: dict[str, Preview] = {}
    beside: dict[str, int] = {}
    for entry in entries:
        if isinstance(entry, Digest) or entry.detail >= Detail.REDUCED:
            continue
        found |= of(entry)
        for ref, tokens in _brought(entry):
            beside[ref] = beside.get(ref, 0) + tokens
    return {page: replace(one, left=one.left - beside.get(page, 0)) for page, one in found.items()}


def unnumbered(unit: Unit, preview: Preview) -> Unit | None:
    """A unit less the lines its preview shows by number; None when but crumbs would be left."""
    if not unit.first or not preview.numbers:
        return unit
    if preview.numbers.isdisjoint(range(unit.first, unit.last + 1)):
        return unit
    left = tuple(part for one in unit.ranges for part in _between(one, preview.numbers))
    lines = sum(last - first + 1 for first, last in left)
    if not lines or not unit.divisible:
        return None
    return replace(unit, shown=left, tokens=max(1, unit.tokens * lines // unit.height))


def _between(within: Range, numbers: frozenset[int]) -> Iterator[Range]:
    """The ranges of RUN lines or more between those of these numbers."""
    first, last = within
    start = first
    for number in (*sorted(one for one in numbers if first <= one <= last), last + 1):
        if number - start >= RUN:
            yield start, number - 1
        start = number + 1


def _numbers(body: str) -> frozenset[int]:
    head, _, lines = body.partition("\n")
    by_number = BY_NUMBER in head
    return frozenset(int(found) for found in _NUMBER.findall(lines)) if by_number else frozenset()


def _texts(entry: UserTurn | Step) -> Iterator[Text]:
    if isinstance(entry, UserTurn):
        yield entry.text
    else:
        yield from (outcome.text for outcome in entry.outcomes)


def _brought(entry: UserTurn | Step) -> Iterator[tuple[str, int]]:
    """What was read ahead: of which page, and its tokens."""
    if isinstance(entry, Step):
        yield from ((paged.ref, paged.text.tokens) for paged in entry.beside)
    elif entry.ahead:
        yield entry.source, entry.text.tokens
