"""What a message of a few words answers: the question, or the options, of the reply before it.

"Yes", "do 1 and 3" say nothing once that reply has left. What was asked stands behind the answer,
in quotes and with the name of the reply: it is the assistant's, not the user's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from loom.compress.entry_line import said
from loom.lazy import lazy_re
from loom.reduce.clauses import begun
from loom.reduce.phrases import SENTENCE_END
from loom.text import printable
from loom_partitions.message import Digest, Entry, Fact, Step, name_of

WORDS = 6  # of a message that may be an answer, at most
ROOM = 160  # characters of what is quoted
LEAST = 16  # … of each option at least
ASKED = 70  # … of them for the question, where options stand behind it
SCANNED = 8_000  # characters of the end of a reply that are looked at
KINDS = ("user", "rule", "question")

# An answer by its form: leave to go on; a word that is one where nothing is said of it.
_BARE = lazy_re(
    r"(?:(?:yes|yep|yeah|yup|nope|ok(?:ay)?|sure|go (?:ahead|for it)|please do|sounds good"
    r"|do (?:it|that|so|both|all)|the (?:first|second|third|last|other)(?: one)?"
    r"|ja|nein|oui|sí|sim|não|да|нет)\b|(?:是|不是|好|はい|いいえ|네|아니요)"
    r"|(?:no|non|both|neither|none|all|either|beide|si)(?=\s*(?:[,.!;:]|$)| of (?:them|these)\b))",
    re.IGNORECASE,
)
_CHOICE = lazy_re(r"\d{1,2}|[a-h]")
_CHOOSING = frozenset((
    "a", "all", "and", "but", "do", "go", "i", "just", "let", "like", "not",
    "number", "only", "ok", "option", "or", "pick", "please", "s", "start", "take", "the", "then",
    "to", "try", "us", "use", "with", "und", "et", "y", "e", "nimm", "bitte",
))  # fmt: skip
_WORD = lazy_re(r"[^\W_]+")
_NUMBER = lazy_re(r"(?<![\w.])\d{1,2}(?![\w%]|\.\d)|(?<![\w'’])[A-H](?!\w)")
# How an option begins: a number or a letter, in a list, in bold, behind "Option".
_OPTION = lazy_re(r"[\s*#>(-]{0,8}(?:option |approach )?(\d{1,2}|[A-Ha-h])[.):*]", re.IGNORECASE)
_MARKS = lazy_re(r"\*\*|__|^[\s#>*-]+")


def answering(facts: Sequence[Fact], id: int, before: Entry | None) -> str:
    """What the message with these facts answers, as it stands behind it; "" when it says enough.

    `before` is the entry before the message, as far as it is known.
    """
    mine = [fact for fact in facts if fact.kind in KINDS or fact.kind in ("heading", "code")]
    words = " ".join(fact.text for fact in mine)
    if not mine or len(words.split()) > WORDS or any(fact.kind not in KINDS for fact in mine):
        return ""
    bare = _BARE.match(words) is not None or _chooses(words)
    if isinstance(before, Step):
        asked = _asked(printable(said(before))[-SCANNED:], words)
        if asked and not before.calls:
            return f'(to "{asked}", {name_of(before)})'
        return f"(answers {name_of(before)})" if bare and not before.calls else ""
    if bare and isinstance(before, Digest) and before.last == id - 1 and _replied(before):
        return f"(answers step_{before.last:04d})"
    return ""


def _chooses(text: str) -> bool:
    """True for numbers or letters, and no more than the words with which one chooses."""
    words = _WORD.findall(text.casefold())
    picked = [word for word in words if _CHOICE.fullmatch(word)]
    others = [word for word in words if not _CHOICE.fullmatch(word)]
    return bool(picked) and all(word in _CHOOSING for word in others)


def _replied(digest: Digest) -> bool:
    """True when the last entry a digest stands for is no message of the user's."""
    return not any(fact.at == digest.last and fact.kind in KINDS for fact in digest.facts)


def _asked(reply: str, answer: str) -> str:
    """The question of a reply, and the options an answer chooses by number; "" without either."""
    lines = [_MARKS.sub("", line).replace('"', "'").strip() for line in reply.split("\n")]
    chosen = {name.lower() for name in _NUMBER.findall(answer)}
    options: dict[str, str] = {}  # of several lists the last
    for line in lines:
        found = _OPTION.match(line) if chosen else None
        if found and found[1].lower() in chosen:
            options[found[1].lower()] = line
    question = next(
        (
            part.strip()
            for line in reversed(lines)
            for part in reversed(SENTENCE_END.split(line))
            if part.rstrip(" *_)`'").endswith(("?", "？"))
        ),
        "",
    )
    if not options:
        return begun(question, ROOM)
    asked = begun(question, ASKED)
    each = max((ROOM - len(asked)) // len(options) - 1, LEAST)
    # An option that cannot be told in part is told by its number: the reply is named.
    told = [begun(line, each) or f"{_OPTION.match(line)[0]} …" for line in options.values()]  # type: ignore[index]
    return " ".join(filter(None, (asked, *told[: ROOM // LEAST])))
