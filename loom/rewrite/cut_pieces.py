"""The beginnings of values, where a text ends or was cut: what is left there of a value.

A piece of `PART` bytes tells its value wherever it stands. A shorter one counts only where
something was cut off behind it, from half of the value on, and when it is no plain word: `blue-ho`
of `blue-horse-42`, but not `blue`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from msgspec import json

from loom.lazy import lazy_re
from loom.redact.likely import strange
from loom.rewrite.spellings import exact

PART = 12  # bytes of a value that tell it where they stand alone
LEAST = 6  # characters of a beginning, at least; and half of the value
ODD = 0.3  # share of strange neighbours from which letters are no word: as in `likely.is_made`
_WORD = lazy_re(r"(\w*[^\W\d_])[\W_]*")
_ESCAPED = lazy_re(rb"\\[nrt]$|(?<![A-Za-z0-9])[0-9;]{1,6}m$")  # or what is left of a colour
# What stands behind what was cut: the end; the end of a text in JSON; marks of a cut, Loom's own
# and those of tools, perhaps on a line of their own.
CUT = (
    rb"(?:\\+[nrt]|\s)*(?:\z|\\*\"[\s]*(?:[,}\]]|\z)|\xe2\x80\xa6|\\+u2026|\.\.\."
    rb"|\[(?:lines? |\.\.\.|\xe2\x80\xa6|[a-z ]*truncated|snip|cut)|[<(][a-z ]*truncated)"
)


def beginnings_of(value: str) -> list[str]:
    """The beginnings of a value that are looked for where a text was cut, the longest first."""
    least = max(LEAST, (len(value) + 1) // 2)
    sizes = range(len(value) - 1, least - 1, -1)
    pieces = (value[:size] for size in sizes)
    return [one for one in pieces if len(_bytes(one)) < PART and not is_word(one)]


def is_word(text: str) -> bool:
    """True for one word as languages have it, with or without signs behind it."""
    found = _WORD.fullmatch(text)
    return found is not None and found[1].isalpha() and strange(found[1]) < ODD


def starts(before: bytes) -> bool:
    """True when a word may begin behind these bytes."""
    return not before[-1:].isalnum() or _ESCAPED.search(before[-8:]) is not None


class CutPieces:
    """Finds the beginnings of `values` (each with its kind) where a text was cut.

    `compiled` makes a pattern of bytes; `forms` are patterns without one of which there are none.
    """

    def __init__(self, values: Mapping[str, str], compiled: Callable[[bytes], Any]) -> None:
        pieces = {piece: value for value in reversed([*values]) for piece in beginnings_of(value)}
        ordered = sorted(pieces, key=lambda one: (-len(one), one))
        self._value_of = {_bytes(piece): pieces[piece] for piece in ordered}
        self.forms = sorted({form for piece in ordered for form in _forms(piece)})
        found = b"(" + b"|".join(map(exact, self._value_of)) + b")" + CUT
        self._pattern = compiled(found) if pieces else None

    def replaced(self, data: bytes, mark: Callable[[str], bytes]) -> bytes:
        """The bytes with `mark(value)` in place of each beginning that was left of a value."""
        at = 0
        while self._pattern is not None and (found := self._pattern.search(data, at)):
            start, end = found.span(1)
            at = end
            before = data[max(start - 16, 0) : start]
            quoted = before.endswith(b'"') and data[end : end + 1] in (b'"', b"\\")
            if starts(before) and not quoted:
                new = mark(self._value_of[found[1]])
                data, at = data[:start] + new + data[end:], start + len(new)
        return data


def _forms(piece: str) -> Iterable[bytes]:
    """Patterns of a beginning as it is, and as JSON has it."""
    yield exact(_bytes(piece))
    if piece.isascii():
        yield exact(json.encode(piece)[1:-1])


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
