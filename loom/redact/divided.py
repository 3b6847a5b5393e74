"""A long text in parts that are searched one by one, each with what stands beside it.

What a search makes of a text is many times as large as the text. So a long one is divided, at
places where no run of letters of a token goes on, nor one of base64 in the next line. A secret is
found by the part it begins in, and that is searched to where the secret ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from loom.lazy import lazy_re

PART = 1_000_000  # characters that are searched at a time …
BESIDE = 16_384  # … and on each side of them: no rule reads as far
_EDGE = 256  # characters before the end of a part, up to which what ends there may go on
_RUN = "A-Za-z0-9+/=_-"
_LINE = lazy_re(rf"(?<=\n)(?![{_RUN}]{{60}})")
_WORD = lazy_re(rf"(?<=[^\s] )(?=[^\s])|(?<=[^\s{_RUN}])(?=[^\s{_RUN}])")

Span = tuple[int, int, str]  # where it starts, where it ends, the kind


def in_parts(
    text: str, search: Callable[[str], Iterable[Span]], size: int = PART
) -> Iterator[Span]:
    """What a search finds in a text, in parts of such a size."""
    first = 0
    while first < len(text):
        last = _seam(text, first + size)
        begin = _seam(text, first - BESIDE) if first > BESIDE else 0
        beside = BESIDE
        while True:
            end = _seam(text, last + beside)
            found = [
                (begin + start, begin + stop, kind) for start, stop, kind in search(text[begin:end])
            ]
            found = [span for span in found if first <= span[0] < last]
            if end == len(text) or all(span[1] < end - _EDGE for span in found):
                break
            beside *= 4
        yield from found
        first = last


def _seam(text: str, at: int) -> int:
    """The next place at which a text may be divided."""
    if at >= len(text):
        return len(text)
    seam = _LINE.search(text, at, at + BESIDE) or _WORD.search(text, at)
    return seam.start() if seam else len(text)
