"""Rules by the part of a text they search, and the parts of a text that any rule has to."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from loom.redact.excerpts import (
    SMALL,
    Excerpt,
    latin,
    option_lines,
    small_letters,
    token_runs,
    word_lines,
)
from loom.redact.rule import CompiledRule
from loom.redact.tables import HEADINGS
from loom.redact.words import Words, gram

_PAIR = re.compile(r"(?<![A-Za-z0-9])(?=(..))", re.DOTALL)  # where a token may begin


class Searched:
    """The parts of one text that rules search."""

    def __init__(self, text: str, words: Words) -> None:
        self.present: frozenset[str] | None = None  # the words in it; None: of all
        if len(text) < SMALL:
            self.text = self.lines = self.options = self.runs = Excerpt(text)
            self.folded = Excerpt(small_letters(text))
            return
        data = latin(text)
        hits, lines, present = words.places(data.lower())
        self.present = frozenset(present)
        self.text = Excerpt(text)
        self.lines = Excerpt(text, word_lines(data, hits, lines))
        self.folded = self.lines.folded()
        self.options = Excerpt(text, option_lines(data))
        self.runs = Excerpt(text, token_runs(data))


class PlacedRules:
    """Rules by their places, and the words of those that search the lines with their words."""

    def __init__(self, rules: Sequence[CompiledRule]) -> None:
        self._by: dict[str, list[CompiledRule]] = defaultdict(list)
        lines = dict.fromkeys(HEADINGS, 2)
        for rule in rules:
            self._by[rule.place].append(rule)
            if rule.place in ("lines", "folded"):
                for word in map(str.lower, rule.keywords):
                    lines[word] = max(lines.get(word, 0), rule.lines)
        self._words = Words(lines)
        self._beginning: dict[str, list[int]] = defaultdict(list)
        for number, rule in enumerate(self._by["begins"]):
            for pair in {word[:2] for word in rule.keywords}:
                self._beginning[pair].append(number)
        self._grams = {
            rule: frozenset(gram(word.lower()) for word in rule.keywords) for rule in rules
        }

    def of(self, text: str) -> Searched:
        """The parts of a text that the rules search."""
        return Searched(text, self._words)

    def to_search(self, parts: Searched) -> Iterator[tuple[CompiledRule, Excerpt]]:
        """The rules that may find something, each with the part of the text it searches."""
        for place, part in (
            ("text", parts.text),
            ("options", parts.options),
            ("inside", parts.runs),
        ):
            if part.text:
                for rule in self._by[place]:
                    yield rule, part
        present = parts.present
        for place, part in (("lines", parts.lines), ("folded", parts.folded)):
            if part.text:
                for rule in self._by[place]:
                    if present is None or not present.isdisjoint(self._grams[rule]):
                        yield rule, part
        pairs = self._beginning.keys() & set(_PAIR.findall(parts.runs.text))
        begin = self._by["begins"]
        for number in sorted({number for pair in pairs for number in self._beginning[pair]}):
            yield begin[number], parts.runs
