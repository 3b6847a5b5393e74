"""The spellings of a secret in a file: patterns over bytes that find every one of them.

A value is found unchanged, with escapes of JSON (also of JSON in JSON), percent-encoded, with
terminal sequences between its letters, in UTF-16 and UTF-32, in hexadecimal digits, and in base64.
In base64 it may begin at any of the three bytes of a group.

A part of a value is found as well. A piece of `PART` bytes identifies its value and is found
anywhere. A shorter beginning is found only if the text was cut off after it. It must have at least
half of the value and be no plain word: `blue-ho` of `blue-horse-42`, but not `blue`."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Iterable
from typing import Any

from msgspec import json

from loom.lazy import lazy_re
from loom.redact.likely_secrets import strange_share

# The sign that begins a sequence of a terminal; a text made one line has a blank for it, or none.
_ESCAPE = rb"(?:\x1b|\\+u001[bB]|\\+x1[bB]|\\+033|\\+e|\xef\xbf\xbd|[ ?])?"
_SEQUENCE = rb"%b\[[0-9;:?]*[ -/]*[@-~]|__[0-9_]*[A-Za-z]" % _ESCAPE
# Between two letters: what a terminal does not show, or the blank that is left of it in a line, and
# the empty bytes of wide characters, as JSON and Python write them too.
_GAP = rb"(?: |(?:\x00|\\+u0000|\\+x00|%b)*)" % _SEQUENCE
_BREAK = rb"(?:\\+[rn]|[\r\n])*"  # between two letters of base64
_OWN = {"\\": rb"\\+", "\n": rb"\\+n", "\r": rb"\\+r", "\t": rb"\\+t"}  # what JSON makes of it
_PARTS = re.compile(r"\s+|\S")
_SHELL = "'\"\\"  # what a shell takes out of a word: the line of a command that was run is without
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
_BASE64 = rb"[A-Za-z0-9+/_-]"


def spelling_pattern(value: str) -> bytes:
    """Return a pattern over bytes that matches every spelling of the text `value`."""
    data = value.encode("utf-8", "surrogatepass")
    loose = sum(letter not in _SHELL for letter in value) >= LEAST
    plain = _GAP.join(
        _part_pattern(part) + b"?" * (loose and part in _SHELL) for part in _PARTS.findall(value)
    )
    forms = [plain, _hex_pattern(data), *(_base64_pattern(data, at) for at in range(3))]
    if not value.isascii():
        forms += [
            exact_pattern(value.encode(code, "surrogatepass"))
            for code in ("utf-16-le", "utf-16-be")
        ]
    return b"|".join(forms)


def _part_pattern(part: str) -> bytes:
    """Return a pattern for one letter, or for a run of blanks and line ends, which also matches one
    blank."""
    as_it_is = _GAP.join(map(_letter_pattern, part))
    return rb"(?:%b|%b)" % (as_it_is, _letter_pattern(" ")) if part.isspace() else as_it_is


def _letter_pattern(letter: str) -> bytes:
    r"""Return a pattern for one letter: itself, escaped (`\n`), as a number (`\u000a`) or
    percent-encoded."""
    data = letter.encode("utf-8", "surrogatepass")
    forms = [_OWN.get(letter, b""), rb"\\*" * (letter in '"/') + exact_pattern(data)]
    units = letter.encode("utf-16-be", "surrogatepass")
    numbers = (units[at : at + 2] for at in range(0, len(units), 2))
    forms.append(b"".join(rb"\\+u" + _hex_digits_pattern(unit) for unit in numbers))
    forms.append(b"".join(b"%" + _hex_digits_pattern(bytes([byte])) for byte in data))
    if letter == " ":
        forms.append(rb"\+")
    return b"(?:" + b"|".join(filter(None, forms)) + b")"


def exact_pattern(data: bytes) -> bytes:
    """Return a pattern, in ASCII, that matches exactly these bytes."""
    return b"".join(re.escape(bytes([byte])) if byte < 128 else rb"\x%02x" % byte for byte in data)


def _hex_digits_pattern(data: bytes) -> bytes:
    """Return a pattern for bytes written as hexadecimal digits, in upper or lower case."""
    return b"".join(
        f"[{digit}{digit.upper()}]".encode() if digit.isalpha() else digit.encode()
        for digit in data.hex()
    )


def _hex_pattern(data: bytes) -> bytes:
    r"""Return a pattern for bytes written as hexadecimal digits, with or without a blank, `:` or
    `\x` between two bytes."""
    return rb"(?:[ :]|\\+x)?".join(_hex_digits_pattern(bytes([byte])) for byte in data)


def _base64_pattern(data: bytes, at: int) -> bytes:
    """Return a pattern for `data` written in base64. `at` (0 to 2) is the position of the first
    byte in its group of three bytes."""
    letters = b64encode(bytes(at) + data)
    first, bits = (0, 2, 3)[at], 8 * (at + len(data))
    core = _BREAK.join(_base64_letter_pattern(letter) for letter in letters[first : bits // 6])
    before = (_BASE64 + b"?" + _BREAK) if at else b""
    after = (_BREAK + _BASE64 + b"?") if bits % 6 else b""
    return before + core + after


def _base64_letter_pattern(letter: int) -> bytes:
    """Return a pattern for one letter of base64, in the standard or the URL alphabet, plain,
    escaped or percent-encoded."""
    forms = {ord("+"): rb"(?:[+-]|%2[bB])", ord("/"): rb"(?:\\*/|_|%2[fF])"}
    return forms.get(letter, re.escape(bytes([letter])))


def cut_beginnings(value: str) -> list[str]:
    """Return the beginnings of a value to search for where a text was cut off, the longest
    first."""
    least = max(LEAST, (len(value) + 1) // 2)
    sizes = range(len(value) - 1, least - 1, -1)
    pieces = (value[:size] for size in sizes)
    return [one for one in pieces if len(_utf8(one)) < PART and not is_word(one)]


def is_word(text: str) -> bool:
    """Return True if the text is one word of a natural language, perhaps followed by
    punctuation."""
    found = _WORD.fullmatch(text)
    return found is not None and found[1].isalpha() and strange_share(found[1]) < ODD


def may_begin_word(before: bytes) -> bool:
    """Return True if a word may begin directly after the bytes `before`."""
    return not before[-1:].isalnum() or _ESCAPED.search(before[-8:]) is not None


class SecretPieces:
    """A finder of pieces of `values`: of parts long enough to identify a value, and of the
    beginning of a value where a text was cut off.

    `compiled` is a function that compiles a pattern over bytes."""

    def __init__(self, values: Iterable[str], compiled: Callable[[bytes], Any]) -> None:
        self._values = {_utf8(value): value for value in values}
        self._telling = {
            value[at : at + PART]
            for value in self._values
            if len(value) > PART
            for at in range(len(value) - PART + 1)
        }
        begun = {
            _utf8(piece): value
            for value in reversed(self._values.values())
            for piece in cut_beginnings(value)
        }
        self._begun = {piece: begun[piece] for piece in sorted(begun, key=lambda one: -len(one))}
        telling, cut = sorted(map(exact_pattern, self._telling)), [*map(exact_pattern, self._begun)]
        as_json = (json.encode(one.decode())[1:-1] for one in self._begun if one.isascii())
        self.forms = [*telling, *cut, *map(exact_pattern, as_json)]
        parts = [b"|".join(telling), b"(?:%b)%b" % (b"|".join(cut), CUT) if cut else b""]
        self._pattern = compiled(b"|".join(filter(None, parts))) if self.forms else None

    def replace_pieces(self, data: bytes, mark: Callable[[str], bytes]) -> bytes:
        """Return the bytes with each piece of a value replaced by `mark(value)`."""
        at = 0
        while self._pattern is not None and (found := self._pattern.search(data, at)):
            start, at, value = self._widen_piece(data, found[0], found.start())
            if value is not None and may_begin_word(data[max(start - 16, 0) : start]):
                new = mark(value)
                data, at = data[:start] + new + data[at:], start + len(new)
        return data

    def _widen_piece(self, data: bytes, piece: bytes, start: int) -> tuple[int, int, str | None]:
        """Return (start, end, value) of a found piece, widened by neighbouring bytes of the same
        value. The value is None if the match turns out to be no piece."""
        end = start + len(piece)
        if piece not in self._telling:
            piece = next(one for one in self._begun if piece.startswith(one))
            end = start + len(piece)
            quoted = data[:start].endswith(b'"') and data[end : end + 1] in (b'"', b"\\")
            return start, end, None if quoted else self._begun[piece]
        values = [one for one in self._values if piece in one]
        while end < len(data) and any(data[start : end + 1] in one for one in values):
            end += 1
        while start and any(data[start - 1 : end] in one for one in values):
            start -= 1
        value = next(self._values[one] for one in values if data[start:end] in one)
        return start, end, None if data[end : end + 1].isalnum() else value


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
