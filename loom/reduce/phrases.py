"""The general language of rules and choices, as tables of phrases.

Each table is one alternation of words, without nested repeats: a search is linear in the text.
English first, then the commonest forms of Chinese, Japanese, German, French and Spanish.
"""

from __future__ import annotations

import re


def _words(*words: str) -> str:
    """Alternatives that stand as whole words."""
    return r"\b(?:" + "|".join(words) + r")\b"


def _table(latin: str, cjk: tuple[str, ...] = ()) -> re.Pattern[str]:
    """One pattern over words of spaced scripts and phrases of unspaced ones."""
    return re.compile("|".join((latin, *map(re.escape, cjk))), re.IGNORECASE)


RULE = _table(
    _words(
        "must(?:n['’]t)?", "never", "always", "do not", "don['’]?t", "cannot", "can['’]t",
        "only", "should(?:n['’]t)?", "shall", "prefer", "make sure", "avoid", "ensure",
        "forbidden", "not allowed", "required to", "no more than", "at most", "at least",
        "nobody", "no one", "nothing (?:else|but)", "no (?:new|other|further)", "unless", "until",
        "when(?:ever)? you", "whatever you", "whenever", "and not", "but not", "i['’]?d rather",
        "would rather", "keep", "leave", "alone", "without", "even (?:where|when|if)",
        "(?:is|are) (?:written|kept|named|called|spelled|formatted)", "stays?",
        "from now on", "in future", "in doubt", "unsure", "before you", "me first", "after all",
        "immer", "niemals", "darf nicht", "jamais", "toujours", "nunca", "siempre",
    ),
    (
        "必须", "必須", "不要", "禁止", "不得", "务必", "不能", "应该", "應該", "避免", "确保",
        "只能", "请勿", "不可", "しないで", "ないでください", "してはいけない", "必ず", "べき",
        "なければならない",
    ),
)  # fmt: skip

DECISION = _table(
    _words(
        "decided", "decision", "chose", "choosing", "chosen", "will use", "['’]ll use",
        "going with", "go with", "settled on", "settling on", "opted", "opt(?:ing)? for",
        "instead of", "rather than", "no longer", "switch(?:ed|ing)? (?:back )?to",
        "mov(?:ed|ing) (?:back )?to", "now uses?", "picked", "replac(?:es|ed|ing)",
        "revert(?:ed|ing)", "dropp(?:ed|ing)", "gave up on",
        "chang(?:ed|ing) (?:(?:my|our) mind|course|plans?|tack|direction)",
        "on second thoughts?", "in favou?r of", "back to", "ruled out", "turned out",
        "did(?:n['’]t| not) (?:work|hold|help|pay)", "over to", "entschieden", "decidido", "décidé",
    ),
    ("决定", "決定", "改用", "选择", "選択", "採用", "ことにした", "ことにします"),
)  # fmt: skip

QUESTION = re.compile(r"[?？]\W{0,3}$")

SENTENCE_END = re.compile(r"(?<=[.!?])[ \t]+|(?<=[。！？；])")
BULLET = re.compile(r"(?:[-*•+]|\d{1,3}[.)])[ \t]+")
