"""Which of many words stand in a text, and where: all are looked for in one scan (`re2.Set`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import re2

# What the automaton of a set may take, in bytes: past it a scan would find nothing. One of some
# hundred words takes about a megabyte, so this bounds nothing but a list without end.
MEMORY = 1 << 30


class WordSearch:
    """Words that are looked for together, in a str by how both are written in UTF-8."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = [word.encode(errors="replace") for word in dict.fromkeys(words)]
        options = re2.Options()
        options.literal, options.max_mem = True, MEMORY
        options.encoding = re2.Options.Encoding.LATIN1  # byte by byte
        self._set = re2.Set.SearchSet(options)
        for word in self._words:
            self._set.Add(word)
        self._set.Compile()

    def within(self, text: str | bytes) -> list[int]:
        """The numbers of the words in a text, by their order in the list."""
        data = text.encode(errors="replace") if isinstance(text, str) else text
        return self._set.Match(data) or [] if self._words else []

    def places(self, folded: bytes) -> dict[str, list[int]]:
        """Word → where it begins in a text in small letters, for each word in it, in order."""
        words = (self._words[number] for number in sorted(self.within(folded)))
        return {word.decode(): [*_places(word, folded)] for word in words}


def _places(word: bytes, text: bytes) -> Iterator[int]:
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + 1)
