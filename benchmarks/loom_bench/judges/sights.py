"""Where something stands in a message: its place, and the line it stands on."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import accumulate
from typing import TypeVar

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
# Holds a request against one thing that the session owes.
HeldAgainst = Callable[[BenchMoment, BenchRuling], None]


class Sight(Struct, frozen=True):
    """A place in a message: the number of its text, its start and line in the text's flat form."""

    text: int
    start: int
    line: str


def once_each(look: Callable[[ReadWire], Found]) -> Callable[[Sequence[ReadWire]], list[Found]]:
    """Return what `look` finds in each message of a request; each message is looked into once."""
    known = cache(look)
    return lambda read: [known(one) for one in read]


def at_judged(things: Sequence[HeldAgainst], every: int = 0) -> Ruled | None:
    """Return what rules on these at judged moments, and at every `every`-th request."""
    requests = 0

    def rule(moment: BenchMoment) -> BenchRuling | None:
        nonlocal requests
        requests += 1
        if not moment.judged and (not every or requests % every):
            return None
        ruling = BenchRuling()
        for one in things:
            one(moment, ruling)
        return ruling

    return rule if things else None


def each_line(wire: ReadWire, may: Callable[[str], object]) -> Iterator[Sight]:
    """Every line of the texts whose flat form `may` have something."""
    for number, shown in enumerate(wire.shown):
        if may(shown.flat):
            for start, line in zip(*flat_lines(shown.text), strict=True):
                yield Sight(number, start, line)


def word_for_word(wire: ReadWire, text: str) -> Iterator[Sight]:
    """Every place where a text stands, runs of blanks as one."""
    wanted = " ".join(text.split())
    for number, shown in enumerate(wire.shown):
        if wanted and wanted in shown.flat:
            for match in standing(wanted).finditer(shown.flat):
                yield Sight(number, match.start(), line_of(shown, *match.span()))


def in_other_words(wire: ReadWire, wanted: frozenset[str]) -> Iterator[Sight]:
    """Every line that has all of these words."""
    plain = wanted - {NOT}

    def may(flat: str) -> bool:
        low = flat.lower()
        return bool(plain) and all(word in low for word in plain)

    for sight in each_line(wire, may):
        if len(sight.line) <= LONGEST and wanted <= content_words(sight.line):
            yield sight


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
    starts = accumulate((len(line) + 1 for line in lines), initial=0)
    return tuple(starts)[: len(lines)], lines


def content_words(text: str) -> frozenset[str]:
    """The words that carry what a sentence says, in lower case; every negation is `not`."""
    words = WORD.findall(text.lower())
    found = {NOT if word in NEGATIONS or word.endswith(("n't", "n’t")) else word for word in words}
    return frozenset(found - LITTLE)


def is_past(line: str, about: str) -> bool:
    """True when a line says that something is past, in words that are not its own."""
    own = about.lower()
    return any(match[0].lower() not in own for match in PAST.finditer(line.replace(about, "")))


def lines_of(wires: Sequence[Wire]) -> frozenset[str]:
    """The flat lines that messages say; calls are left out."""
    return frozenset(line for wire in wires for text in texts(wire) for line in flat_lines(text)[1])
