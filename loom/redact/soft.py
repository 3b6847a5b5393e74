r"""A text with its usual escapes read in place: `\n` as line ends, `\"` as quotes, none moves.

All characters of an escape become what it stands for, also where JSON in JSON has more than one
backslash before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from loom.lazy import lazy_re
from loom.redact.excerpts import SMALL

if TYPE_CHECKING:
    from numpy.typing import NDArray

_READ = {'"': '"', "'": "'", "n": "\n", "r": "\n", "t": "\t"}
_DEEP = 8  # backslashes before one character: four JSONs, each in another
_ESCAPE = lazy_re(rf"""\\{{1,{_DEEP}}}(?P<letter>["'nrt])""")
_PART, _LONG = 4_096, 1_000_000  # characters of a part at least; where all is ASCII
_WIDE = "utf-32-le"


def softened(text: str) -> str:
    """The text with escaped quotes, line ends and tabs read in place."""
    if "\\" not in text:
        return text
    if len(text) < SMALL:
        return _ESCAPE.sub(lambda found: _READ[found["letter"]] * len(found[0]), text)
    # One character that needs more bytes would make those of all the text slow to read.
    parts = _parts(text, _LONG if text.isascii() else _PART)
    return "".join(_ascii(part) if part.isascii() else _wide(part) for part in parts)


def _parts(text: str, size: int) -> Iterator[str]:
    """A text in parts, none of which ends within an escape."""
    at = 0
    while at < len(text):
        end = min(text.find("\n", at + size, at + 2 * size) + 1 or at + 2 * size, len(text))
        while end < len(text) and text[end - 1] == "\\":
            end += 1
        yield text[at:end]
        at = end


def _ascii(text: str) -> str:
    """The same of a text in ASCII."""
    import numpy as np

    if "\\" not in text:
        return text
    codes: NDArray[Any] = np.frombuffer(bytearray(text.encode()), np.uint8)
    return _read(codes).tobytes().decode("ascii")


def _wide(text: str) -> str:
    """The same of any text."""
    import numpy as np

    if "\\" not in text:
        return text
    codes: NDArray[Any] = np.frombuffer(bytearray(text.encode(_WIDE, "surrogatepass")), np.uint32)
    return _read(codes).tobytes().decode(_WIDE, "surrogatepass")


def _read(codes: NDArray[Any]) -> NDArray[Any]:
    """The codes of a text with its escapes read, changed in place."""
    import numpy as np

    slashes = np.flatnonzero(codes[:-1] == ord("\\"))
    table = np.zeros(256, codes.dtype)
    for letter, sign in _READ.items():
        table[ord(letter)] = ord(sign)
    behind = codes[slashes + 1]
    read = np.where(behind < 256, table[np.minimum(behind, 255)], 0)
    slashes, read = slashes[read > 0], read[read > 0]
    codes[slashes + 1] = read
    for _ in range(_DEEP):
        codes[slashes] = read
        more = (slashes > 0) & (codes[slashes - 1] == ord("\\"))
        slashes, read = slashes[more] - 1, read[more]
        if not len(slashes):
            break
    return codes
