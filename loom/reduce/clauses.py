"""Sentences written shorter without saying something else.

Theory of operation. A sentence lives by words that govern others: "not", "under no circumstances",
"unless", "only". Whoever takes out its middle, or cuts it where a room ends, may part such a word
from what it governs, and turn the sentence round. So there are two ways to write less.

`reasonless` leaves out a reason at the end ("…, because customers import them"): what binds stands
whole. It takes nothing it does not know for a reason, in any language.

`begun` is for a line that has to show something: it ends where a sentence or a clause does, and
says so; where what it leaves out of that sentence may limit what stands, it says that too. Where no
end is near enough, only words that nothing governs are shown, or nothing is.
"""

from __future__ import annotations

from loom.lazy import lazy_re
from loom.reduce.phrases import CONDITION, REASON, RULE, SENTENCE_END
from loom.text import one_line

CUT = " …"  # what stands for a reason, or for whole sentences, that were left out
LIMITED = " … (cut: what follows may limit this)"
LONG = "(a sentence too long for this line)"
WORDS = 2  # of a clause, beside those that govern it: fewer say nothing alone
SCANNED = 4_000  # characters that are looked at for what limits a line

_CLAUSE_END = lazy_re(r"(?<=[^\s,;:])(?:[,;:]\s|\s[—–-]\s|[，；、：]|$)")
_WORD = lazy_re(r"[^\W_]+")
_UNSPACED = lazy_re(r"[\u3040-\u30ff\u3400-\u9fff]")
_BREAK = lazy_re(r"[,;:()—–，；、：（）]")
_LINE = lazy_re(r"\n")
_SENTENCES = lazy_re(rf"{SENTENCE_END.pattern}|$")


def governs(text: str) -> bool:
    """True for a text with a word that binds, denies, allows or sets a condition."""
    return RULE.search(text) is not None or CONDITION.search(text) is not None


def reasonless(sentence: str) -> str:
    """A sentence without the reason it ends with, marked as cut; as it is where it has none."""
    for found in REASON.finditer(sentence):
        front, rest = sentence[: found.start()], sentence[found.start(1) :]
        last = not _BREAK.search(rest)
        if last and _says(front) and not governs(rest):
            return front.rstrip() + CUT
    return sentence


def begun(text: str, limit: int) -> str:
    """The beginning of a text on one line, at most `limit` characters; "" where no beginning of it
    can stand alone."""
    line = one_line(text, max(limit, SCANNED))
    if len(line) <= limit:
        return line
    whole = line[: limit - len(CUT)]
    ends = [end.start() for end in _SENTENCES.finditer(line) if 0 < end.start() <= len(whole)]
    if ends and ends[-1] > limit // 3:
        return whole[: ends[-1]].rstrip() + CUT
    start = ends[-1] if ends else 0
    rest = _SENTENCES.search(line, start + 1)
    sentence = line[start : rest.start() if rest else len(line)]
    return line[:start] + (_clause(sentence, limit - start) or (CUT if start else ""))


def clauses_until(text: str, room: int) -> int:
    """Where the last sentence ends within `room` characters of a text, or the last clause; -1 where
    there are no words to be told apart."""
    seen = text[: room + 1]
    ends = [end.start() for end in SENTENCE_END.finditer(seen)]
    if ends and ends[-1] > room // 2:
        return ends[-1]
    clauses = [end.start() for end in _CLAUSE_END.finditer(seen) if end[0]]
    if clauses or ends or not seen.count(" "):
        return max(clauses[-1:] + ends[-1:], default=-1)
    return 0 if governs(seen) else seen.rfind(" ")


def sentence_from(text: str, start: int) -> int:
    """Where the first sentence begins behind `start`, the end of the text where none does; `start`
    itself where there are no words to be told apart."""
    seen = text[start:]
    found = SENTENCE_END.search(seen) or _LINE.search(seen)
    if found:
        return start + found.end()
    return len(text) if seen.count(" ") else start


def told(text: str, *limits: int, otherwise: str = LONG) -> str:
    """The beginning of a text within the first of these limits in which one can stand alone."""
    if not text.strip():
        return ""
    return next(filter(None, (begun(text, limit) for limit in limits)), otherwise)


def _clause(sentence: str, limit: int) -> str:
    """The first clauses of a sentence that is longer than the room, "" without one that fits."""
    for mark in (CUT, LIMITED):
        room = limit - len(mark)
        ends = [end.start() for end in _CLAUSE_END.finditer(sentence, 0, max(room + 2, 0))]
        for at in reversed([end for end in ends if end <= room]):
            if _says(sentence[:at]) and (mark == LIMITED or not _limits(sentence[at:])):
                return sentence[:at].rstrip() + mark
    if governs(sentence):
        return ""
    mark = LIMITED if _limits(sentence) else CUT
    room = max(limit - len(mark), 0)
    return (sentence[:room].rpartition(" ")[0] or sentence[:room]).rstrip() + mark


def _limits(rest: str) -> bool:
    """True for a rest of a sentence that may limit its beginning; nobody looked behind a "…"."""
    return governs(rest) or rest.endswith("…")


def _says(clause: str) -> bool:
    """True when the last clause of a text has words beside those that govern them."""
    last = _CLAUSE_END.split(clause.rstrip())
    end = next((part for part in reversed(last) if part.strip()), "")
    bare = CONDITION.sub(" ", RULE.sub(" ", end))
    return len(_WORD.findall(bare)) + len(_UNSPACED.findall(bare)) >= WORDS
