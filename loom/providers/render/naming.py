"""Names that others chose, made safe for use in one of Loom's own lines.

Such a line says whose text follows and how much it counts. A name that holds the line's closing
bracket, or words that read like the line, could change what it says. So only a plain path is shown
as it is; any other name becomes a JSON string without brackets, which no reader takes for Loom's
words."""

from __future__ import annotations

import json
from collections.abc import Iterable

from loom.lazy import lazy_re
from loom.text import encodable

NAME_CHARS = 120  # of a name that is quoted, quotes included; what is longer loses its front
_PATH = r"[\w.+@~/-]+"
_WORDS = r"[\w.-]+(?: [\w.-]+)*"
_PLAIN = lazy_re(_PATH)
_PLAIN_KEY = lazy_re(rf"{_PATH}|{_WORDS}|{_PATH} \(imported by {_PATH}\)")
_BRACKETS = str.maketrans("[]", "()")


def path_or_quoted(path: str, most: int = NAME_CHARS) -> str:
    """Return a path if it is short and has only plain characters; else a JSON string of its end, of
    at most `most` characters."""
    plain = len(path) <= most and _PLAIN.fullmatch(path)
    return path if plain else _quoted_end(encodable(path), most)


def key_or_quoted(key: str) -> str:
    """Return the key of a memory or skill text if it is words, a path or an import; else a JSON
    string of its end."""
    return key if _PLAIN_KEY.fullmatch(key) else _quoted_end(encodable(key), NAME_CHARS)


def without_square_brackets(text: str) -> str:
    """Return a text with round brackets in place of square ones."""
    # Loom's own lines stand in square brackets, which the text must not close.
    return text.translate(_BRACKETS)


def _quoted_end(text: str, most: int) -> str:
    """Return the end of a text as a JSON string of at most `most` characters; "…" begins a
    shortened string."""
    signs = [_escape_sign(sign) for sign in text[-most:]]
    kept = _signs_that_fit(reversed(signs), most - 3)[::-1]
    return f'"{"…" * (len(kept) < len(text))}{"".join(kept)}"'


def _signs_that_fit(signs: Iterable[str], most: int) -> list[str]:
    """Return the first of `signs` (characters in JSON's spelling) that take at most `most`
    characters together."""
    kept: list[str] = []
    for sign in signs:
        most -= len(sign)
        if most < 0:
            break
        kept.append(sign)
    return kept


def _escape_sign(sign: str) -> str:
    """Return a character in JSON's spelling, escaped if unprintable or a square bracket."""
    if sign in "[]":
        return f"\\u{ord(sign):04x}"
    return json.dumps(sign, ensure_ascii=not sign.isprintable())[1:-1]
