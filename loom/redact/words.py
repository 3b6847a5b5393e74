"""Finds where words stand in a text, many at once, by four letters of each.

A table for each of the four letters tells, as bits, which groups of words have it there; where the
four have a bit in common a word of that group may begin. The few such places are compared with the
words themselves. That is how Teddy of Hyperscan searches, with numpy for the instructions of a
processor, and takes as long for any number of words.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:  # a small text needs none
    from numpy.typing import NDArray

Places: TypeAlias = "NDArray[Any]"
LETTERS = 4  # of a word that are looked at
_SETS, _GROUPS = 2, 8  # sets of tables, groups of words in each: the bits of a byte
_BEGINNING = 8  # letters of a word that are compared
_PART = 1_000_000  # letters of a text that are looked at at a time
# The letters of code and prose by how rare they are.
_RARE = {letter: rank for rank, letter in enumerate(" etaoinsrlhdcumfpgbywvk")}


def gram(word: str) -> str:
    """The four letters on end of a word that are the rarest, or all of a shorter word."""
    grams = [word[at : at + LETTERS] for at in range(max(len(word) - LETTERS + 1, 1))]
    return max(grams, key=lambda one: sum(_RARE.get(letter, len(_RARE)) for letter in one))


class WordSearch:
    """WordSearch in small letters of ASCII; finds the places of each in a text."""

    def __init__(self, words: Iterable[str]) -> None:
        self._by: dict[str, list[str]] = defaultdict(list)
        for word in sorted(set(words)):
            self._by[gram(word)].append(word)
        self._grams = sorted(self._by)
        self._longest = max((len(word) for each in self._by.values() for word in each), default=0)
        self._made: tuple[Any, ...] | None = None

    def places(self, folded: bytes) -> dict[str, list[int]]:
        """Word → where it begins in a text in small letters, for each word in it, in order.

        Of a word of more than eight letters it is the first eight that stand there.
        """
        found: dict[str, list[int]] = {}
        for start in range(0, len(folded) if self._grams else 0, _PART):
            part = folded[start : start + _PART + self._longest]
            for word, places in self._places(part).items():
                found.setdefault(word, []).extend(start + at for at in places if at < _PART)
        return {word: places for word, places in found.items() if places}

    def _places(self, folded: bytes) -> dict[str, list[int]]:
        """The same of a part."""
        import numpy as np

        tables, lengths = self._made = self._made or self._tables()
        data = folded + b"\0" * _BEGINNING
        size = len(folded)
        hits = _candidates(data, size, tables)
        four = np.ndarray((size,), "<u4", data, strides=(1,))[hits]  # the letters at each place
        begin = np.ndarray((size,), "<u8", data, strides=(1,))
        found: dict[str, list[int]] = {}
        for mask, known, grams in lengths:
            held = four & mask
            index = known.searchsorted(held)
            same = (known[index] == held).nonzero()[0]
            index = index[same]
            order = index.argsort(kind="stable")
            counts = np.bincount(index, minlength=len(grams))
            stops = counts.cumsum().tolist()
            at = hits[same[order]]
            for number in counts.nonzero()[0].tolist():
                places = at[stops[number] - counts[number] : stops[number]]
                for word, offset, whole, letters in grams[number]:
                    begins = places - offset if offset else places
                    if offset or len(word) > LETTERS:
                        begins = begins[begins >= 0]
                        begins = begins[(begin[begins] & whole) == letters]
                    if len(begins):
                        found[word] = begins.tolist()
        return found

    def _tables(self) -> tuple[Any, ...]:
        """(for each set and letter the groups it may belong to, the words by length of gram)."""
        tables = [[bytearray(256) for _ in range(LETTERS)] for _ in range(_SETS)]
        for number, word in enumerate(self._grams):  # neighbours begin with the same letters
            which, bit = divmod(number * _SETS * _GROUPS // len(self._grams), _GROUPS)
            for at in range(LETTERS):
                for code in word[at].encode() if at < len(word) else range(256):
                    tables[which][at][code] |= 1 << bit
        made = [[bytes(table) for table in one] for one in tables]
        return made, [self._of(size) for size in sorted({len(word) for word in self._grams})]

    def _of(self, size: int) -> tuple[Any, ...]:
        """The grams of a length as numbers: the bits that count, sorted, the words of each."""
        import numpy as np

        grams = sorted(
            (int.from_bytes(one.encode(), "little"), one) for one in self._grams if len(one) == size
        )
        mask = np.uint32((1 << (8 * size)) - 1)
        known = np.array([*(code for code, _ in grams), 0xFFFFFFFF], np.uint32)  # the last is none
        words = [[_compared(word, one) for word in self._by[one]] for _, one in grams]
        return mask, known, words


def _compared(word: str, short: str) -> tuple[str, int, Any, Any]:
    """(a word, how far into it its gram stands, the bits of its beginning, these as a number)."""
    import numpy as np

    begin = word[:_BEGINNING].encode()
    letters = int.from_bytes(begin, "little")
    return word, word.index(short), np.uint64((1 << (8 * len(begin))) - 1), np.uint64(letters)


def _candidates(data: bytes, size: int, tables: Any) -> Places:
    """The places where four letters may be those of a gram."""
    import numpy as np

    may: Any = None
    for one in tables:
        here: Any = None
        for at, table in enumerate(one):
            codes = np.frombuffer(data.translate(table), np.uint8)[at : size + at]
            here = codes if here is None else here & codes
        may = here if may is None else may | here
    places: Places = (may != 0).nonzero()[0]
    return places
