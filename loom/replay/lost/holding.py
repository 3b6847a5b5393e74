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
SHARE, WHOLE = 0.3, 0.8
STEM = 4  # letters by which two forms of a word are one
LONG = 7  # signs of a hash, or a UUID, by which people call it
_WORD = lazy_re(r"[^\W_]{5,}")  # shorter ones mostly join others
_INNER = lazy_re(
    r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"
)  # where a name of several words goes on
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
        name = name.casefold()
        if _HEX.fullmatch(name):
            return name[:LONG] in self.text
        at = self.text.find(name)
        while at >= 0:
            ends = self.text[at - 1 : at], self.text[at + len(name) : at + len(name) + 1]
            if not any(one.isalnum() or one == "_" for one in ends):
                return True
            at = self.text.find(name, at + 1)
        return False

    def says(self, words: frozenset[str]) -> bool:
        """True where two lines share enough of the words; any of two, where there are no more."""
        counts: Counter[int] = Counter()
        for word in words:
            lines = self._lines.get(word, set())
            counts.update(lines | {number - 1 for number in lines})
        least = max(self.share * len(words), 2) if len(words) > 2 else 1
        return max(counts.values(), default=0) >= least
