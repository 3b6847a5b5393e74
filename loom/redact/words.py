"""Finds where words stand in a text, many at once, by four letters of each.

A table for each of the four letters tells, as bits, which groups of words have it there; where the
four have a bit in common a word of that group may begin. The few such places are compared with the
words themselves. That is how Teddy of Hyperscan searches, with numpy for the instructions of a
processor, and takes as long for any number of words.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # a small text needs none
    from numpy.typing import NDArray

LETTERS = 4  # of a word that are looked at
_GROUPS = 32
_BEGINNING = 8  # letters of a word that are compared
# The letters of code and prose by how rare they are.
_RARE = {letter: rank for rank, letter in enumerate(" etaoinsrlhdcumfpgbywvk")}


def gram(word: str) -> str:
    """The four letters on end of a word that are the rarest, or all of a shorter word."""
    grams = [word[at : at + LETTERS] for at in range(max(len(word) - LETTERS + 1, 1))]
    return max(grams, key=lambda one: sum(_RARE.get(letter, len(_RARE)) for letter in one))


class Words:
    """Words, each with a number; finds the places of any in a text."""

    def __init__(self, words: Mapping[str, int]) -> None:
        """Ready for words in small letters of ASCII; each number is given for where it stands."""
        self._numbers: dict[str, int] = defaultdict(int)
        self._whole: dict[str, list[str]] = defaultdict(list)
        for word, number in words.items():
            short = gram(word)
            self._whole[short].append(word)
            self._numbers[short] = max(self._numbers[short], number)
        self.grams = tuple(sorted(self._numbers))
        self._made: tuple[Any, ...] | None = None

    def places(self, folded: bytes) -> tuple[NDArray[Any], NDArray[Any], list[str]]:
        """Where words may stand in a text in small letters, the number of each; which stand."""
        import numpy as np

        tables, lengths = self._made = self._made or self._tables()
        data = folded + b"\0" * _BEGINNING
        codes = np.frombuffer(data, np.uint8)
        size = len(folded)
        may = tables[0].take(codes[:size])
        for letter in range(1, LETTERS):
            may &= tables[letter].take(codes[letter : size + letter])
        hits = (may != 0).nonzero()[0]
        given = np.zeros(len(hits), np.int64)
        four = np.ndarray((size,), "<u4", data, strides=(1,))[hits]  # the letters at each place
        begin = np.ndarray((size,), "<u8", data, strides=(1,))
        present: list[str] = []
        for mask, known, numbers, offsets, wholes, letters, names in lengths:
            held = four & mask
            index = known.searchsorted(held)
            same = (known[index] == held).nonzero()[0]
            index = index[same]
            begins = hits[same] - offsets[index]
            real = (begin[np.maximum(begins, 0)] & wholes[index]) == letters[index]
            real &= begins >= 0
            same, index = same[real], index[real]
            given[same] = np.maximum(given[same], numbers[index])
            present += (names[one] for one in np.bincount(index).nonzero()[0])
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
            (int.from_bytes(word.encode(), "little"), word)
            for word in self.grams
            if len(word) == size
        )
        mask = np.uint32((1 << (8 * size)) - 1)
        known = np.array([*(code for code, _ in words), 0xFFFFFFFF], np.uint32)  # the last is none
        numbers = np.array([self._numbers[word] for _, word in words], np.int64)
        names = [word for _, word in words]
        wholes = [self._beginning(word) for word in names]
        offsets = np.array([offset for offset, _ in wholes], np.int64)
        letters = [int.from_bytes(begin.encode(), "little") for _, begin in wholes]
        masks = [(1 << (8 * len(begin))) - 1 for _, begin in wholes]
        of_wholes = np.array(masks, np.uint64), np.array(letters, np.uint64)
        return mask, known, numbers, offsets, *of_wholes, names

    def _beginning(self, short: str) -> tuple[int, str]:
        """How far into its word these letters stand, and how the word begins; of one word only."""
        words = self._whole[short]
        if len(words) > 1:
            return 0, short
        return words[0].index(short), words[0][:_BEGINNING]
