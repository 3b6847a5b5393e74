"""How a secret may be spelled where it rests: patterns over bytes that find every spelling of it.

As it is, with escapes of JSON (also of JSON in JSON), percent-encoded, with sequences of a terminal
between its letters, in UTF-16 and UTF-32, in hexadecimal digits, and in base64 at each of the three
places of a group of letters where it may begin.
"""

from __future__ import annotations

import re
from base64 import b64encode

# The sign that begins a sequence of a terminal; a text made one line has a blank for it, or none.
_ESCAPE = rb"(?:\x1b|\\+u001[bB]|\\+x1[bB]|\\+033|\\+e|\xef\xbf\xbd|[ ?])?"
_SEQUENCE = rb"%b\[[0-9;:?]*[ -/]*[@-~]|__[0-9_]*[A-Za-z]" % _ESCAPE
# Between two letters: what a terminal does not show, or the blank that is left of it in a line, and
# the empty bytes of wide characters, as JSON and Python write them too.
_GAP = rb"(?: |(?:\x00|\\+u0000|\\+x00|%b)*)" % _SEQUENCE
_BREAK = rb"(?:\\+[rn]|[\r\n])*"  # between two letters of base64
_OWN = {"\\": rb"\\+", "\n": rb"\\+n", "\r": rb"\\+r", "\t": rb"\\+t"}  # what JSON makes of it
_PARTS = re.compile(r"\s+|\S")
_BASE64 = rb"[A-Za-z0-9+/_-]"


def spelled(value: str) -> bytes:
    """A pattern of bytes for every spelling of a text."""
    data = value.encode("utf-8", "surrogatepass")
    plain = _GAP.join(map(_blank_or_letter, _PARTS.findall(value)))
    forms = [plain, _hexadecimal(data), *(_based(data, at) for at in range(3))]
    if not value.isascii():
        forms += [exact(value.encode(code, "surrogatepass")) for code in ("utf-16-le", "utf-16-be")]
    return b"|".join(forms)


def _blank_or_letter(part: str) -> bytes:
    """A letter, or blanks and line ends between two: as they are, or one blank, as facts and other
    texts that are put on one line have them."""
    as_it_is = _GAP.join(map(_letter, part))
    return rb"(?:%b|%b)" % (as_it_is, _letter(" ")) if part.isspace() else as_it_is


def _letter(letter: str) -> bytes:
    """One letter: itself, escaped, by its number, or percent-encoded."""
    data = letter.encode("utf-8", "surrogatepass")
    forms = [_OWN.get(letter, b""), rb"\\*" * (letter in '"/') + exact(data)]
    units = letter.encode("utf-16-be", "surrogatepass")
    numbers = (units[at : at + 2] for at in range(0, len(units), 2))
    forms.append(b"".join(rb"\\+u" + _digits(unit) for unit in numbers))
    forms.append(b"".join(b"%" + _digits(bytes([byte])) for byte in data))
    if letter == " ":
        forms.append(rb"\+")
    return b"(?:" + b"|".join(filter(None, forms)) + b")"


def exact(data: bytes) -> bytes:
    """Bytes as they are, in a pattern of ASCII."""
    return b"".join(re.escape(bytes([byte])) if byte < 128 else rb"\x%02x" % byte for byte in data)


def _digits(data: bytes) -> bytes:
    """Bytes in hexadecimal digits of either case."""
    return b"".join(
        f"[{digit}{digit.upper()}]".encode() if digit.isalpha() else digit.encode()
        for digit in data.hex()
    )


def _hexadecimal(data: bytes) -> bytes:
    return rb"(?:[ :]|\\+x)?".join(_digits(bytes([byte])) for byte in data)


def _based(data: bytes, at: int) -> bytes:
    """Base64 of it, `at` bytes into a group; letters that hold part of a neighbour go too."""
    letters = b64encode(bytes(at) + data)
    first, bits = (0, 2, 3)[at], 8 * (at + len(data))
    core = _BREAK.join(_based_letter(letter) for letter in letters[first : bits // 6])
    before = (_BASE64 + b"?" + _BREAK) if at else b""
    after = (_BREAK + _BASE64 + b"?") if bits % 6 else b""
    return before + core + after


def _based_letter(letter: int) -> bytes:
    """A letter of base64, in either alphabet, escaped or percent-encoded."""
    forms = {ord("+"): rb"(?:[+-]|%2[bB])", ord("/"): rb"(?:\\*/|_|%2[fF])"}
    return forms.get(letter, re.escape(bytes([letter])))
