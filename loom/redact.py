"""Secrets are replaced before anything is hashed, counted or written.

Patterns are of credentials with a shape of their own; `redact=()` turns them off, and a caller
may add pairs of (kind, pattern). What is stored, restored and sent is the text after redaction.
A text with escape sequences is also searched as a terminal shows it (`loom.shown`).

No place of a text is tried against the rest of it more than a few times, whatever it holds: what a
pattern repeats ends where the next match could begin.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial
from typing import Any, TypeAlias

from msgspec import MsgspecError, json

from loom.shown import Shown, has_sequences

_KEY = "[A-Z ]{0,20}PRIVATE KEY-----"

# kind → pattern; where a pattern has a group named `keep`, that part of the match stays.
Rules: TypeAlias = Iterable[tuple[str, str]]
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

    def __init__(self, patterns: Rules = SECRETS) -> None:
        self.patterns = tuple(patterns)
        self._rules = [(kind, re.compile(pattern)) for kind, pattern in self.patterns]
        self._escaped = [
            (kind, re.compile(pattern.replace(BEGIN, ESCAPED, 1)))
            for kind, pattern in self.patterns
            if pattern.startswith((BEGIN, f"(?P<keep>{BEGIN}"))
        ]
        self.counts: dict[str, int] = {}

    def __call__(self, text: str) -> str:
        """The text with every secret replaced by `[redacted:kind]`."""
        return self._clean(text, self.counts)

    def data(self, data: bytes) -> bytes:
        """Bytes with every secret of the text in them replaced; what is no UTF-8 stays."""
        return self(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")

    def arguments(self, text: str) -> str:
        """JSON with every secret replaced, also one whose letters are spelled as escapes."""
        return self._arguments(text, self.counts)

    def value(self, value: Any) -> Any:
        """What JSON holds, with every secret in its texts and keys replaced. RecursionError."""
        return self._walked(value, self.counts)

    def holds_secret(self, text: str) -> bool:
        """Whether a text that must stay verbatim (a signed block) contains a secret."""
        found: dict[str, int] = {}
        self._arguments(text, found)
        return bool(found)

    def take(self) -> dict[str, int]:
        """The counts so far, which start again at nothing."""
        counts, self.counts = self.counts, {}
        return counts

    def _clean(self, text: str, counts: dict[str, int]) -> str:
        rules = (*self._rules, *(self._escaped if _ESCAPE.search(text) else ()))
        if has_sequences(text):
            # First as one word: half of a secret must not be found before the whole is.
            for apart in (False, True):
                text = _shown(rules, text, apart, counts)
        for kind, pattern in rules:
            text, found = pattern.subn(partial(_mark, kind), text)
            _count(counts, kind, found)
        return text

    def _arguments(self, text: str, counts: dict[str, int]) -> str:
        text = self._clean(text, counts)
        if "\\u" not in text and "\\/" not in text:
            return text
        try:
            given = json.decode(text)
            clean = self._walked(given, counts)
        except (MsgspecError, ValueError, RecursionError):
            return text
        return text if clean == given else json.encode(clean).decode()

    def _walked(self, value: Any, counts: dict[str, int]) -> Any:
        if isinstance(value, str):
            # Perhaps JSON itself, as a gateway's arguments may be.
            return self._arguments(value, counts)
        if isinstance(value, list):
            return [self._walked(one, counts) for one in value]
        if isinstance(value, dict):
            return {
                self._clean(key, counts): self._walked(one, counts) for key, one in value.items()
            }
        return value


def _shown(
    rules: Iterable[tuple[str, re.Pattern[str]]], text: str, apart: bool, counts: dict[str, int]
) -> str:
    """The text without the secrets a terminal would show."""
    shown = Shown(text, apart=apart)
    for kind, pattern in rules:
        clean, found = shown.subn(pattern, f"[redacted:{kind}]")
        if found:
            _count(counts, kind, found)
            shown = Shown(clean, apart=apart)
    return shown.text


def _count(counts: dict[str, int], kind: str, found: int) -> None:
    if found:
        counts[kind] = counts.get(kind, 0) + found


def _mark(kind: str, match: re.Match[str]) -> str:
    kept = match.groupdict().get("keep") or ""
    return f"{kept}[redacted:{kind}]"
