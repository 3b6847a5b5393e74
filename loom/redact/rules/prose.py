"""Rules for secrets told in sentences and lists: passwords, wallet words, recovery codes."""

from __future__ import annotations

import re

from loom.lazy import lazy_re
from loom.redact.likely_secrets import is_placeholder, is_random_looking, is_secret_in_sentence
from loom.redact.rules.named_values import NO_PASS, NO_TOKEN, is_test_verdict, no_type_pattern
from loom.redact.secret_rule import SecretRule

_DAY = lazy_re(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])")
_METHOD = lazy_re(r"(?:[A-Z]{2,8}\d{0,4}[A-Z]?-)+[a-z]{3,}")  # `ES256-signed`, `PBKDF2-hashed`
_YEAR = lazy_re(r"(?![A-Z][a-z]+(?:8|16|32|64|128)\b)[A-Za-z]{3,}[-_.@#]?\d{2,}[!?$#@*]{1,3}")
_LINKED = lazy_re(  # right behind a verb or a colon
    r"(?:[ ](?:is|was|to|are|be|as|into|with|use|and|/|\|)|[:/])[ ]{1,2}[\"'`*(]{0,3}$|[:/]$",
    re.IGNORECASE,
)
_OF_OTHERS = lazy_re(r"/|^[0-9a-fA-F-]+$")  # a path, a commit, an id


def is_sentence_password(lead: str, value: str) -> bool:
    """Return True for a word of a sentence that looks like a password."""
    given, value = value, value.rstrip(".,;:!?)'\"*。，、」")
    if is_test_verdict(lead) and not is_random_looking(value.partition("/")[0], 0.45):
        return False
    if _METHOD.fullmatch(value) or (_OF_OTHERS.search(value) and not _LINKED.search(lead)):
        return False
    # A year and a sign, as people end their passwords; a sentence ends so too, but for a prompt.
    return is_secret_in_sentence(value) or (
        lead.endswith(": ") and _YEAR.fullmatch(given) is not None
    )


def is_pin(lead: str, value: str) -> bool:
    """Return True for digits that may be a PIN: not repeated, not counting up, and no date. `lead`
    is unused."""
    return len(set(value)) > 3 and value not in "01234567890" and not _DAY.fullmatch(value)


def is_drawn_bytes(lead: str, value: str) -> bool:
    """Return True for numbers, separated by commas, that look like random bytes: they span 0 to
    255, and a few are equal."""
    numbers = [int(one) for one in value.split(",")]
    low, high = min(numbers), max(numbers)
    return 40 < len(set(numbers)) < len(numbers) and low < 50 and 200 < high < 256


def _is_no_placeholder(lead: str, value: str) -> bool:
    """Return True for a value that is no placeholder. `lead` is unused."""
    return not is_placeholder(value)


_VALUE = r"[\"'`*(]{0,3}(?P<secret>[^\s\"'`<>{}()\[\]]{7,300}+)(?![(\[])"
# The first with a digit in it is looked at before any that follows a verb.
_WORDS = _VALUE.replace("<secret>", "<secret_a>")
_DIGITS = _VALUE.replace("<secret>", r"<secret_b>(?=[^\s\d]{0,60}\d)")
# Up to eight words of one sentence; no text of JSON goes on in the next.
_WORD = r"[^\n:= {}]{0,40}+"
_SAID = rf"{_WORD}(?:(?<![\"'],)[ ]{_WORD}){{0,7}}?"
# A password in German, French, Spanish, Portuguese, Polish, Russian, Chinese, Japanese, Korean.
_FOREIGN = (
    *("asswort", "ennwort", "ot de passe", "ontraseña", "senha", "Senha", "asło", "ароль"),
    *("密码", "密碼", "パスワード", "비밀번호"),
)
PROSE: tuple[SecretRule, ...] = (
    *(
        SecretRule(
            "password",
            rf"{name}(?:{_SAID}(?:[ ]|:|['?]s[ ]|[ ]?(?:\?|->|=>))[ ]{{0,2}}{_DIGITS}"
            rf"|{_SAID}(?:[ ](?:is|was|to|are|be|as|into|with|use)|:)(?:[ ]{{1,2}}|:?\n){_WORDS})",
            (word,),
            is_sentence_password,
            "folded",
        )
        for word, name in (
            ("pass", f"pass(?:(?:w(?:or)?d|phrase|code)s?|(?<![a-z]pass){NO_PASS})(?![a-z])"),
            ("token", f"token{NO_TOKEN}"),
            ("secret", rf"secret{no_type_pattern('secret')}s?(?![a-z])"),
        )
    ),
    SecretRule(
        "password",
        rf"(?:{'|'.join(_FOREIGN)})[^\n:=]{{0,40}}?(?:[ ](?:ist|lautet|es|est|é|jest|to|na|de)[ ]"
        r"|[:=：是為는][ ]{0,2}|[ ](?=[\"'「“«]))"
        r"[\"'`*(「“«]{0,3}(?P<secret>[^\s\"'`<>{}()\[\]」”»。，]{7,300}+)",
        _FOREIGN,
        is_sentence_password,
    ),
    SecretRule(
        "wallet-words",
        r"(?:mnemonic|phrase|seed)[^\n]{0,40}?[\"'`:=\n ]{1,6}"
        r"(?P<secret>(?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})(?![a-z])",
        ("mnemonic", "phrase", "seed"),
        lambda lead, value: len(set(value.split())) > 8,
        "folded",
        26,
    ),
    SecretRule(
        "wallet-private-key",
        r"\[(?P<secret>\d{1,3}(?:, ?\d{1,3}){63})\]",
        ("[",),
        is_drawn_bytes,
    ),
    SecretRule(
        "recovery-codes",
        r"(?:recovery|backup|scratch|emergency)[ _-](?:codes?|keys?)[^\n]{0,60}\n?"
        r"(?P<secret>(?:[\s\"',*\[\d.-]{0,8}?[a-z0-9]{4,6}[- ]?[a-z0-9]{4,6}"
        r"(?:[- ][a-z0-9]{4,6})*[\s\"',\]]{1,4}){2,24})",
        ("recovery", "backup", "scratch", "emergency"),
        lambda lead, value: sum(map(str.isdigit, value)) >= 6,
        "folded",
        30,
    ),
    SecretRule(
        "pin",
        r"pin(?<![a-z]pin)(?<!int[ ]pin)(?:[ _-]?code)?[\"']?(?:[ ]is)?[ ]?[:= ][ ]?[\"']?"
        r"(?P<secret>\d{6,8})(?![\d.])",
        tuple(f"pin{sign}" for sign in "c _-\"':="),
        is_pin,
        "folded",
    ),
    SecretRule(
        "jwk-private",
        r"\"(?:d|k|p|q|dp|dq|qi)\"[ ]?:[ ]?\"(?P<secret>[A-Za-z0-9_-]{22,2000}+)\"",
        ('"d"', '"k"', '"p"', '"q"', '"dp"', '"dq"', '"qi"'),
        _is_no_placeholder,
        "lines",
    ),
)
