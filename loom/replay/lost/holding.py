"""Whether texts still hold a thing: a name as it is written, what was said by two of its words.

A summary says things in words of its own, so whatever was said counts as held where two lines that
follow each other share two of its words; only what they do not touch is lost.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from itertools import pairwise

from loom.lazy import lazy_re
from loom.search.terms import asked

_ENDING = lazy_re(r"(?<=\w)\.\w{1,4}\b")  # of a file: with its name it would be two words


def words_of(text: str) -> frozenset[str]:
    """The words of a text that tell something."""
    return frozenset(asked(_ENDING.sub("", text)).words)


def _plain(text: str) -> str:
    """A text in small letters, on one line, in one kind of quotes, be it as it is or in JSON."""
    text = text.casefold().replace("\\n", " ").replace("\\", "").replace('"', "'")
    return " ".join(text.split())


class HeldTexts:
    """Some texts that stand in a window."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = tuple(texts)
        self._text = _plain("\n".join(self.texts))

    @cached_property
    def _pairs(self) -> list[frozenset[str]]:
        lines = [words_of(line) for text in self.texts for line in text.split("\n") if line.strip()]
        return [one | next for one, next in pairwise([*lines, frozenset[str]()])]

    def names(self, name: str) -> bool:
        """True where a name stands as it is, and is no part of another."""
        name, at = _plain(name), -1
        while (at := self._text.find(name, at + 1)) >= 0:
            ends = self._text[max(at - 1, 0) : at] + self._text[at + len(name) :][:1]
            if not any(one.isalnum() or one == "_" for one in ends):
                return True
        return False

    def says(self, said: str) -> bool:
        """True where two lines share two of the words of what was said, or its only one."""
        words = words_of(said)
        return any(len(words & lines) >= min(len(words), 2) for lines in self._pairs)
