"""Finds where words stand in a text, many at once, by four letters of each.

A table for each of the four letters tells, as bits, which groups of words have it there; where the
four have a bit in common a word of that group may begin. The few such places are compared with the
words themselves. That is how Teddy of Hyperscan searches, with numpy for the instructions of a
processor, and takes as long for any number of words.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # a small text needs none
    import numpy as np
    from numpy.typing import NDArray

LETTERS = 4  # of a word that are looked at
_GROUPS = 32
_COMMON = " etaoinsrlhdcumfpgbywvk"  # the letters of code and prose, the commonest first


def gram(word: str) -> str:
    """The four letters on end of a word that are the rarest, or all of a shorter word."""
    grams = [word[at : at + LETTERS] for at in range(max(len(word) - LETTERS + 1, 1))]
    return min(grams, key=lambda one: sum(-_COMMON.find(letter) for letter in one if letter in _COMMON))


class Words:
    """Words, each with a number; finds the places of any in a text."""

    def __init__(self, words: Mapping[str, int]) -> None:
        """Ready for words in small letters of ASCII; each number is given for where it stands."""
        self._numbers: dict[str, int] = defaultdict(int)
        for word, number in words.items():
            short = gram(word)
            self._numbers[short] = max(self._numbers[short], number)
        self.grams = tuple(sorted(self._numbers))
        self._made: tuple[Any, ...] | None = None

    def places(self, folded: bytes) -> tuple[NDArray[Any], NDArray[Any], list[str]]:
        """Where words may stand in a text in small letters, the number of each; which stand."""
        import numpy as np

        tables, lengths = self._made = self._made or self._tables()
        codes = np.frombuffer(folded + b"\0" * LETTERS, np.uint8)
        size = len(folded)
        may = np.take(tables[0], codes[:size])
        for letter in range(1, LETTERS):
            may &= np.take(tables[letter], codes[letter : size + letter])
        hits = np.flatnonzero(may)
        given = np.zeros(len(hits), np.int64)
        four = sum(codes[hits + n].astype(np.uint32) << np.uint32(8 * n) for n in range(LETTERS))
        present: list[str] = []
        for mask, known, numbers, names in lengths:
            held = np.asarray(four) & mask
            index = np.minimum(np.searchsorted(known, held), len(known) - 1)
            same = known[index] == held
            np.maximum(given, np.where(same, numbers[index], 0), out=given)
            present += (names[one] for one in np.flatnonzero(np.bincount(index[same])))
        real = given > 0
        return hits[real], given[real], present

    def _tables(self) -> tuple[Any, ...]:
        """(the groups each letter may belong to, by its place), (words of each length, sorted)."""
        import numpy as np

        tables = np.zeros((LETTERS, 256), np.uint32)
        for number, word in enumerate(self.grams):  # neighbours begin with the same letters
            bit = np.uint32(1 << (number * _GROUPS // len(self.grams)))
            for at in range(LETTERS):
                where = word[at].encode() if at < len(word) else bytes(range(256))
                tables[at][list(where)] |= bit
        return tables, [self._of(size) for size in sorted({len(word) for word in self.grams})]

    def _of(self, size: int) -> tuple[Any, ...]:
        """The words of a length as numbers: the bits that count, sorted, what each gives."""
        import numpy as np

        words = sorted(
            (int.from_bytes(word.encode(), "little"), word) for word in self.grams if len(word) == size
        )
        mask = np.uint32((1 << (8 * size)) - 1)
        known = np.array([code for code, _ in words], np.uint32)
        numbers = np.array([self._numbers[word] for _, word in words], np.int64)
        return mask, known, numbers, [word for _, word in words]


def grams(words: Iterable[str]) -> frozenset[str]:
    """The letters by which each of some words is found."""
    return frozenset(map(gram, words))
