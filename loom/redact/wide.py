"""Texts in wide characters: UTF-16 with or without its mark, and letters with NULs between them."""

from __future__ import annotations

from codecs import BOM_UTF16_BE, BOM_UTF16_LE

from loom.lazy import lazy_re

_LITTLE, _BIG, _NARROW = (
    ("utf-16-le", "surrogatepass"),
    ("utf-16-be", "surrogatepass"),
    ("utf-8", "surrogateescape"),
)
_SAMPLE = 4_096  # bytes that are looked at; an even number
_LEAST = 8  # NULs of those
_APART = lazy_re(r"[^\0](?P<gap>\0{1,3})[^\0](?:(?P=gap)[^\0])*")
# Letters of ASCII in UTF-16, whatever stands before and behind them.
WIDE = lazy_re(rb"(?:[\t\n\r -~]\0){8,}|(?:\0[\t\n\r -~]){8,}")


def encoding_of(data: bytes) -> tuple[str, str, int]:
    """(encoding, how what is no text is kept, bytes of it): so decoded they are encoded again
    exactly, and what is left is half a character.

    UTF-16 by the mark it begins with, or when its every second byte is NUL more often than not.
    """
    head = data[:_SAMPLE]
    first, second = head[::2].count(0), head[1::2].count(0)
    if data.startswith(BOM_UTF16_LE) or (second >= _LEAST and second > 8 * first):
        return *_LITTLE, len(data) // 2 * 2
    if data.startswith(BOM_UTF16_BE) or (first >= _LEAST and first > 8 * second):
        return *_BIG, len(data) // 2 * 2
    return *_NARROW, len(data)


def wide(mark: str, secret: str) -> str:
    """The mark, with NULs between its letters where a secret had them, so that what follows stays
    in step."""
    found = _APART.fullmatch(secret) if "\0" in secret else None
    return found["gap"].join(mark) if found else mark
