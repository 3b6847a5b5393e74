"""Secrets told in sentences and lists: passwords, the words of a wallet, recovery codes."""

from __future__ import annotations

from loom.redact.likely import is_made, is_placeholder
from loom.redact.rule import SecretRule


def is_told(lead: str, value: str) -> bool:
    """True for a word of a sentence that is no word: made, with a digit in it."""
    value = value.rstrip(".,;:!?)'\"")
    return (
        any(map(str.isdigit, value)) and not is_placeholder(value) and is_made(value, 0.25, 8)
    )


def _always(lead: str, value: str) -> bool:
    return not is_placeholder(value)


_VALUE = r"[\"'`*(]{0,3}(?P<secret>[^\s\"'`<>{}]{7,300}+)"
PROSE: tuple[SecretRule, ...] = (
    SecretRule(
        "password",
        r"(?:passw(?:or)?d|passphrase|passcode|pwd?|token|api[ _-]?key|access[ _-]?key|secret(?:[ _-]?key)?"
        r"|credentials?|creds|login|pass)[^\n:=]{0,40}?(?:[ ](?:is|was|to|are|be|as|into|with|use)|[:=])[ ]{1,2}"
        + _VALUE,
        ("pass", "pw", "token", "key", "secret", "cred", "login"),
        is_told,
        "folded",
    ),
    SecretRule(
        "password",  # user / password, one beside the other
        r"(?:log[ ]?in|sign[ ]in|credentials?|creds|user(?:name)?|account|auth)[^\n]{0,60}?[ ]\S{2,40}[ ]?(?:/|\||and)[ ]?"
        + _VALUE,
        ("log", "sign in", "cred", "user", "account", "auth"),
        is_told,
        "folded",
    ),
    SecretRule(
        "wallet-words",
        r"(?:mnemonic|phrase|seed)[^\n]{0,40}?[\"'`:=\n ]{1,6}(?P<secret>(?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})(?![a-z])",
        ("mnemonic", "phrase", "seed"),
        lambda lead, value: len(set(value.split())) > 8,
        "folded",
    ),
    SecretRule(
        "recovery-codes",
        r"(?:recovery|backup|scratch|emergency)[ _-](?:codes?|keys?)[^\n]{0,60}\n?"
        r"(?P<secret>(?:[\s\"',*\[\d.-]{0,8}?[a-z0-9]{4,6}[- ]?[a-z0-9]{4,6}(?:[- ][a-z0-9]{4,6})*[\s\"',\]]{1,4}){2,24})",
        ("recovery", "backup", "scratch", "emergency"),
        lambda lead, value: sum(map(str.isdigit, value)) >= 6,
        "folded",
    ),
    SecretRule(
        "jwk-private",
        r"\"(?:d|k|p|q|dp|dq|qi)\"[ ]?:[ ]?\"(?P<secret>[A-Za-z0-9_-]{22,2000}+)\"",
        ('"d"', '"k"'),
        _always,
    ),
)
