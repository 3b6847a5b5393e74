"""Texts in bytes: in UTF-8, in UTF-16 with or without a byte order mark, and amid other bytes."""

from __future__ import annotations

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterator

_LITTLE, _BIG, _NARROW = (
    ("utf-16-le", "surrogatepass"),
    ("utf-16-be", "surrogatepass"),
    ("utf-8", "surrogateescape"),
)
_SAMPLE = 4_096  # bytes that are looked at; an even number
_LEAST = 8  # NULs of those
# Bytes that are compressed or encoded are letters by chance, and so is any pattern. One in ten is
# of these, of a text hardly any; one megabyte in five has a run of `RUN` letters.
_NO_TEXT = bytes({*range(1, 7), *range(14, 27), *range(28, 32), 127})
_FEW = 50  # one in so many
RUN = 16  # letters: hardly any secret is shorter

_LETTERS = frozenset({*range(32, 127), 9, 10, 13})
_KINDS = bytes(1 if one in _LETTERS else 2 if one == 0 else 0 for one in range(256))
# A letter by itself, before a NUL, and behind one.
WIDTHS = (b"\1", b"\1\2", b"\2\1")


def letter_runs(
    data: bytes, least: int = RUN, width: bytes = WIDTHS[0]
) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of each run of at least `least` printable ASCII characters, from left to
    right. `width`, one of `WIDTHS`, says whether each stands alone, before a NUL byte, or after a
    NUL byte."""
    kinds, begin = data.translate(_KINDS), width * least
    at = kinds.find(begin)
    while at >= 0:
        end = at + len(begin)
        while kinds.startswith(begin, end):
            end += len(begin)
        while kinds.startswith(width, end):
            end += len(width)
        yield at, end
        at = kinds.find(begin, end)


def change_text_in_bytes(
    data: bytes, encoding: str, errors: str, clean: Callable[[str], str]
) -> bytes:
    """Return the bytes with their text replaced by what `clean` returns for it. If the bytes as a
    whole are no text, only their runs of ASCII letters are replaced."""
    head = data[:_SAMPLE]
    odd = len(head) - len(head.translate(None, _NO_TEXT))
    if encoding == "utf-8" and odd * _FEW > len(head):
        parts: list[bytes] = []
        at = 0
        for start, end in letter_runs(data):
            parts += (data[at:start], clean(data[start:end].decode("ascii")).encode())
            at = end
        return b"".join((*parts, data[at:]))
    return clean(data.decode(encoding, errors)).encode(encoding, errors)


def byte_encoding(data: bytes) -> tuple[str, str, int]:
    """Return (encoding, error handler, number of bytes to decode) for bytes that may be a text.
    Decoding these bytes, and encoding them again, gives the same bytes. UTF-16 is recognized by its
    byte order mark, or because every second byte is NUL."""
    head = data[:_SAMPLE]
    first, second = head[::2].count(0), head[1::2].count(0)
    if data.startswith(BOM_UTF16_LE) or (second >= _LEAST and second > 8 * first):
        return *_LITTLE, len(data) // 2 * 2
    if data.startswith(BOM_UTF16_BE) or (first >= _LEAST and first > 8 * second):
        return *_BIG, len(data) // 2 * 2
    return *_NARROW, len(data)
