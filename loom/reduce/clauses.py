"""Sentences written shorter: they end where a sentence or a clause ends, and say they were cut.

A sentence lives by words that govern others: "not", "unless", "only". A sentence cut at any
character may be parted from such a word and say something else. So a binding sentence that is cut
says that the words left out may limit it."""

from __future__ import annotations

import re

from loom.lazy import lazy_re
from loom.text import one_line

# The words of what binds, denies or limits, and of what was chosen: English, and the commonest of
# some other languages, as whole words or, where none are spaced, anywhere. Without nested
# repeats: a search is linear in the text.
_SPACED = (
    # English
    "must(?:n['’]t)?", "never", "always", "do not", "don['’]?t", "cannot", "can['’]t", "only",
    "should(?:n['’]t)?", "shall", "prefer(?:ably|red)?", "make sure", "avoid", "ensure",
    "forbidden", "forbid", "prohibit(?:ed)?", "bann(?:ed|ing)", "(?:not |dis)allowed",
    "permitted", "required", "requirements?", "mandatory", "mandated?", "obligatory",
    "compulsory", "essential", "crucial", "(?:has|have|needs?) to (?:be|stay|remain)",
    "no (?:more|less|fewer|later|earlier|longer) than",
    "at (?:the )?(?:most|least|latest|earliest)", r"up to \d+", "maximum", "minimum",
    "under no circumstances", "on no account", "in no case", "in any case", "by no means",
    "refrain from", "(?:stay|keep|steer) (?:away|out|off|clear)", "hands off",
    "off[- ]limits", "out of bounds", "stick (?:to|with)", "remember (?:to|that)",
    "be (?:sure|careful)", "see to it", "nobody", "no one", "nothing (?:else|but)",
    "no (?:new|other|further)", "unless", "until", "when(?:ever)? you", "whatever you",
    "whenever", "and not", "but not", "i['’]?d rather", "would rather", "keep", "leave",
    "alone", "without", "even (?:where|when|if)", "except",
    "(?:is|are) (?:written|kept|named|called|spelled|formatted)", "stays?", "insist",
    "from (?:now|here) on", "henceforth", "in future", "going forward", "in doubt", "unsure",
    "before you", "me first", "ask (?:me )?before", "after all", "exclusively",
    "solely", "strictly", "as a rule", "every", "each",
    "in (?:your|all) (?:replies|answers|responses|messages)",
    "(?:i|we) (?:want|need|expect)", "(?:use|using|write|run) no",
    # What was chosen
    "decided", "decision", "chose", "choosing", "chosen", "will use", "['’]ll use",
    "going with", "go with", "settled on", "settling on", "opted", "opt(?:ing)? for",
    "instead of", "rather than", "no longer", "switch(?:ed|ing)? (?:back )?to",
    "mov(?:ed|ing) (?:back )?to", "now uses?", "picked", "replac(?:es|ed|ing)",
    "revert(?:ed|ing)", "dropp(?:ed|ing)", "gave up on",
    "chang(?:ed|ing) (?:(?:my|our) mind|course|plans?|tack|direction)",
    "on second thoughts?", "in favou?r of", "back to", "ruled out", "turned out",
    "did(?:n['’]t| not) (?:work|hold|help|pay)", "over to",
    # German
    "immer", "niemals", "nie", "darf(?:st)?", "dürfen", "muss(?:t)?", "müssen",
    "soll(?:en|te|test|ten|st)?", "nur", r"(?:bitte|aber|und|auch) (?:nicht|kein\w*)", "ohne",
    "höchstens", "mindestens", "verboten", "stets", "unbedingt", "ab (?:jetzt|sofort)",
    # French
    "jamais", "toujours", r"(?<![\w,] )n(?:e|['’]\w+)", "doi(?:t|s|vent)", "devez",
    "(?:il )?faut", "seulement", "uniquement", "interdit(?:e|s|es)?", "au (?:plus|moins)",
    # Spanish, Portuguese, Italian
    "nunca", "siempre", "sempre", "no (?:se )?(?:deben?|puede[ns]?)", "debes?", "hay que",
    "sólo", "solo", "só", "apenas", "soltanto", "prohibid[oa]s?", "proibid[oa]s?",
    "vietat[oaie]", "deve[ms]?", "devi", "devono", "mai più",
    # Russian
    "никогда", "всегда", "нельзя", r"не \w+(?:йте|ьте|ите|й|ь|и)", "должн[оаы]", "должен",
    "обязательно", "только", "без",
)  # fmt: skip
_UNSPACED = (
    "必须", "必須", "不要", "禁止", "不得", "务必", "務必", "不能", "应该", "應該", "只能",
    "请勿", "不可", "绝不", "总是", "始终", "最多", "至少", "改用",
    "しないで", "ないでください", "てはいけ", "必ず", "べき", "なければな", "決して", "絶対に",
    "常に", "のみ", "ことにし", "하지 마", "지 마세요", "지 말", "반드시", "절대",
    "항상", "해야",
)  # fmt: skip
RULE = lazy_re(rf"\b(?:{'|'.join(_SPACED)})\b|{'|'.join(_UNSPACED)}", re.IGNORECASE)
QUESTION = lazy_re(r"[?？؟፧]\W{0,3}$")

SENTENCE_END = lazy_re(r"(?<=[.!?؟۔।॥።፧])[ \t]+|(?<=[。！？；])")
BULLET = lazy_re(r"(?:[-*•+]|\d{1,3}[.)])[ \t]+")


CUT = " …"  # what stands for what was left out
LIMITED = " … (cut: the rest may limit this)"
LONG = "(a sentence too long for this line)"
SCANNED = 4_000  # characters that are looked at for what limits a line

_CLAUSE_END = lazy_re(r"(?<=[^\s,;:])(?:[,;:]\s|\s[—–-]\s|[，；、：])")
_BREAK = lazy_re(rf"{SENTENCE_END.pattern}|\n")


def beginning_within(text: str, limit: int) -> str:
    """Return the beginning of a text on one line, at most `limit` characters, cut after a clause or
    word and with a note of the cut. "" if the limit is too small."""
    line = one_line(text, max(limit, SCANNED))
    if len(line) <= limit:
        return line
    ends = [end.start() for end in SENTENCE_END.finditer(line, 0, limit - len(CUT) + 1)]
    if ends and limit // 3 < ends[-1] <= limit - len(CUT):
        return line[: ends[-1]].rstrip() + CUT
    mark = LIMITED if RULE.search(line) else CUT
    return (
        line[: _end_of_clause(line, limit - len(mark))].rstrip() + mark if limit > len(mark) else ""
    )


def _end_of_clause(line: str, room: int) -> int:
    """Return the index, at most `room`, at which to cut a line after a clause or word."""
    ends = [end.start() for end in _CLAUSE_END.finditer(line, 0, room + 2)]
    if ends and room // 2 < ends[-1] <= room:
        return ends[-1]
    word = line.rfind(" ", 0, room + 1)
    return word if word > 0 else room


def last_clause_end(text: str, room: int) -> int:
    """Return the index at which the last sentence, clause, line or else word in the first `room`
    characters ends; -1 if there are no blanks."""
    seen = text[: room + 1]
    ends = [end.start() for end in _BREAK.finditer(seen)]
    if not ends or ends[-1] <= room // 2:
        ends += [end.start() for end in _CLAUSE_END.finditer(seen)]
    return max(ends) if ends else seen.rfind(" ")


def next_sentence_start(text: str, start: int) -> int:
    """Return the index at which the next sentence or line after `start` begins, or the length of
    the text. Return `start` if no blank follows `start`."""
    found = _BREAK.search(text, start)
    if found:
        return found.end()
    return len(text) if " " in text[start:] else start


def beginning_or_notice(text: str, *limits: int, otherwise: str = LONG) -> str:
    """Return the beginning of a text, cut after a clause, or `otherwise` if no clause fits; "" for
    a blank text. `limits` are lengths in characters, tried in order."""
    if not text.strip():
        return ""
    return next(filter(None, (beginning_within(text, limit) for limit in limits)), otherwise)
