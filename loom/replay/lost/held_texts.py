"""Texts that stand in a window, and what they hold: names as they are written, sentences by words.

In doubt a text holds a thing. A name has to stand as it is written. A sentence is held when two
neighbouring lines share two of its words, since a summary says things in its own words."""

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
    """Return the meaningful words of a text (without words such as "the")."""
    return frozenset(sought_terms(_ENDING.sub("", text)).words)


def _normalize(text: str) -> str:
    """Return a text for comparison: in lower case, on one line, with one kind of quotes, and
    without the escapes of JSON."""
    text = text.casefold().replace("\\n", " ").replace("\\", "").replace('"', "'")
    return " ".join(text.split())


def _is_word_sign(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


class HeldTexts:
    """The texts in a window; the methods say whether a name or a sentence is in them."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = tuple(texts)
        self._text = _normalize("\n".join(self.texts))

    @cached_property
    def _pairs(self) -> list[frozenset[str]]:
        """The meaningful words of each two neighbouring lines."""
        lines = [words_of(line) for text in self.texts for line in text.split("\n") if line.strip()]
        return [one | next for one, next in pairwise([*lines, frozenset[str]()])]

    def names(self, name: str) -> bool:
        """Return True when the texts contain a name, and not only as a part of a longer name."""
        name = _normalize(name)
        return any(not _is_word_sign(self._text[at + len(name) :][:1]) for at in self._starts(name))

    def begins(self, name: str) -> bool:
        """Return True when the texts contain a word that begins with `name`."""
        return any(True for _ in self._starts(_normalize(name)))

    def _starts(self, name: str) -> Iterator[int]:
        """Yield each index in the joined text at which `name` stands at the beginning of a word."""
        at = -1
        while (at := self._text.find(name, at + 1)) >= 0:
            if not _is_word_sign(self._text[max(at - 1, 0) : at]):
                yield at

    def says(self, said: str) -> bool:
        """Return True when two neighbouring lines contain two words of the sentence `said`, or its
        only word."""
        words = words_of(said)
        return any(len(words & lines) >= min(len(words), 2) for lines in self._pairs)


def is_file_named(texts: HeldTexts, path: str) -> bool:
    """Return True when the texts contain the file's name; without its suffix is enough when the
    name has several words."""
    name = path.rstrip("/").rpartition("/")[2]
    stem = name.rpartition(".")[0]
    return texts.names(name) or (bool(_SEVERAL.search(stem)) and texts.names(stem))


def short_path(path: str) -> str:
    """Return the end of a path: the file's name and the folders just above it."""
    parts = path.replace("\\", "/").split("/")
    return path if len(parts) <= PARTS else "/".join(("…", *parts[-PARTS:]))
