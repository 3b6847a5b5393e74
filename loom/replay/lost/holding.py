"""Whether texts still hold a thing: a name as it is written, what was said by most of its words.

A summary says things in words of its own, so what was said counts as held where some lines of it
share a part of its telling words; only what they do not touch is lost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from loom.lazy import lazy_re

# Of the telling words of a sentence, in two lines that follow each other: few in a summary, so that
# what it says in other words is not called lost; most in whole texts, where a few meet by chance.
SHARE, WHOLE = 0.2, 0.8
TOLD, LINE = 0.6, 4  # … and of a line of a file with at least so many
STEM = 4  # letters by which two forms of a word are one
LONG = 7  # signs of a hash, or a UUID, by which people call it
_WORD = lazy_re(r"[^\W_]{5,}")  # shorter ones mostly join others
_INNER = lazy_re(
    r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"
)  # where a name of several words goes on
# A name of several parts, or with digits.
_NAME = lazy_re(r"(?=\w*?(?:[a-z][A-Z]|[^\W\d_]\d|\d[^\W\d_]|[^\W_]_[^\W_]))\w{5,80}")
_HEX = lazy_re(r"[0-9a-f]{8}[0-9a-f-]{0,56}")


def stems(text: str) -> frozenset[str]:
    """The words of a text that tell something, by their beginnings."""
    words = _WORD.findall(_INNER.sub(" ", text).casefold())
    return frozenset(word[:STEM] for word in words)


class HeldTexts:
    """Some texts that stand in a window, and the `share` of its words by which they hold what was
    said."""

    def __init__(self, texts: Iterable[str], share: float = SHARE) -> None:
        self.share = share
        self.texts = tuple(texts)
        self.text = "\n".join(self.texts).casefold()
        self._lines: dict[str, set[int]] = {}
        lines = "\n".join(self.texts).split("\n")
        for number, line in enumerate(one for one in lines if one.strip()):
            for stem in stems(line):
                self._lines.setdefault(stem, set()).add(number)

    def names(self, name: str) -> bool:
        """True where a name stands as it is, or a hash by its first signs."""
        return named(self.text, name)

    def says(self, words: frozenset[str], share: float = 0.0) -> bool:
        """True where two lines share enough of the words; any of two, where there are no more."""
        counts: Counter[int] = Counter()
        for word in words:
            lines = self._lines.get(word, set())
            counts.update(lines | {number - 1 for number in lines})
        least = max((share or self.share) * len(words), 2) if len(words) > 2 else 1
        return max(counts.values(), default=0) >= least

    def tells(self, line: str) -> bool:
        """True where the texts have a name that is no word, or most words of a line."""
        if names_in(line) == {line}:
            return self.names(line)
        words = stems(line)
        return len(words) >= LINE and self.says(words, TOLD)


def named(text: str, name: str) -> bool:
    """True where a name stands in a folded text as it is, or a hash by its first signs."""
    name = name.casefold()
    if _HEX.fullmatch(name):
        return name[:LONG] in text
    at = text.find(name)
    while at >= 0:
        ends = text[max(at - 1, 0) : at], text[at + len(name) : at + len(name) + 1]
        if not any(one.isalnum() or one == "_" for one in ends):
            return True
        at = text.find(name, at + 1)
    return False


def names_in(text: str) -> frozenset[str]:
    """The names in a text that are no words: of several parts, or with digits."""
    return frozenset(_NAME.findall(text))
