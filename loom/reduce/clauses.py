"""Sentences written shorter: they end where a sentence or a clause does, and say so.

A sentence lives by words that govern others: "not", "unless", "only". Cut where a room ends, it may
be parted from such a word and say something else. So what is cut within a sentence that binds says
that what follows may limit it.
"""

from __future__ import annotations

from loom.lazy import lazy_re
from loom.reduce.phrases import RULE, SENTENCE_END
from loom.text import one_line

CUT = " …"  # what stands for what was left out
LIMITED = " … (cut: what follows may limit this)"
LONG = "(a sentence too long for this line)"
SCANNED = 4_000  # characters that are looked at for what limits a line

_CLAUSE_END = lazy_re(r"(?<=[^\s,;:])(?:[,;:]\s|\s[—–-]\s|[，；、：])")
_BREAK = lazy_re(rf"{SENTENCE_END.pattern}|\n")


def begun(text: str, limit: int) -> str:
    """The beginning of a text on one line, at most `limit` characters; "" where none has room."""
    line = one_line(text, max(limit, SCANNED))
    if len(line) <= limit:
        return line
    ends = [end.start() for end in SENTENCE_END.finditer(line, 0, limit - len(CUT) + 1)]
    if ends and limit // 3 < ends[-1] <= limit - len(CUT):
        return line[: ends[-1]].rstrip() + CUT
    mark = LIMITED if RULE.search(line) else CUT
    return line[: _end(line, limit - len(mark))].rstrip() + mark if limit > len(mark) else ""


def _end(line: str, room: int) -> int:
    """Where the last clause of a line ends in the second half of a room, else its last word."""
    ends = [end.start() for end in _CLAUSE_END.finditer(line, 0, room + 2)]
    if ends and room // 2 < ends[-1] <= room:
        return ends[-1]
    word = line.rfind(" ", 0, room + 1)
    return word if word > 0 else room


def clauses_until(text: str, room: int) -> int:
    """Where the last sentence ends within `room` characters of a text, or the last clause or line;
    -1 where there are no words to be told apart."""
    seen = text[: room + 1]
    ends = [end.start() for end in _BREAK.finditer(seen)]
    if not ends or ends[-1] <= room // 2:
        ends += [end.start() for end in _CLAUSE_END.finditer(seen)]
    return max(ends) if ends else seen.rfind(" ")


def sentence_from(text: str, start: int) -> int:
    """Where the first sentence or line begins behind `start`, the end of the text where none does;
    `start` itself where there are no words to be told apart."""
    found = _BREAK.search(text, start)
    if found:
        return found.end()
    return len(text) if " " in text[start:] else start


def told(text: str, *limits: int, otherwise: str = LONG) -> str:
    """The beginning of a text within the first of these limits that has room for one."""
    if not text.strip():
        return ""
    return next(filter(None, (begun(text, limit) for limit in limits)), otherwise)
