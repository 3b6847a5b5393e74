"""Where something stands in a message: its place, and the line it stands on."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Generic, Protocol, TypeVar

from msgspec import Struct

from loom_bench.judge import Ruled
from loom_bench.moment import BenchMoment, BenchRuling, standing
from loom_bench.session import Wire
from loom_bench.wires import ReadWire, ShownLine, texts

LONGEST = 2_000  # characters of a line in which words that stand apart still belong together
# What says on a line that something is past.
PAST = re.compile(
    r"\b(?:superseded|outdated|obsolete|stale|expired|no longer|not any ?more|was|were|had|formerly"
    r"|previous(?:ly)?|earlier|until|used to|old(?:er)?|replac(?:ed|es)|instead of|rather than"
    r"|changed? (?:\S+ )?from|history|deprecated|withdrawn|lifted|dropped|revoked|taken back"
    r"|takes? back|forget|allowed again|allowed now)\b|→|->|=>|~~",
    re.IGNORECASE,
)
WORD = re.compile(r"\w+(?:['’]\w+)?")
NOT = "not"
NEGATIONS = frozenset(
    {"not", "no", "never", "none", "nothing", "neither", "nor", "cannot", "without"}
)
# Words that carry nothing: articles, pronouns, verbs that help, prepositions.
LITTLE = frozenset(
    WORD.findall(
        "a an and any are as at be been before by can do does each for from had has have i if in"
        " into is it its must my of on or our please shall should so than that the their them then"
        " there these they this those to under we when while will with you your"
    )
)

Found = TypeVar("Found")


class Sight(Struct, frozen=True):
    """A place in a message: the number of its text, where it begins there, and its line.

    Places count in the text's flat form. `kind` is that of the text, `line` is flat too.
    """

    text: int
    start: int
    kind: str
    line: str


class FoundOnce(Generic[Found]):
    """Looks into each message once, however many requests it stands in."""

    def __init__(self, look: Callable[[ReadWire], Found]) -> None:
        self._look = look
        self._known: dict[ReadWire, Found] = {}

    def each(self, read: Sequence[ReadWire]) -> list[Found]:
        """What is found in each message of a request."""
        return [self._of(one) for one in read]

    def _of(self, one: ReadWire) -> Found:
        known = self._known.get(one)
        if known is None:
            known = self._known[one] = self._look(one)
        return known


class FollowedThing(Protocol):
    """Something that a session owes, with what messages tell of it."""

    def rule(self, moment: BenchMoment, ruling: BenchRuling) -> None:
        """Hold a request against it."""


def at_judged(things: Sequence[FollowedThing]) -> Ruled | None:
    """What rules on these at the moments where everything is looked for."""

    def ruled(moment: BenchMoment) -> BenchRuling | None:
        if not moment.judged:
            return None
        ruling = BenchRuling()
        for one in things:
            one.rule(moment, ruling)
        return ruling

    return ruled if things else None


def word_for_word(wire: ReadWire, text: str) -> Iterator[Sight]:
    """Every place where a text stands, runs of blanks as one."""
    wanted = " ".join(text.split())
    for number, shown in enumerate(wire.shown):
        if wanted and wanted in shown.flat:
            for match in standing(wanted).finditer(shown.flat):
                line = line_of(shown, match.start(), match.end())
                yield Sight(number, match.start(), shown.kind, line)


def in_other_words(wire: ReadWire, wanted: frozenset[str]) -> Iterator[Sight]:
    """Every line that has all of these words."""
    plain = wanted - {NOT}
    for number, shown in enumerate(wire.shown):
        low = shown.flat.lower()
        if not plain or not all(word in low for word in plain):
            continue
        starts, lines = flat_lines(shown.text)
        for start, line in zip(starts, lines, strict=True):
            if len(line) <= LONGEST and wanted <= content_words(line):
                yield Sight(number, start, shown.kind, line)


def line_of(shown: ShownLine, start: int, end: int) -> str:
    """The line of a place in a text, or the lines where it goes over several."""
    starts, lines = flat_lines(shown.text)
    first = bisect_right(starts, start) - 1
    last = bisect_right(starts, max(start, end - 1)) - 1
    return " ".join(lines[first : last + 1])


@lru_cache(maxsize=4096)
def flat_lines(text: str) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """The lines of a text that are not blank, each flat, and where each begins in the flat text."""
    lines = tuple(flat for line in text.splitlines() if (flat := " ".join(line.split())))
    starts, at = [], 0
    for line in lines:
        starts.append(at)
        at += len(line) + 1
    return tuple(starts), lines


def content_words(text: str) -> frozenset[str]:
    """The words that carry what a sentence says, in lower case; every negation is `not`."""
    found = set()
    for word in WORD.findall(text.lower()):
        if word in NEGATIONS or word.endswith(("n't", "n’t")):
            found.add(NOT)
        elif word not in LITTLE:
            found.add(word)
    return frozenset(found)


def is_past(line: str, about: str) -> bool:
    """True when a line says that something is past, in words that are not its own."""
    own = about.lower()
    return any(match[0].lower() not in own for match in PAST.finditer(line.replace(about, "")))


def lines_of(wires: Sequence[Wire]) -> frozenset[str]:
    """The flat lines that messages say; calls are left out."""
    return frozenset(line for wire in wires for text in texts(wire) for line in flat_lines(text)[1])
