"""Names and rules that others wrote, made safe for a line of Loom's own.

Such a line says whose text follows and what the text counts for; a name that holds the line's
closing bracket, or words that read on like the line, could change what it says. A plain path stands
as it is, any other name as a JSON string without brackets: no reader takes it for Loom's words."""

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
    """Return a path if short and plain, else a JSON string of its end, in `most` characters."""
    plain = len(path) <= most and _PLAIN.fullmatch(path)
    return path if plain else _quoted_end(encodable(path), most)


def key_or_quoted(key: str) -> str:
    """Return the key of a memory or skill text as it is where it is words, a path or an import,
    else as a JSON string of its end."""
    return key if _PLAIN_KEY.fullmatch(key) else _quoted_end(encodable(key), NAME_CHARS)


def without_square_brackets(text: str) -> str:
    """Return a text with round brackets in place of square ones, so that others' words cannot close
    the brackets around a line of Loom's own."""
    return text.translate(_BRACKETS)


def _quoted_end(text: str, most: int) -> str:
    """Return the end of a text as a JSON string of at most `most` characters, with "…" in front
    where the text was longer."""
    signs = [_escape_sign(sign) for sign in text[-most:]]
    kept = _signs_that_fit(reversed(signs), most - 3)[::-1]
    return f'"{"…" * (len(kept) < len(text))}{"".join(kept)}"'


def _signs_that_fit(signs: Iterable[str], most: int) -> list[str]:
    """Return the first `signs` (characters as JSON spells them) that fit into `most` characters."""
    kept: list[str] = []
    for sign in signs:
        most -= len(sign)
        if most < 0:
            break
        kept.append(sign)
    return kept


def _escape_sign(sign: str) -> str:
    """Return a character as JSON spells it; square brackets and unprintable ones escaped."""
    if sign in "[]":
        return f"\\u{ord(sign):04x}"
    return json.dumps(sign, ensure_ascii=not sign.isprintable())[1:-1]
