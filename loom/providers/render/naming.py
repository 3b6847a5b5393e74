"""Names and rules that others wrote, as they may stand in a line of Loom's own.

Such a line says whose text follows and what it counts for; a name that holds its closing bracket,
or words that read on like it, would say so in its place. A plain path stands as it is, any other
name as a JSON string without brackets: no reader takes what is in it for what Loom says.
"""

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
    """A path as it is where it is short and plain, else as JSON; at most `most` characters."""
    plain = len(path) <= most and _PLAIN.fullmatch(path)
    return path if plain else _quoted_end(encodable(path), most)


def key_or_quoted(key: str) -> str:
    """The key of a text of the head: words, a path or an import as they are, else as `named`."""
    return key if _PLAIN_KEY.fullmatch(key) else _quoted_end(encodable(key), NAME_CHARS)


def without_square_brackets(text: str) -> str:
    """Words of others, with round brackets for square ones: it ends no line of Loom's own."""
    return text.translate(_BRACKETS)


def _quoted_end(text: str, most: int) -> str:
    signs = [_escape_sign(sign) for sign in text[-most:]]
    kept = _signs_that_fit(reversed(signs), most - 3)[::-1]
    return f'"{"…" * (len(kept) < len(text))}{"".join(kept)}"'


def _signs_that_fit(signs: Iterable[str], most: int) -> list[str]:
    """The first of some signs, as many as stand in `most` characters."""
    kept: list[str] = []
    for sign in signs:
        most -= len(sign)
        if most < 0:
            break
        kept.append(sign)
    return kept


def _escape_sign(sign: str) -> str:
    if sign in "[]":
        return f"\\u{ord(sign):04x}"
    return json.dumps(sign, ensure_ascii=not sign.isprintable())[1:-1]
