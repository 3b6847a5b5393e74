"""The general language of rules and choices, as one alternation of words.

Without nested repeats: a search is linear in the text. English, and the commonest words of some
other languages; which text is in which language is not asked.
"""

from __future__ import annotations

import re

from loom.lazy import lazy_re


def _words(*words: str) -> str:
    """Alternatives that stand as whole words."""
    return r"\b(?:" + "|".join(words) + r")\b"


def _table(latin: str, cjk: tuple[str, ...]) -> re.Pattern[str]:
    """One pattern over words of spaced scripts and phrases of unspaced ones."""
    return lazy_re("|".join((latin, *cjk)), re.IGNORECASE)


# What binds, denies or limits, and what was chosen.
RULE = _table(
    _words(
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
    ),
    (
        "必须", "必須", "不要", "禁止", "不得", "务必", "務必", "不能", "应该", "應該", "只能",
        "请勿", "不可", "绝不", "总是", "始终", "最多", "至少", "改用",
        "しないで", "ないでください", "てはいけ", "必ず", "べき", "なければな", "決して", "絶対に",
        "常に", "のみ", "ことにし", "하지 마", "지 마세요", "지 말", "반드시", "절대",
        "항상", "해야",
    ),
)  # fmt: skip

QUESTION = lazy_re(r"[?？؟፧]\W{0,3}$")

SENTENCE_END = lazy_re(r"(?<=[.!?؟۔।॥።፧])[ \t]+|(?<=[。！？；])")
BULLET = lazy_re(r"(?:[-*•+]|\d{1,3}[.)])[ \t]+")
