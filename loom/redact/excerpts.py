"""The parts of a text that a kind of rule has to search, put together, and where each stood.

Of a large text few characters can belong to a secret: runs of the letters of tokens, lines with a
word such as `password`, lines with options of commands. One pass of numpy finds each sort; the
rules of the sort, of which there are many, then search a tenth of the text. A pass may take a part
too many, which costs time and changes nothing; it never leaves out one that a rule could match in.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:  # a small text needs none
    import numpy as np
    from numpy.typing import NDArray

Parts: TypeAlias = list[tuple[int, int]]
SMALL = 250  # characters: a smaller text is searched whole
RUN = 16  # characters of the shortest token
_TOKEN, _LETTER, _DIGIT = 1, 2, 4  # classes of characters, as bits
_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_SIGNS = b"_-+/=.~:!$"
BREAK = "\n\x01\n"  # between two parts; no rule matches across it
BEFORE, AFTER = 200, 4_200  # characters around a hit in a line that has more


class Excerpt:
    """Parts of a text, joined; `span` gives the places they had."""

    __slots__ = ("_at", "_from", "text")

    def __init__(self, text: str, parts: Parts | None = None) -> None:
        self._at = array("q")
        self._from = array("q")
        if parts is None:
            self.text = text
            return
        size = 0
        for start, end in parts:
            self._at.append(size)
            self._from.append(start)
            size += end - start + len(BREAK)
        self.text = BREAK.join([text[start:end] for start, end in parts])

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
    return latin(text).lower().decode("latin-1")


def latin(text: str) -> bytes:
    """A byte for each character: those of Latin-1 as they are, a question mark for others."""
    return text.encode("latin-1", "replace")


def _classes() -> bytes:
    """For each character the classes it is in."""
    classes = bytearray(256)
    for letters, bits in (
        (_LETTERS, _TOKEN | _LETTER),
        (b"0123456789", _TOKEN | _DIGIT),
        (_SIGNS, _TOKEN),
    ):
        for code in letters:
            classes[code] = bits
    return bytes(classes)


_CLASSES = _classes()


def token_runs(data: bytes) -> Parts:
    """Where runs of `RUN` letters of tokens stand, with a digit or as many letters on end."""
    import numpy as np

    classes = np.frombuffer(data.translate(_CLASSES), np.uint8)
    on_end, step = classes, 1
    while step < RUN:  # at each place, the classes that all so many characters from it are in
        on_end = on_end[:-step] & on_end[step:]
        step *= 2
    # Bytes alone: a place of each character would take eight times as much as the text.
    ends = _with([0], (on_end != 0).view(np.int8), [0])
    edges = (ends[1:] != ends[:-1]).nonzero()[0]  # in turn where a run begins, and is over
    if not len(edges):
        return []
    starts, stops = edges[::2], edges[1::2] + RUN - 1
    held = _any(classes & _DIGIT, starts, stops) | _any(on_end & _LETTER, starts, edges[1::2])
    return list(zip(starts[held].tolist(), stops[held].tolist(), strict=True))


def _any(codes: NDArray[Any], starts: NDArray[Any], stops: NDArray[Any]) -> NDArray[Any]:
    """For each part from a start to a stop, apart and in order, whether a code in it is not 0."""
    import numpy as np

    bounds = np.column_stack((starts, stops)).ravel()
    if bounds[-1] == len(codes):
        bounds = bounds[:-1]
    return np.maximum.reduceat(codes, bounds)[::2] > 0


def signs(classes: bytes) -> list[int]:
    """The places of the bytes that are not 0."""
    import numpy as np

    return np.frombuffer(classes, np.bool_).nonzero()[0].tolist()


def word_lines(data: bytes, hits: Sequence[int], lines: int) -> Parts:
    """So many lines from the line of each hit."""
    import numpy as np

    return lines_of(np.frombuffer(data, np.uint8), np.array(hits, np.int64), lines)


def near(text: str, hits: Iterable[int]) -> Excerpt:
    """The lines that hold the places, and those beside them."""
    import numpy as np

    codes = np.frombuffer(latin(text), np.uint8)
    return Excerpt(text, lines_of(codes, np.fromiter(hits, np.int64), 2))


def _with(first: Iterable[int], places: NDArray[Any], last: Iterable[int]) -> NDArray[Any]:
    """The places with some before and some behind them."""
    import numpy as np

    kind = places.dtype
    return np.concatenate((np.array([*first], kind), places, np.array([*last], kind)))


def lines_of(
    codes: NDArray[np.uint8],
    hits: NDArray[Any],
    lines: int,
) -> Parts:
    """Where the lines of hits begin, and where so many of them end, apart from one another.

    Of a line of more than `AFTER` characters it is what stands around the hit.
    """
    import numpy as np

    if not len(hits):
        return []
    ends = _with([], (codes == 10).nonzero()[0], [len(codes)])
    line = ends.searchsorted(hits)
    starts = np.where(line > 0, ends[line - 1] + 1, 0)
    stops = ends[np.minimum(line + lines - 1, len(ends) - 1)]
    starts = np.maximum(starts, hits - BEFORE)
    stops = np.minimum(stops, hits + AFTER)
    reach = np.maximum.accumulate(stops)
    fresh = (starts[1:] > reach[:-1]).nonzero()[0] + 1
    first = _with([0], fresh, [])
    last = _with([], fresh - 1, [len(starts) - 1])
    return list(zip(starts[first].tolist(), reach[last].tolist(), strict=True))
