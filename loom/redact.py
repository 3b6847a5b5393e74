"""Secrets are replaced before anything is hashed, counted or written.

Patterns are of credentials with a shape of their own; `redact=()` turns them off, and a caller
may add pairs of (kind, pattern). What is stored, restored and sent is the text after redaction.

No place of a text is tried against the rest of it more than a few times, whatever it holds: what a
pattern repeats ends where the next match could begin.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial
from typing import Any

from msgspec import MsgspecError, json

_KEY = "[A-Z ]{0,20}PRIVATE KEY-----"

# kind → pattern; where a pattern has a group named `keep`, that part of the match stays.
SECRETS: tuple[tuple[str, str], ...] = (
    (
        "private-key",  # one whose end is missing goes with the next that has one
        rf"(?:-----BEGIN {_KEY}(?:[^-]|-(?!----(?:BEGIN|END) {_KEY})){{0,8000}}+){{1,4}}+"
        rf"-----END {_KEY}",
    ),
    ("aws-key", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    (
        "github-token",
        r"\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})\b",
    ),
    ("gitlab-token", r"\bglpat-[A-Za-z0-9_-]{20,64}\b"),
    ("slack-token", r"\bxox[abprs]-[A-Za-z0-9-]{10,200}\b"),
    ("api-key", r"\bsk-(?:ant-|proj-|live-|test-)?[A-Za-z0-9_-]{24,200}\b"),
    ("google-key", r"\bAIza[0-9A-Za-z_-]{35}\b"),
    ("stripe-key", r"\b[rs]k_(?:live|test)_[0-9A-Za-z]{20,200}\b"),
    ("npm-token", r"\bnpm_[A-Za-z0-9]{36}\b"),
    (
        "jwt",
        r"\beyJ(?:[A-Za-z0-9_]|-(?!eyJ)){10,2000}+\.eyJ[A-Za-z0-9_-]{10,4000}+"
        r"\.[A-Za-z0-9_-]{10,2000}\b",
    ),
    ("bearer", r"(?P<keep>\b[Aa]uthorization: ?[Bb]earer )[A-Za-z0-9._~+/=-]{16,2000}"),
    (
        "url-password",
        r"(?P<keep>\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{1,100}:)[^\s:/@]{3,200}(?=@)",
    ),
)


# In JSON a word may begin behind an escape, whose letter is none of its own.
BEGIN, ESCAPED = r"\b", r"(?<=\\[bfnrt])"
_ESCAPE = re.compile(r"\\[bfnrt]")


class Redactor:
    """Replaces secrets; `counts` tells how many of each kind since `take` was last called."""

    def __init__(self, patterns: Iterable[tuple[str, str]] = SECRETS) -> None:
        given = list(patterns)
        self._patterns = [(kind, re.compile(pattern)) for kind, pattern in given]
        self._escaped = [
            (kind, re.compile(pattern.replace(BEGIN, ESCAPED, 1)))
            for kind, pattern in given
            if pattern.startswith((BEGIN, f"(?P<keep>{BEGIN}"))
        ]
        self.counts: dict[str, int] = {}

    def __call__(self, text: str) -> str:
        """The text with every secret replaced by `[redacted:kind]`."""
        for kind, pattern in (*self._patterns, *(self._escaped if _ESCAPE.search(text) else ())):
            text, found = pattern.subn(partial(_mark, kind), text)
            if found:
                self.counts[kind] = self.counts.get(kind, 0) + found
        return text

    def arguments(self, text: str) -> str:
        """JSON with every secret replaced, also one whose letters are spelled as escapes."""
        text = self(text)
        if "\\u" not in text and "\\/" not in text:
            return text
        try:
            given = json.decode(text)
            clean = self._walked(given)
        except (MsgspecError, ValueError, RecursionError):
            return text
        return text if clean == given else json.encode(clean).decode()

    def _walked(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.arguments(value)  # perhaps JSON itself, as a gateway's arguments may be
        if isinstance(value, list):
            return [self._walked(one) for one in value]
        if isinstance(value, dict):
            return {self(key): self._walked(one) for key, one in value.items()}
        return value

    def holds_secret(self, text: str) -> bool:
        """Whether a text that must stay verbatim (a signed block) contains a secret."""
        patterns = (*self._patterns, *self._escaped)
        return any(pattern.search(text) for _, pattern in patterns)

    def take(self) -> dict[str, int]:
        """The counts so far, which start again at nothing."""
        counts, self.counts = self.counts, {}
        return counts


def _mark(kind: str, match: re.Match[str]) -> str:
    kept = match.groupdict().get("keep") or ""
    return f"{kept}[redacted:{kind}]"
