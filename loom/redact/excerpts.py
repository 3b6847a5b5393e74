"""The parts of a text that a kind of rule has to search, put together, and where each stood.

Of a large text few characters can belong to a secret: runs of the letters of tokens, lines with a
word such as `password`, lines with options of commands. One pass of numpy finds each sort; the
rules of the sort, of which there are many, then search a tenth of the text. The pass looks at four
characters at each place; what it takes for a word and is none costs time and changes nothing.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # a small text needs none
    import numpy as np
    from numpy.typing import NDArray

SMALL = 400  # characters: a smaller text is searched whole
RUN = 16  # characters of the shortest token
_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+/=.~:!$"
_BREAK = "\n\x01\n"  # between two parts; no rule matches across it
# Words of names, by the four or three letters that tell them; and what else begins a rule.
_FOURS = (
    "pass ecre oken sess bear asic cred auth ogin igna salt cook nemo phra reco cove back scra merg"
    " denti ser: lplu &sig ?sig in w user acco keys totp comm tifi genk"
).split(" ")
_THREES = ("key", "pwd", "pw=", "pw:", 'pw"', "pw'", "pw]", "pw ", "jwt", "sid", "sas", "dsn", "?s=", "pin", "wif", "psk")
_PATS = ("pat=", "pat:", 'pat"', "pat'", "pat ", "&st=", "?st=", "ode=", "ash=", "mac=", "pid=")
BEFORE, AFTER = 200, 4_200  # characters around a hit in a line that has more


class Excerpt:
    """Parts of a text, joined; `span` gives the places they had."""

    __slots__ = ("_at", "_from", "text")

    def __init__(self, text: str, spans: Iterable[tuple[int, int]] | None = None) -> None:
        self._at: list[int] = []
        self._from: list[int] = []
        if spans is None:
            self.text = text
            return
        parts: list[str] = []
        size = 0
        for start, end in spans:
            self._at.append(size)
            self._from.append(start)
            parts.append(text[start:end])
            size += end - start + len(_BREAK)
        self.text = _BREAK.join(parts)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where in the text the characters from `start` to `end` stood."""
        if not self._at:
            return start, end
        part = bisect_right(self._at, start) - 1
        moved = self._from[part] - self._at[part]
        return start + moved, end + moved


def small_letters(text: str) -> str:
    """The text with A-Z made small, each character in its place, also where Unicode has two."""
    if text.isascii():
        return text.lower()
    return text.encode("latin-1", "replace").lower().decode("latin-1")


def token_runs(text: str, least: int = RUN) -> list[tuple[int, int]]:
    """Where runs of letters of tokens stand, of at least so many with a digit among them."""
    import numpy as np

    codes = _codes(text)
    held = np.zeros(256, bool)
    held[list(_LETTERS)] = True
    inside = np.zeros(len(codes) + 2, bool)
    np.take(held, codes, out=inside[1:-1])
    edges = np.flatnonzero(inside[1:] != inside[:-1])
    starts, ends = edges[::2], edges[1::2]
    long = ends - starts >= least
    starts, ends = starts[long], ends[long]
    digits = np.flatnonzero((codes >= 48) & (codes <= 57))
    has = np.searchsorted(digits, starts) < np.searchsorted(digits, ends)
    return list(zip(starts[has].tolist(), ends[has].tolist(), strict=True))


def tokens(text: str) -> Excerpt:
    """The runs of letters of tokens."""
    return Excerpt(text) if len(text) < SMALL else Excerpt(text, token_runs(text))


def named(folded: str) -> Excerpt:
    """The lines with words of names, and those after them, of a text in small letters."""
    if len(folded) < SMALL:
        return Excerpt(folded)
    import numpy as np

    data = folded.encode("latin-1", "replace")
    codes = np.frombuffer(data, np.uint8)
    at = np.ndarray((len(data) - 3,), "<u4", data, strides=(1,))  # four characters at each place
    fours, threes = _tables()
    hits = np.take(fours, _hashed(at)) | np.take(threes, _hashed(at & np.uint32(0xFFFFFF)))
    return Excerpt(folded, lines_of(codes, np.flatnonzero(hits), 2))


def options(text: str) -> Excerpt:
    """The lines with options of commands."""
    if len(text) < SMALL:
        return Excerpt(text)
    import numpy as np

    codes = _codes(text)
    dash = (codes[1:] == 45) | (codes[1:] == 47)
    hits = np.flatnonzero((codes[:-1] == 32) & dash)
    letters = codes[np.minimum(hits + 2, len(codes) - 1)]
    letters = np.where(letters == 45, codes[np.minimum(hits + 3, len(codes) - 1)], letters) | 32
    return Excerpt(text, lines_of(codes, hits[(letters >= 97) & (letters <= 122)], 1))


def near(text: str, hits: Iterable[int]) -> Excerpt:
    """The lines that hold the places, and those beside them."""
    import numpy as np

    codes = _codes(text)
    return Excerpt(text, lines_of(codes, np.fromiter(hits, np.int64), 2))


def _codes(text: str) -> NDArray[np.uint8]:
    import numpy as np

    return np.frombuffer(text.encode("latin-1", "replace"), np.uint8)


@cache
def _tables() -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """For four letters and for three, at the hash of each, if they tell a name."""
    import numpy as np

    tables = []
    for words in ((*(word[:4] for word in _FOURS), *_PATS), _THREES):
        table = np.zeros(1 << 16, bool)
        codes = [int.from_bytes(word.encode(), "little") for word in words]
        table[_hashed(np.array(codes, np.uint32))] = True
        tables.append(table)
    return tables[0], tables[1]


def _hashed(codes: NDArray[np.uint32]) -> NDArray[Any]:
    import numpy as np

    return (codes * np.uint32(2_654_435_761)) >> np.uint32(16)


def lines_of(codes: NDArray[np.uint8], hits: NDArray[Any], lines: int) -> Iterator[tuple[int, int]]:
    """Where the lines of hits begin, and where so many of them end, apart from one another.

    Of a line of more than `AFTER` characters it is what stands around the hit.
    """
    import numpy as np

    ends = np.append(np.flatnonzero(codes == 10), len(codes))
    line = np.searchsorted(ends, hits)
    starts = np.where(line > 0, ends[line - 1] + 1, 0)
    stops = ends[np.minimum(line + lines - 1, len(ends) - 1)]
    starts = np.maximum(starts, hits - BEFORE)
    stops = np.minimum(stops, hits + AFTER)
    if not len(starts):
        return
    reach = np.maximum.accumulate(stops)
    fresh = np.flatnonzero(starts[1:] > reach[:-1]) + 1
    first = np.concatenate(([0], fresh))
    last = np.concatenate((fresh, [len(starts)])) - 1
    yield from zip(starts[first].tolist(), reach[last].tolist(), strict=True)
