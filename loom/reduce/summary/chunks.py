"""The chunks of a summary, and which of them begin a sentence and so are capitalised anyway.

A sentence begins at the start of a line, a list item or a cell, and after its closing sign; not
after an abbreviation (`Dr.`). After a colon, a dash or an opening bracket one may begin: it does
when a small word follows (`Cause: Missing index`), not before another name (`Owner: Ann Lee`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from loom.lazy import lazy_re
from loom.search.terms import UNSPACED

_CHUNK = lazy_re(rf"[^\s\"“”„«»‹›「」『』《》`<>(){{}}\[\],;|，。、；：！？（）…{UNSPACED}]+")
_LEAD = "*'’‘!?=+&–—#$€£¥<>≈≥≤^%:×±→•·"
_TRAIL = "*'’‘.:!?=+&-–—~#$€£¥^/\\…×→·"
_SIGNED = lazy_re(r"[-−]\d")

_OPENS = lazy_re(
    r"(?:^|[.!?。！？…][\"”’')\]*_]*\s)[\s\"“„«‘'(\[*_>#|-]*(?:\d{1,3}[.)]\s+)?[\s*_\"“]*$"
)
_MAYBE = lazy_re(r"[:：(\[\"“„«‘'|–—-][\s*_\"“„]*$")
_ABBREVIATED = lazy_re(r"(?:^|\s)(?:[A-Z][a-z]{0,2}|(?:\w\.)+\w)\.\s+$")
_ITEM = lazy_re(r"^[ \t]*(?:[-*•+#>]+[ \t]+)?\d{1,3}[.)](?=[ \t])", re.MULTILINE)

# Function words of a language that capitalises its nouns, and those of them no other one has.
_GERMAN = frozenset((
    "der", "das", "und", "ist", "nicht", "mit", "für", "von", "ein", "eine", "einen", "einem",
    "einer", "den", "dem", "des", "sind", "wurde", "wurden", "auf", "bei", "nach", "aus",
    "durch", "wird", "werden", "auch", "sich", "als", "keine", "kein", "im", "zum", "zur", "es",
    "gibt", "über", "alle",
))  # fmt: skip
_TELLING = _GERMAN - {"den", "des", "von", "es", "im", "als", "alle"} | {"laut", "seit", "beim"}
_DETERMINERS = _GERMAN | frozenset((
    "die", "einige", "mehrere", "zwei", "drei", "vier", "fünf", "sechs", "viele", "insgesamt",
    "laut", "beide", "diese", "dieser", "dieses", "jede", "jeder", "jedes", "in", "an", "am",
    "beim", "vom", "pro", "ohne", "gegen", "seit", "bis", "zwischen", "ihre", "seine",
))  # fmt: skip
REACH = 80  # characters before a chunk in which the start of its sentence is looked for


class SummaryChunk(Struct, frozen=True):
    """A chunk without the punctuation around it.

    `initial`: it begins a sentence. `common`: its language capitalises every noun, and nothing
    before it says that it is a name.
    """

    text: str
    initial: bool = False
    common: bool = False


def chunks(text: str) -> Iterator[SummaryChunk]:
    """The chunks of a summary, in order, without the numbers of list items."""
    text = _ITEM.sub(lambda item: " " * len(item[0]), text)
    found = [
        (one.start(), one.start() + len(one[0].rstrip(_TRAIL)), _bare(one[0]))
        for one in _CHUNK.finditer(text)
    ]
    german = is_german([bare for _, _, bare in found])
    for at, (start, end, bare) in enumerate(found):
        if not bare:
            continue
        before = found[at - 1] if at else (0, 0, "")
        adjacent = bool(before[2]) and text[before[1] : start].strip(" ") == ""
        named = adjacent and before[2][:1].isupper() and before[2].lower() not in _DETERMINERS
        initial = bare[0].isupper() and _begins(text, start, end)
        yield SummaryChunk(bare, initial, german and not named)


def is_german(words: list[str]) -> bool:
    """True for a language that capitalises its nouns: two function words show it."""
    return len(_TELLING.intersection(word.lower() for word in words if not word.isupper())) >= 2


def _bare(chunk: str) -> str:
    """A chunk without quotation marks, signs of currency and the punctuation of its sentence."""
    bare = chunk.rstrip(_TRAIL).lstrip(_LEAD)
    if not _SIGNED.match(bare) and not bare.startswith("--"):
        bare = bare.lstrip("-")
    return re.sub(r"['’]s$", "", bare)


def _begins(text: str, start: int, end: int) -> bool:
    line = text.rfind("\n", 0, start) + 1
    before = text[max(line, start - REACH) : start]
    rest = text[end : end + REACH].partition("\n")[0]
    if line < start - REACH:
        before = "x" + before  # the start of what is looked at is no start of a line
    if _OPENS.search(before) and not _ABBREVIATED.search(before):
        return bool(rest.strip(' \t.*_!"”'))
    return bool(_MAYBE.search(before)) and rest.lstrip(" \t")[:1].islower()
