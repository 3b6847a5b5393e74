"""Rules by the part of a text they search, and the parts of a text that any rule has to.

In a small text each rule searches all. In a larger one the words of all rules are found at once.
A rule whose matches begin with one of them is tried there, in the whole of the text, and nowhere
else; of another the lines around its words are searched.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from loom.redact.excerpts import (
    SMALL,
    Excerpt,
    latin,
    small_letters,
    token_runs,
    word_lines,
)
from loom.redact.rule import WORDED, CompiledRule, Where
from loom.redact.tables import HEADINGS
from loom.redact.words import WordSearch

OPTION = 26  # characters before the word of an option, to where it begins
COMMAND = 400  # characters behind a command in which its option stands
_PART, _BESIDE = 1_024, 64  # characters
# The order decides of which kind a secret is that several find.
_ORDER: tuple[Where, ...] = ("text", "begins", "inside", "options", "lines", "folded")
_NO_LETTER = "(?<![A-Za-z0-9])"  # how the pattern of a word that stands alone begins
Found = tuple[CompiledRule, Excerpt, Iterable[re.Match[str]]]


class Searched:
    """One text, where the words of rules stand in it, and the parts that rules search.

    `places` is None for a small text, in which no words were looked for.
    """

    def __init__(self, text: str, words: WordSearch) -> None:
        self.text = Excerpt(text)
        self.folded = Excerpt(small_letters(text))
        self.places: dict[str, list[int]] | None = None
        self._data = b""
        self._excerpts: dict[tuple[object, ...], Excerpt] = {}
        if len(text) >= SMALL:
            self._data = latin(text)
            self.places = words.places(self._data.lower())

    @cached_property
    def runs(self) -> Excerpt:
        """The runs of letters of tokens."""
        text = self.text.text
        return self.text if self.places is None else Excerpt(text, token_runs(self._data))

    @cached_property
    def foreign(self) -> str:
        """The parts of the text with letters beyond ASCII, and what is near them."""
        text = self.text.text
        if self.places is None or text.isascii():
            return text
        starts = range(0, len(text), _PART)
        parts = (text[max(at - _BESIDE, 0) : at + _PART + _BESIDE] for at in starts)
        return "\n".join(part for part in parts if not part.isascii())

    def where(self, words: Iterable[str]) -> list[int]:
        """Where any of some words stand, in order."""
        places = self.places or {}
        found = [places[word] for word in map(str.lower, words) if word in places]
        return found[0] if len(found) == 1 else sorted({at for one in found for at in one})

    def begins(self, rule: CompiledRule) -> list[int]:
        """The places where a match of a rule may begin that has such beginnings."""
        places, text = self.where(rule.begins), self.text.text
        if rule.pattern.pattern.startswith(_NO_LETTER):
            places = [at for at in places if not _is_letter(text[at - 1 : at])]
        if rule.place != "options":
            return places
        return [at for at in places if _is_command(text, at)]

    def lines(self, rule: CompiledRule) -> Excerpt:
        """The lines around the words of a rule."""
        asked = (rule.keywords, rule.lines, rule.place)
        if asked not in self._excerpts:
            text = (self.folded if rule.place == "folded" else self.text).text
            places = self.where(rule.keywords)
            if rule.place == "options":
                places = [at for at in places if text.rfind("-", max(at - OPTION, 0), at) >= 0]
            parts = word_lines(self._data, places, rule.lines) if places else []
            self._excerpts[asked] = Excerpt(text, parts)
        return self._excerpts[asked]


def _is_command(text: str, at: int) -> bool:
    """True when an option stands close before a word, or behind it."""
    end = at + COMMAND
    return (
        text.find(" -", at, end) > 0
        or text.find(" /", at, end) > 0
        or text.rfind("-", max(at - OPTION, 0), at) >= 0
    )


def _is_letter(char: str) -> bool:
    """True for a letter or digit of ASCII."""
    return char.isascii() and char.isalnum()


class PlacedRules:
    """Rules by their places, and the words of those that are found by words."""

    def __init__(self, rules: Sequence[CompiledRule]) -> None:
        self._by: dict[str, list[CompiledRule]] = defaultdict(list)
        self._of_word: dict[str, list[CompiledRule]] = defaultdict(list)
        for rule in rules:
            words = {word.lower() for word in rule.begins or rule.keywords}
            worded = rule.place in WORDED and words and all(map(str.isascii, words))
            self._by["text" if rule.place in WORDED and not worded else rule.place].append(rule)
            for word in words if worded else ():
                self._of_word[word].append(rule)
        self._words = WordSearch((*HEADINGS, *self._of_word))
        self._foreign = {
            rule
            for rule in self._by["text"]
            if rule.keywords and not any(map(str.isascii, rule.keywords))
        }
        self._of_prefix: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for number, rule in enumerate(self._by["begins"]):
            for word in rule.keywords:
                self._of_prefix[word.lower()].append((number, word))
        self._prefixes = WordSearch(self._of_prefix)
        self._rules = [rule for place in _ORDER for rule in self._by[place]]
        self._rank = {rule: number for number, rule in enumerate(self._rules)}
        # For small texts: the rules without a keyword, and for each keyword those it names.
        self._always = {number for number, rule in enumerate(self._rules) if not rule.keywords}
        of_word: dict[bool, dict[str, list[int]]] = {False: {}, True: {}}
        for number, rule in enumerate(self._rules):
            for word in rule.keywords:
                of_word[rule.place == "folded"].setdefault(word, []).append(number)
        self._keywords = [(WordSearch(named), [*named.values()]) for named in of_word.values()]

    def of(self, text: str) -> Searched:
        """The parts of a text that the rules search."""
        return Searched(text, self._words)

    def found(self, parts: Searched) -> Iterator[Found]:
        """Each rule that may find something, the part of the text it searches, its matches."""
        if parts.places is None:
            yield from self._named(parts)
            return
        for place in _ORDER:
            rules = self._by[place]
            if place in WORDED:
                yield from self._worded(parts, place)
                continue
            if place == "begins":
                yield from self._tokens(parts.runs)
                continue
            for rule in rules:
                if rule in self._foreign and not rule.is_named(parts.foreign):
                    continue
                part = parts.text if place == "text" else parts.runs
                part = parts.folded if rule.place == "folded" else part
                yield rule, part, rule.matches(part.text)

    def _named(self, parts: Searched) -> Iterator[Found]:
        """The same in a small text, of which each rule searches all: those with a keyword in it."""
        named = self._always.copy()
        for (words, rules), part in zip(self._keywords, (parts.text, parts.folded), strict=True):
            named.update(*(rules[number] for number in words.within(part.text)))
        for number in sorted(named):
            rule = self._rules[number]
            part = parts.folded if rule.place == "folded" else parts.text
            yield rule, part, rule.matches(part.text)

    def _tokens(self, runs: Excerpt) -> Iterator[Found]:
        """The same of rules for tokens, which their keywords begin."""
        if not runs.text:
            return
        text = runs.text
        begins: dict[int, list[int]] = defaultdict(list)
        for prefix, places in self._prefixes.places(latin(text).lower()).items():
            for number, word in self._of_prefix[prefix]:
                begins[number] += (
                    at
                    for at in places
                    if text.startswith(word, at) and not _is_letter(text[at - 1 : at])
                )
        for number in sorted(begins):
            rule = self._by["begins"][number]
            yield rule, runs, rule.matches_at(text, sorted(begins[number]))

    def _worded(self, parts: Searched, place: Where) -> Iterator[Found]:
        """The same of rules that are found by words."""
        named = {rule for word in parts.places or () for rule in self._of_word.get(word, ())}
        may = (rule for rule in named if rule.place == place)
        for rule in sorted(may, key=self._rank.__getitem__):
            part = parts.folded if rule.place == "folded" else parts.text
            if rule.begins:
                yield rule, part, rule.matches_at(part.text, parts.begins(rule))
            else:
                lines = parts.lines(rule)
                yield rule, lines, rule.matches(lines.text)
