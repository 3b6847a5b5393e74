"""Splits a text into spans, finds a query's terms in it, and shortens long lines around them.

A span is searched and shown as a whole; it is small enough to name a place. It ends at a line's
end, after about LINES lines or CHARS characters; a longer line is cut between words, and a run of
characters only if longer than WORD.

A term that few texts of the index hold counts more than a common one, and a name more than a word.
A line's weight is the sum of its terms' weights. A long line shows its parts of highest weight."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from msgspec import Struct

from loom.lazy import lazy_re
from loom.search.terms import IDENTIFIER, LONGEST, Terms, split_identifier, without_accents

LINE_CHARS = 240
LINES = 40
CHARS = 2_000
WORD = 200  # characters before a cut in which a gap between words is looked for
SCANNED = 20_000  # characters of one line that are looked at
NAME_WEIGHT = 3  # a name counts as so many words: its parts are all in more texts than it is
CORE = 80  # characters of a stretch, before those around it
STRETCHES = 3  # of one text
FURTHER = 5  # a further stretch must bring more than this part of all that was asked for
GAP = "…"
SENTENCE = lazy_re(r"(?<=[.!?])[ \t]+|(?<=[。！？；])")
# Looser than the index, which stems as Porter does: it only chooses what to show of a hit.
ENDING = lazy_re(r"(?:ations?|ions?|ings?|edly|ments?|ers?|ies|ied|ed|es|ly|e|s|y)$")
Term = tuple[str, str]  # its column in the index, and itself; a word without its ending
NAMES, WORDS = "names", "words"
NONE: frozenset[Term] = frozenset()


class Span(Struct, frozen=True):
    """A slice of a text: characters `start` to `end`, lines `first` to `last` (from 1)."""

    start: int
    end: int
    first: int
    last: int


def split_spans(text: str) -> Iterator[Span]:
    """Yield a text's spans, in order, without blank spans."""
    start, first = 0, 1
    while start < len(text):
        end = _span_end(text, start)
        lines = text.count("\n", start, end)
        last = first + lines - (text[end - 1] == "\n")
        if not text[start:end].isspace():
            yield Span(start, end, first, last)
        start, first = end, first + lines


def _span_end(text: str, start: int) -> int:
    """Return the index at which the span that begins at index `start` ends."""
    held = text[start : start + CHARS]
    lines = held.split("\n", LINES)
    if len(lines) <= LINES and start + CHARS >= len(text):
        return len(text)
    most = start + len(held)
    end = most - len(lines[-1])
    return end if end > start else _word_gap(text, start, most)


def _word_gap(text: str, start: int, most: int) -> int:
    """Return the last index from `start` to `most` that comes directly after a gap between words;
    `most` if there is no gap near it."""
    for at in range(most, max(most - WORD, start + 1), -1):
        if text[at - 1].isspace() or text[at - 1] in ",;()[]{}\"'":
            return at
    return most


class TermPlace(Struct, frozen=True):
    """A place in a text, characters `start` to `end`, and the query's terms that it holds."""

    start: int
    end: int
    terms: frozenset[Term]


class SoughtTerms:
    """The terms of a query, to be found in texts. `rarity` maps (column, term) to a weight; a term
    that `rarity` lacks has weight 1."""

    def __init__(self, wanted: Terms, rarity: Mapping[Term, int] | None = None) -> None:
        rare = rarity or {}
        self.weights: dict[Term, int] = {}  # whole numbers: their sum has no order
        for word in wanted.words:
            term = (WORDS, stem_word(word))
            self.weights[term] = max(self.weights.get(term, 0), rare.get((WORDS, word), 1))
        for name in wanted.names:
            self.weights[NAMES, name] = NAME_WEIGHT * rare.get((NAMES, name), 1)
        self._known: dict[str, frozenset[Term]] = {}  # identifier → wanted terms in it
        self._lines: dict[tuple[str, int], list[tuple[int, str]]] = {}  # asked for more than once

    def weight(self, line: str) -> int:
        """Return the sum of the weights of the query's terms in a line."""
        return self._total_weight(self._terms_in_line(line))

    def holds_all(self, text: str) -> bool:
        """Tell whether one line of a text holds all terms of the query. False for a query of one
        word."""
        words = [word for column, word in self.weights if column == WORDS]
        # Most texts lack a word: it is looked for as it is written before lines are taken apart.
        lower = text.lower() if text.isascii() else without_accents(text).casefold()
        if len(words) < 2 or not all(word in lower for word in words):
            return False
        return any(len(self._terms_in_line(line)) == len(self.weights) for line in text.split("\n"))

    def matching_lines(self, text: str, first: int) -> list[tuple[int, str]]:
        """Return (line number, shortened line) for each line that holds terms of the query, highest
        weight first. `first` is the number of the text's first line."""
        if (text, first) not in self._lines:
            scored = [
                (-found, number, line)
                for number, line in enumerate(text.split("\n"), first)
                if (found := self.weight(line))
            ]
            lines = [(number, self.shorten_line(line)) for _, number, line in sorted(scored)]
            self._lines[text, first] = lines
        return self._lines[text, first]

    def shorten_line(self, line: str) -> str:
        """Return a line, reduced to its parts with the highest weight if over LINE_CHARS
        characters."""
        line = line.strip()
        if len(line) <= LINE_CHARS:
            return line
        cores = self.stretches(line) or [(0, 0)]
        # Whole sentences if they have room: half a sentence may say the opposite.
        if said := _sentence_spans(line, cores):
            return join_spans(line, said)
        while len(cores) > 1 and sum(end - start for start, end in cores) > LINE_CHARS // 2:
            cores.pop()
        room = LINE_CHARS - len(GAP) * (len(cores) + 1)
        pad = (room - sum(end - start for start, end in cores)) // (2 * len(cores))
        shown: list[tuple[int, int]] = []
        for start, end in sorted(cores):
            size = end - start + 2 * pad
            begin = max(min(start - pad, len(line) - size), 0)
            last = begin + size
            if shown and begin <= shown[-1][1]:
                begin, before = shown.pop()
                last = max(last, before)
            shown.append((begin, last))
        return join_spans(line, shown)

    def stretches(self, text: str) -> list[tuple[int, int]]:
        """Return (start, end) of the parts of a text that hold terms of the query, best first."""
        places = list(self._term_places(text))
        left = set(self.weights)
        found: list[tuple[int, int]] = []
        least = 0
        while len(found) < STRETCHES:
            weight, start, end = self._densest_stretch(places, left)
            if weight <= least:
                break
            found.append((start, end))
            for place in places:
                if start <= place.start and place.end <= end:
                    left -= place.terms
            least = self._total_weight(self.weights) // FURTHER
        return found

    def _densest_stretch(
        self, places: Sequence[TermPlace], left: Collection[Term]
    ) -> tuple[int, int, int]:
        """Return (weight, start, end) of a text's part with the highest weight, of about CORE
        characters. Only terms in `left` count. `places` are the places of the query's terms."""
        best = (0, 0, 0)
        held: Counter[Term] = Counter()
        first = 0
        for at, place in enumerate(places):
            held.update(place.terms)
            while first < at and place.end - places[first].start > CORE:
                held.subtract(places[first].terms)
                first += 1
            weight = self._total_weight(term for term in left if held[term])
            if weight > best[0]:
                best = (weight, places[first].start, place.end)
        return best

    def _term_places(self, text: str) -> Iterator[TermPlace]:
        """Yield each place in a text that holds terms of the query, in order."""
        for match in IDENTIFIER.finditer(text[:SCANNED]):
            terms = self._terms_in_identifier(match[0])
            if terms and len(match[0]) <= LONGEST:
                yield TermPlace(match.start(), match.end(), terms)
            elif terms:  # a sentence without spaces, or a blob
                yield from _places_in_run(match[0], match.start(), terms)

    def _terms_in_line(self, line: str) -> set[Term]:
        """Return those terms of the query that a line holds."""
        held: set[Term] = set()
        for identifier in IDENTIFIER.findall(line[:SCANNED]):
            known = self._known.get(identifier)
            held |= self._terms_in_identifier(identifier) if known is None else known
        return held

    def _terms_in_identifier(self, identifier: str) -> frozenset[Term]:
        """Return those terms of the query that an identifier holds."""
        known = self._known.get(identifier)
        if known is None:
            words, names = split_identifier(identifier)
            held = [term for name in names if (term := (NAMES, name)) in self.weights]
            held += [term for word in words if (term := (WORDS, stem_word(word))) in self.weights]
            known = self._known[identifier] = frozenset(held) if held else NONE
        return known

    def _total_weight(self, terms: Iterable[Term]) -> int:
        return sum(self.weights[term] for term in terms)


def _places_in_run(run: str, start: int, terms: frozenset[Term]) -> list[TermPlace]:
    """Return a TermPlace for each place of `terms` in a long word `run`, in order. `start` is the
    index of the word in its text."""
    lower = run.lower()
    found = []
    for term in terms:
        at = lower.find(term[1])
        if at < 0:
            found.append(TermPlace(start, start + LONGEST, frozenset([term])))
        while at >= 0:
            found.append(TermPlace(start + at, start + at + len(term[1]), frozenset([term])))
            at = lower.find(term[1], at + 1)
    return sorted(found, key=lambda place: (place.start, place.end))


def _sentence_spans(line: str, cores: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return (start, end) of the sentences of a line around the parts `cores`, in the line's order.
    `cores` are (start, end), best first. [] if not even the first sentence fits into LINE_CHARS."""
    ends = [end.end() for end in SENTENCE.finditer(line)]
    shown: set[tuple[int, int]] = set()
    for start, end in cores:
        begin = max((at for at in ends if at <= start), default=0)
        last = min((at for at in ends if at >= end), default=len(line))
        spans = {*shown, (begin, last)}
        if sum(end - start + len(GAP) for start, end in spans) + len(GAP) > LINE_CHARS:
            break
        shown = spans
    apart = sorted(shown)
    return apart if all(a[1] <= b[0] for a, b in pairwise(apart)) else apart[:1]


def join_spans(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """Return the parts `spans` of a line, given as (start, end), joined with "…" wherever something
    is left out."""
    shown = GAP.join(text[start:end] for start, end in spans)
    before = GAP if spans[0][0] else ""
    return before + shown + (GAP if spans[-1][1] < len(text) else "")


@lru_cache(maxsize=1 << 16)
def stem_word(word: str) -> str:
    """Return a word without its ending: `"parsing"` → `"pars"`; a short word unchanged."""
    if len(word) < 4 or not word.isalpha():
        return word
    short = ENDING.sub("", word)
    if len(short) < 3:
        return word
    return short[:-1] if short[-1] == short[-2] else short
