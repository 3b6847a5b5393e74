"""Tests whether the texts in a window mention a name or a sentence.

A name must appear as it is written. A sentence counts as mentioned if two neighbouring lines
contain two of its words, since a summary uses its own words. In doubt the answer is yes."""

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
    """Return the meaningful words of a text, without words such as "the" and file suffixes."""
    return frozenset(sought_terms(_ENDING.sub("", text)).words)


def _normalize(text: str) -> str:
    """Return a text in lower case, on one line, with single quotes and without backslashes."""
    text = text.casefold().replace("\\n", " ").replace("\\", "").replace('"', "'")
    return " ".join(text.split())


def _is_word_sign(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


class HeldTexts:
    """The texts in a window. The methods say whether the texts contain a name or a sentence."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = tuple(texts)
        self._text = _normalize("\n".join(self.texts))

    @cached_property
    def _pairs(self) -> list[frozenset[str]]:
        """The sets of meaningful words of every two neighbouring lines."""
        lines = [words_of(line) for text in self.texts for line in text.split("\n") if line.strip()]
        return [one | next for one, next in pairwise([*lines, frozenset[str]()])]

    def names(self, name: str) -> bool:
        """Return True if the texts contain `name` on its own, not only inside a longer word."""
        name = _normalize(name)
        return any(not _is_word_sign(self._text[at + len(name) :][:1]) for at in self._starts(name))

    def begins(self, name: str) -> bool:
        """Return True if the texts contain a word that begins with `name`."""
        return any(True for _ in self._starts(_normalize(name)))

    def _starts(self, name: str) -> Iterator[int]:
        """Yield each index in the joined text where a word begins with `name`."""
        at = -1
        while (at := self._text.find(name, at + 1)) >= 0:
            if not _is_word_sign(self._text[max(at - 1, 0) : at]):
                yield at

    def says(self, said: str) -> bool:
        """Return True if two neighbouring lines contain at least two meaningful words of the
        sentence `said`, or its only meaningful word."""
        words = words_of(said)
        return any(len(words & lines) >= min(len(words), 2) for lines in self._pairs)


def is_file_named(texts: HeldTexts, path: str) -> bool:
    """Return True if the texts contain the name of the file at `path`, or the name without its
    suffix if that has several words, as in "my_file"."""
    name = path.rstrip("/").rpartition("/")[2]
    stem = name.rpartition(".")[0]
    return texts.names(name) or (bool(_SEVERAL.search(stem)) and texts.names(stem))


def short_path(path: str) -> str:
    """Return a path's last three parts: "/a/b/c/d.py" → "…/b/c/d.py", or a shorter path whole."""
    parts = path.replace("\\", "/").split("/")
    return path if len(parts) <= PARTS else "/".join(("…", *parts[-PARTS:]))
