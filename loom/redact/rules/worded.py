"""Passwords of words: `blue-horse-42`, `rootroot1`, where the place says that one stands there.

Secrets in files of settings: a name in capitals, its value to the end of the line. Such a name says
clearly that a password follows, so words count as well, which in code never do.
"""

from __future__ import annotations

import re

from loom.lazy import lazy_re
from loom.redact.likely import is_made, is_placeholder
from loom.redact.rule import SecretRule

_WORDED = lazy_re(
    r"(?=[^A-Za-z]*[A-Za-z]{3})(?=[^\d]*\d)[A-Za-z0-9]+(?:[-_@!#%+*~][A-Za-z0-9]+)*[!?#*@$%]{0,3}"
)
# Of documents and tests: a word for passwords with a number.
_ORDINARY = lazy_re(
    r"(?:(?:my|test|the|some|your|new|old|user|admin|default|wrong|bad|good|invalid|valid|super"
    r"|another|other|db|example|dummy|fake|strong|weak|secure|plain|correct|change_?me|qwerty|abc"
    r"|pass(?:word|wd|phrase)?|p[a@]ss(?:w[o0]rd)?|pw|pwd|secret|token|key|foo|bar|baz|hunter|value"
    r"|string|v|sha|md|base|redis|postgres|mysql|mongo|guest|login|hash|hashed)[-_.@]?)+"
    r"[-_.@]?\d{0,6}[!?#*@$%]{0,3}",
    re.IGNORECASE,
)


def is_worded(value: str) -> bool:
    """True for words with digits and signs, of eight characters at least, as in no document."""
    return (
        len(value) >= 8
        and _WORDED.fullmatch(value) is not None
        and len(set(value)) > 3
        and not is_placeholder(value + "wqk")  # of few letters, as `rootroot1`
        and not _ORDINARY.fullmatch(value)
    )


_WORD = lazy_re(r"[a-z]{6,24}")
_NONE = lazy_re(
    r"pass(?:word|wd|phrase)|secrets?|change_?(?:me|it|this)|example|your\w*|required|optional|string"
    r"|default|empty|undefined|hidden|masked|redacted|testing|foobar|dummy|placeholder|values?"
    r"|prompt|insert\w*|replace\w*|postgres|mysql|enabled?|disabled?|always|never|ignored?|passed"
    r"|failed|false|nothing|unset|unknown|docker|account|private|public|number|settings|config\w*"
)
_BEGIN = r"(?m:^)(?:[-+ \d:|]{0,8}(?:export|ENV)?[ ]?|[ ]{0,12}- )"


def is_setting(lead: str, value: str) -> bool:
    """True for the password of a setting: made, words with digits, or one word that is no other."""
    if _WORD.fullmatch(value):
        name = lead.lower()
        return not (is_placeholder(value) or _NONE.fullmatch(value) or value in name)
    return is_worded(value) or is_made(value, 0.2, 7)


def is_key_of_settings(lead: str, value: str) -> bool:
    """True for a key with parentheses in it, which no shell would take."""
    return is_made(value, 0.3, 20)


SETTINGS: tuple[SecretRule, ...] = (
    SecretRule(
        "password",
        rf"{_BEGIN}[A-Z][A-Z0-9_]{{0,40}}?(?:PASSWORD|PASSWD|PASSPHRASE|_PASS|_PWD)="
        r"(?P<secret>[^\s\"'`$<>{}\[\]|;\\]{6,80}+)(?=[ \t]*(?:\r?\n|$))",
        ("PASSWORD=", "PASSWD=", "PASSPHRASE=", "_PASS=", "_PWD="),
        is_setting,
        "lines",
        1,
    ),
    SecretRule(
        "key",
        rf"{_BEGIN}[A-Z][A-Z0-9_]{{0,40}}?(?:SECRET|KEY|TOKEN)="
        r"(?P<secret>[^\s\"'`<>{}\[\]|;\\(]{1,100}+\([^\s\"'`<>{}\[\]|;\\]{12,100}+)"
        r"(?=[ \t]*(?:\r?\n|$))",
        ("SECRET=", "KEY=", "TOKEN="),
        is_key_of_settings,
        "lines",
        1,
    ),
)
