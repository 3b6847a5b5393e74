"""Texts that stand in a window, and what they hold: names as they are written, sentences by words.

Where it is in doubt, a text holds a thing: a name as it is written, what was said where two lines
that follow each other share two of its words, since a summary says things in words of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import pairwise

from loom.lazy import lazy_re
from loom.search.terms import sought_terms

PARTS = 3  # of a path
_SEVERAL = lazy_re(r"\w[_-]\w")
_ENDING = lazy_re(r"(?<=\w)\.\w{1,4}\b")  # of a file: with its name it would be two words


def words_of(text: str) -> frozenset[str]:
    """The words of a text that tell something."""
    return frozenset(sought_terms(_ENDING.sub("", text)).words)


def _normalize(text: str) -> str:
    """A text in small letters, on one line, in one kind of quotes, be it as it is or in JSON."""
    text = text.casefold().replace("\\n", " ").replace("\\", "").replace('"', "'")
    return " ".join(text.split())


def _is_word_sign(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


class HeldTexts:
    """Some texts that stand in a window."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = tuple(texts)
        self._text = _normalize("\n".join(self.texts))

    @cached_property
    def _pairs(self) -> list[frozenset[str]]:
        lines = [words_of(line) for text in self.texts for line in text.split("\n") if line.strip()]
        return [one | next for one, next in pairwise([*lines, frozenset[str]()])]

    def names(self, name: str) -> bool:
        """True where a name stands as it is, and is no part of another."""
        name = _normalize(name)
        return any(not _is_word_sign(self._text[at + len(name) :][:1]) for at in self._starts(name))

    def begins(self, name: str) -> bool:
        """True where something begins with a name."""
        return any(True for _ in self._starts(_normalize(name)))

    def _starts(self, name: str) -> Iterator[int]:
        at = -1
        while (at := self._text.find(name, at + 1)) >= 0:
            if not _is_word_sign(self._text[max(at - 1, 0) : at]):
                yield at

    def says(self, said: str) -> bool:
        """True where two lines share two of the words of what was said, or its only one."""
        words = words_of(said)
        return any(len(words & lines) >= min(len(words), 2) for lines in self._pairs)


def is_file_named(texts: HeldTexts, path: str) -> bool:
    """True where texts name a file; by several words before its ending as well."""
    name = path.rstrip("/").rpartition("/")[2]
    stem = name.rpartition(".")[0]
    return texts.names(name) or (bool(_SEVERAL.search(stem)) and texts.names(stem))


def short_path(path: str) -> str:
    """The end of a path: its file and the folders next to it."""
    parts = path.replace("\\", "/").split("/")
    return path if len(parts) <= PARTS else "/".join(("…", *parts[-PARTS:]))
