"""Lines grouped by what they have in common.

Theory of operation. A line's *mask* is its words with everything that varies replaced: a word with
a digit in it loses its digits, a long hexadecimal word, an address or a path becomes `*`. Lines of
one mask are one template. Masks that differ in a single word (`Compiling serde`, `Compiling syn`)
are then joined when there are `SIBLINGS` of them: each mask is entered under each of its first
words left out, which is linear in the words. Masks of failure never join others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from msgspec import Struct

from loom.lazy import lazy_re
from loom.reduce.structure.relevance import severity

WORDS = 24  # words of a line that are compared
LOOKED = 400  # characters of a line that are compared
PLACES = 8  # words that may differ between siblings
SIBLINGS = 4  # masks that differ in one word are one template from here on
SHAPES = 50_000  # lines without digits that are remembered
JOINED = 20_000  # masks that are compared with each other

_DIGITS = lazy_re(r"\d+")
_HEX = lazy_re(r"(?:0x)?[0-9a-fA-F]{7,64}(?:-[0-9a-fA-F]{4,12})*")
_PATH = lazy_re(r"(?:\w+:/)?[\w.@~+-]*(?:[/\\][\w.@~+%=-]*){2,}")


class LineTemplate(Struct):
    """A template: its first and last line (from 0), how many lines it has, its severity."""

    first: int
    last: int
    count: int
    severity: int


def mask(line: str) -> str:
    """A line with what varies replaced by `*` or `#`."""
    return " ".join(
        word if word.isalpha() else _masked(word)
        for word in line[:LOOKED].split(None, WORDS)[:WORDS]
    )


def _masked(word: str) -> str:
    """A word that is not all letters, without what varies."""
    if "/" in word or "\\" in word:
        word = _PATH.sub("*", word)
    if len(word) > 6 and _DIGITS.search(word):
        word = _HEX.sub("*", word)
    return _DIGITS.sub("#", word)


def group(lines: Sequence[str]) -> tuple[list[LineTemplate], list[int]]:
    """The templates of the lines, and for each line the place of its template (-1: a blank line).

    Linear in the length of the lines.
    """
    groups: list[LineTemplate] = []
    places: dict[str, int] = {}
    shapes: dict[str, str] = {}  # lines without their digits → masks, so that few are made
    of_line: list[int] = []
    for at, line in enumerate(lines):
        shape = _DIGITS.sub("0", line[:LOOKED])
        masked = shapes.get(shape)
        if masked is None:
            masked = mask(line)
            if len(shapes) < SHAPES:
                shapes[shape] = masked
        if not masked:
            of_line.append(-1)
            continue
        place = places.get(masked)
        if place is None:
            place = places[masked] = len(groups)
            groups.append(LineTemplate(at, at, 0, severity(line)))
        of_line.append(place)
        groups[place].last = at
        groups[place].count += 1
    return _join(groups, places, of_line)


def _join(
    groups: list[LineTemplate], places: dict[str, int], of_line: list[int]
) -> tuple[list[LineTemplate], list[int]]:
    """Templates that differ in one word made one."""
    siblings: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
    for masked, place in list(places.items())[:JOINED]:
        if groups[place].severity:
            continue
        words = masked.split(" ")
        if len(words) < 2:
            continue
        for at in range(min(len(words), PLACES)):
            siblings[at, " ".join((*words[:at], *words[at + 1 :]))].append(place)
    owner: dict[int, int] = {}
    # Of families of one size the one that differs later: what a line is about stands first.
    for (_, rest), family in sorted(
        siblings.items(), key=lambda one: (-len(one[1]), -one[0][0], one[0][1])
    ):
        alone = [place for place in family if place not in owner]
        # One word in common says little: such families have to be larger.
        if len(alone) >= (SIBLINGS if " " in rest else 2 * SIBLINGS):
            owner.update(dict.fromkeys(alone, alone[0]))
    for place, head in owner.items():
        if place != head:
            one, joined = groups[place], groups[head]
            joined.count += one.count
            joined.last = max(joined.last, one.last)
            joined.first = min(joined.first, one.first)
    return groups, [owner.get(place, place) for place in of_line]
