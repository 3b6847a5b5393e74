"""Search a payload, in each of its readings, for things that stand on their own bounds.

Theory of operation
-------------------
A payload is searched, never tokenised: a summary names some hundred things at most, a payload may
have millions of words. A search is the substring search of the interpreter, and each hit is looked
at: `INC-104` is not in `INC-1042`. A thing that stands within other things HITS times is given up,
and counts as missing; short ones, which do that in any large text, are then looked up among all
short words, which are gathered once.

A *reading* is the payload as it stands, with its JSON escapes undone (twice, as JSON stands within
JSON), or with its HTML entities undone.
"""

from __future__ import annotations

import html
import json
import unicodedata
from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import TypeAlias

from loom.lazy import lazy_re
from loom.reduce.summary.numbers import WORD, is_number_at, is_word, spellings
from loom.reduce.summary.url import is_url

HITS = 2_000  # hits looked at for one thing
INDENT = 200  # blanks before a line that are looked at
NEAR = 1 << 16  # characters around the last hit that are searched first
SHORT = 3  # characters of a word that is looked up after that
NESTED = 2  # JSON within JSON
SIMPLE = (('\\"', '"'), ("\\/", "/"), ("\\n", "\n"), ("\\r", "\n"), ("\\t", "\t"))
ENTITIES = (("&quot;", '"'), ("&lt;", "<"), ("&gt;", ">"), ("&nbsp;", "\u00a0"), ("&amp;", "&"))
HELD = "\ue000"  # stands for an escaped backslash while the others are undone

_CODES = lazy_re(r"\\u[0-9a-fA-F]{4}(?:\\u[0-9a-fA-F]{4})*")
_ENTITY = lazy_re(r"&#?\w{1,31};")
_BEFORE_LINE = lazy_re(r"(?:\A|\n)[^\S\n]*\Z")
_AFTER_LINE = lazy_re(r"[^\S\n]*(?:\n|\Z)")
_WORDS = lazy_re(f"{WORD}+")


Bounds: TypeAlias = Callable[[str, int, int], bool]  # of a text, a start and an end


class PayloadText:
    """One reading of a payload, searched on the bounds of what is in it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._near = 0  # where the last thing was found: what is named together stands together

    @cached_property
    def lower(self) -> PayloadText:
        """The text in small letters."""
        return PayloadText(self.text.lower())

    @cached_property
    def short(self) -> frozenset[str]:
        """Its words of at most SHORT characters."""
        return frozenset(word for word in _WORDS.findall(self.text) if len(word) <= SHORT)

    def holds(self, kind: str, name: str) -> bool:
        """True when a thing of that kind is in it; see `loom.reduce.summary.forms`."""
        if kind == "number":
            return any(self._has(one, is_number_at) for one in spellings(name))
        if kind == "word":
            return self._has(name, is_apart) or self.lower._has(name.lower(), is_apart)
        if kind == "part":  # of a script without spaces: it has no bounds
            return name in self.text
        return self._has(name, BOUNDS.get(kind, is_apart))

    def _has(self, name: str, fits: Bounds) -> bool:
        around = max(0, self._near - NEAR), self._near + NEAR
        return self._within(name, fits, *around) or (
            around[1] - around[0] < len(self.text) and self._within(name, fits, 0, len(self.text))
        )

    def _within(self, name: str, fits: Bounds, start: int, end: int) -> bool:
        at = self.text.find(name, start, end)
        for _ in range(HITS):
            if at < 0:
                return False
            if fits(self.text, at, at + len(name)):
                self._near = at
                return True
            at = self.text.find(name, at + 1, end)
        return len(name) <= SHORT and name in self.short


def is_apart(text: str, at: int, end: int) -> bool:
    """True when `text[at:end]` is a whole thing: no word goes on, nor a joint it has itself.

    `login.py` is apart in `src/login.py`, not in `login.py.bak`; `2024-01-05` is in
    `2024-01-05T10:00`; `1.2` is not in `1.2.3`, and is in `v1.2`.
    """
    before, earlier = text[at - 1 : at] or " ", text[at - 2 : at - 1] or " "
    after, later = text[end : end + 1] or " ", text[end + 1 : end + 2] or " "
    name = text[at:end]
    return not (_goes_back(name, before, earlier) or _goes_on(name, after, later))


def _goes_back(name: str, before: str, earlier: str) -> bool:
    if not is_word(name[0]):
        return is_word(before) or (name[0] in "./~-\\" and before in "./~-\\")
    if is_word(before):
        # A version behind its v, a time behind the T of its date.
        letter = before in "vV" and not is_word(earlier)
        return not (name[0].isdigit() and (letter or (before == "T" and earlier.isdigit())))
    if not is_word(earlier):
        return False
    if before == ".":
        return "@" in name or ("." in name and name[0].isdigit())
    return (before == "-" and "-" in name) or (before in "+-" and "@" in name)


def _goes_on(name: str, after: str, later: str) -> bool:
    if is_word(after):
        return is_word(name[-1]) and not (after == "T" and name[-1].isdigit() and later.isdigit())
    if not is_word(later):
        return False
    jointed = "." in name or "@" in name
    return (after == "." and (jointed or "/" in name)) or (after == "-" and "-" in name)


def is_line(text: str, at: int, end: int) -> bool:
    """True when `text[at:end]` is a line of its own, but for blanks around it."""
    return _BEFORE_LINE.search(text, max(0, at - INDENT), at) is not None and (
        _AFTER_LINE.match(text, end) is not None
    )


BOUNDS: dict[str, Bounds] = {"url": is_url, "line": is_line}


def readings(payload: str) -> tuple[PayloadText, ...]:
    """The readings of a payload, at least one; in composed characters (NFC)."""
    found = [_composed(payload)]
    for _ in range(NESTED):
        if "\\" not in found[-1]:
            break
        found.append(_unescaped(found[-1]))
    if _ENTITY.search(payload):
        found.append(_plain(found[0]))
    return tuple(PayloadText(text) for text in dict.fromkeys(found))


def _plain(text: str) -> str:
    """HTML text with its entities undone; the commonest, of which there are many, the fast way."""
    for entity, char in ENTITIES:
        text = text.replace(entity, char)
    return _composed(html.unescape(text) if _ENTITY.search(text) else text)


def _composed(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _unescaped(text: str) -> str:
    """`text` with the escapes of JSON strings undone wherever they stand."""
    text = text.replace("\\\\", HELD)
    if "\\u" in text:
        text = _CODES.sub(lambda run: _decoded(run[0]), text)
    for escape, char in SIMPLE:
        text = text.replace(escape, char)
    return _composed(text.replace(HELD, "\\"))


@lru_cache(maxsize=1 << 10)
def _decoded(codes: str) -> str:
    return str(json.loads(f'"{codes}"'))
