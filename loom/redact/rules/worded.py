"""Passwords of words: `blue-horse-42`, `rootroot1`, where the place says that one stands there."""

from __future__ import annotations

import re

from loom.lazy import lazy_re
from loom.redact.likely import is_placeholder

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
