"""Text of others with the session's mark removed, so that it cannot look like one of Loom's blocks.

The mark is the word by which the model recognizes Loom's blocks. Only the text in the window is
changed; pages and journal keep every byte."""

from __future__ import annotations

import re
from functools import lru_cache

from loom.lazy import lazy_re

KELVIN = "\u212a"  # the sign of the unit, a k in another case
HELD = "…"  # one token, and a mark is two or more
# Characters that are not seen, so that a mark with some of them inside looks the same.
_UNSEEN = (
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u0300-\u036f\u061c\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0"
    "\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e01ef]*"
)
_GAP = _UNSEEN.replace("]*", " \t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]*")
# The headings of `wording.SECTIONS`, at the beginning of a line.
_HEADED = lazy_re(
    rf"(?:(?<=[\n\r\v\f\x85\u2028\u2029])|\A)(?={_GAP}#{_GAP}"
    rf"(?:{'|'.join(_UNSEEN.join(word) for word in ('memory', 'skill'))}){_GAP}:)",
    re.IGNORECASE,
)


def neutral(text: str, mark: str) -> str:
    """Return a text with "…" in place of each `mark`, the word by which the model recognizes Loom's
    own blocks. An empty mark changes nothing."""
    return _mark_pattern(mark).sub(HELD, text) if mark else text


def neutralize_headings(text: str) -> str:
    """Return a text with "…" before each line that looks like one of Loom's own headings, such as
    "# Memory: …"."""
    return _HEADED.sub(HELD, text)


@lru_cache(maxsize=64)
def _mark_pattern(mark: str) -> re.Pattern[str]:
    # Sets, as a pattern that begins with one is searched for much faster than one without case.
    """Return a pattern for the mark in any case, even with invisible characters inside."""
    letters = (f"[{letter}{letter.upper()}{KELVIN * (letter == 'k')}]" for letter in mark)
    return re.compile(_UNSEEN.join(letters))
