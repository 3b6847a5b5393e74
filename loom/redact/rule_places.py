"""Which rules can match in a text, and where: one scan finds the keywords of all rules.

In a large text few characters can belong to a secret. `re2.Set` finds which of some hundred
keywords are in a part of the text, in one pass however many there are. Only rules with a keyword
that is found are run, on the lines around it. A rule may be run for nothing, which costs time; the
scan never misses a match."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

import re2

from loom.redact.secret_columns import HEADINGS
from loom.redact.secret_rule import CompiledRule, Where

Parts = list[tuple[int, int]]
Found = tuple[CompiledRule, Iterable[re.Match[str]]]
CHUNK = 2_048  # bytes of which words are told at a time
BEFORE, AFTER = 200, 4_200  # characters around a word in a line that has more
OPTION = 26  # characters before the word of an option, to where it begins
COMMAND = 400  # characters behind a command in which its option stands
BREAK = "\n\x01\n"  # between two parts; no rule matches across it
# What the automaton of a set may take, in bytes: past it a scan would find nothing.
MEMORY = 1 << 30
# The order decides of which kind a secret is that several find.
_ORDER: tuple[Where, ...] = ("text", "begins", "inside", "options", "lines", "folded")
_RUNS = re2.compile(rb"[A-Za-z0-9_+/=.~:!$-]{24,}")


class Excerpt:
    """Some parts (start, end) of a text, joined into one string, `text`."""

    def __init__(self, text: str, parts: Parts) -> None:
        self._at, self._from = array("q"), array("q")
        size = 0
        for start, end in parts:
            self._at.append(size)
            self._from.append(start)
            size += end - start + len(BREAK)
        self.text = BREAK.join([text[start:end] for start, end in parts])

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return (start, end) in the whole text for positions `start` and `end` of the excerpt."""
        part = bisect_right(self._at, start) - 1
        moved = self._from[part] - self._at[part]
        return start + moved, end + moved


def lowercase_in_place(text: str) -> str:
    """Return the text in small letters, with the same number of characters. If the text is not
    ASCII, its characters beyond Latin-1 become question marks."""
    return text.lower() if text.isascii() else latin1_bytes(text).lower().decode("latin-1")


def latin1_bytes(text: str) -> bytes:
    """Return the text as Latin-1 bytes. Any other character becomes a question mark."""
    return text.encode("latin-1", "replace")


def lines_around(text: str, hits: Sequence[int], lines: int) -> Parts:
    """Return the parts (start, end) of a text around the sorted positions `hits`, in order and
    without overlaps: `lines` lines from the line of each hit on. In a very long line, only the
    `BEFORE` characters before and `AFTER` characters after a hit are taken."""
    parts: Parts = []
    at = 0
    while at < len(hits):
        hit = hits[at]
        stop = hit - 1
        for _ in range(lines):
            stop = text.find("\n", stop + 1, hit + AFTER)
            if stop < 0:
                stop = min(hit + AFTER, len(text))
                break
        start = max(text.rfind("\n", max(hit - BEFORE, 0), hit) + 1, hit - BEFORE, 0)
        if parts and start <= parts[-1][1]:
            parts[-1] = (parts[-1][0], max(stop, parts[-1][1]))
        else:
            parts.append((start, stop))
        # Of the hits within a part the last one reaches furthest: millions may stand in one line.
        at = max(at + 1, bisect_right(hits, parts[-1][1]) - 1)
    return parts


class SearchedText:
    """A text prepared for the search: the `text`, the same in small letters (`folded`), and
    `places`, a dict from each keyword in the text to the positions where the keyword begins."""

    def __init__(self, text: str, places: Callable[[bytes], dict[str, Sequence[int]]]) -> None:
        self.text, self.folded = text, lowercase_in_place(text)
        self.places = places(latin1_bytes(self.folded))
        self._parts: dict[tuple[object, ...], Parts] = {}

    @cached_property
    def runs(self) -> Parts:
        """The (start, end) of each run of characters long enough for base64 or hexadecimal."""
        return [found.span() for found in _RUNS.finditer(latin1_bytes(self.text))]

    def where(self, words: Iterable[str]) -> Sequence[int]:
        """Return the sorted positions in the text where any of these keywords begins."""
        found = [self.places[word] for word in words if word in self.places]
        return found[0] if len(found) == 1 else sorted({at for one in found for at in one})

    def parts(self, rule: CompiledRule) -> Parts:
        """Return the parts (start, end) of the text that a rule must search."""
        asked = (rule.keywords, rule.lines, rule.place)
        if asked not in self._parts:
            hits = self.where(map(str.lower, rule.keywords))
            if rule.place == "options":
                hits = [at for at in hits if self._has_option_near(at)]
            self._parts[asked] = lines_around(self.text, hits, rule.lines)
        return self._parts[asked]

    def _has_option_near(self, at: int) -> bool:
        """Return True if an option (`-p`, `/p`) is near the keyword at this position."""
        text, end = self.text, at + COMMAND
        return (
            text.rfind("-", max(at - OPTION, 0), at) >= 0
            or text.find(" -", at, end) >= 0
            or text.find(" /", at, end) >= 0
        )

    def begins(self, rule: CompiledRule) -> list[int]:
        """Return the positions of a rule's keywords in the text that follow no letter or digit."""
        text = self.text
        return [
            at
            for at in self.where(map(str.lower, rule.keywords))
            if text.startswith(rule.keywords, at) and not _is_ascii_alnum(text[at - 1 : at])
        ]


def _is_ascii_alnum(char: str) -> bool:
    """Return True for an ASCII letter or digit, False for any other character and for ""."""
    return char.isascii() and char.isalnum()


class PlacedRules:
    """The compiled rules in the order they are tried, and one search for all their keywords."""

    def __init__(self, rules: Sequence[CompiledRule]) -> None:
        self._rules = sorted(rules, key=lambda rule: _ORDER.index(rule.place))
        self._always: set[int] = set()
        self._inside = {at for at, rule in enumerate(self._rules) if rule.place == "inside"}
        self._named: dict[str, list[int]] = {word: [] for word in HEADINGS}
        for number, rule in enumerate(self._rules):
            if rule.place == "inside":
                continue
            words = {word.lower() for word in rule.keywords}
            if not words or rule.place == "text" or not all(map(str.isascii, words)):
                self._always.add(number)
                continue
            for word in words:
                self._named.setdefault(word, []).append(number)
        self._words = [word.encode() for word in self._named]
        self._longest = max(map(len, self._words))
        options = re2.Options()
        options.literal, options.max_mem = True, MEMORY
        options.encoding = re2.Options.Encoding.LATIN1  # byte by byte
        self._set = re2.Set.SearchSet(options)
        for data in self._words:
            self._set.Add(data)
        self._set.Compile()

    def of(self, text: str) -> SearchedText:
        """Return a text prepared for these rules, with the positions of their keywords."""
        return SearchedText(text, self._word_places)

    def _word_places(self, folded: bytes) -> dict[str, Sequence[int]]:
        """Return {keyword: sorted positions where it begins} for the keywords in `folded`: a text
        in small letters, as Latin-1 bytes."""
        found: dict[int, array[int]] = {}
        for first in range(0, len(folded), CHUNK):
            last = first + CHUNK
            for number in self._set.Match(folded[first : last + self._longest - 1]) or ():
                word = self._words[number]
                places, stop = found.setdefault(number, array("q")), last + len(word) - 1
                at = folded.find(word, first, stop)
                while at >= 0:
                    places.append(at)
                    at = folded.find(word, at + 1, stop)
        return {self._words[number].decode(): places for number, places in found.items() if places}

    def found(self, searched: SearchedText) -> Iterator[Found]:
        """Yield (rule, iterable of its matches) for each rule that may match in the text."""
        numbers = self._always.union(*map(self._named.__getitem__, searched.places))
        for number in sorted(numbers | self._inside if searched.runs else numbers):
            rule, text = self._rules[number], searched.text
            if rule.place == "begins":
                yield rule, rule.matches_at(text, searched.begins(rule))
            elif rule.place == "inside":
                words = [*filter(text.__contains__, rule.keywords)]
                runs = searched.runs if words else ()
                parts = [run for run in runs if any(text.find(one, *run) >= 0 for one in words)]
                if parts:
                    yield rule, rule.matches(text, parts)
            elif number in self._always:
                text = searched.folded if rule.place == "folded" else text
                if not rule.keywords or any(map(text.__contains__, rule.keywords)):
                    yield rule, rule.matches(text)
            elif parts := searched.parts(rule):
                text = searched.folded if rule.place == "folded" else text
                yield rule, rule.matches(text, parts)
