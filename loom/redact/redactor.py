"""Secrets are replaced before anything is hashed, counted or written.

Patterns are of credentials with a shape of their own; `redact=()` turns them off, and a caller
may add pairs of (kind, pattern). What is stored, restored and sent is the text after redaction.
A text with escapes or escape sequences is also searched as it is shown (`loom.redact.visible`).

A secret of the usual rules ends where its own alphabet does, whatever else is a letter somewhere.
Each begins with its letters, and looks behind them from there: a search for letters is fast.
No place of a text is tried against the rest of it more than a few times, whatever it holds: what a
pattern repeats ends where the next match could begin.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial
from typing import Any, TypeAlias

from msgspec import MsgspecError, json

from loom.redact.visible import VisibleText, is_plain

_KEY = "[A-Z ]{0,20}PRIVATE KEY-----"
_END = "(?![A-Za-z0-9])"
# Letters of both cases and a digit, or twelve of either on end with a digit among them: no name.
_RANDOM = (
    r"(?=[A-Za-z_-]{0,199}+[0-9])(?:(?=[a-z0-9_-]{0,199}+[A-Z])(?=[A-Z0-9_-]{0,199}+[a-z])"
    r"|(?=[A-Za-z0-9_-]{0,188}?(?=[A-Za-z]{0,11}+[0-9])[A-Za-z0-9]{12}))"
)


def _begin(letters: str, before: str = "A-Za-z0-9") -> str:
    return f"{letters}(?<![{before}]{letters})"


# kind → pattern; where a pattern has a group named `keep`, that part of the match stays.
Rules: TypeAlias = Iterable[tuple[str, str]]
SECRETS: tuple[tuple[str, str], ...] = (
    (
        "private-key",  # one whose end is missing goes with the next that has one
        rf"(?:-----BEGIN {_KEY}(?:[^-]|-(?!----(?:BEGIN|END) {_KEY})){{0,8000}}+){{1,4}}+"
        rf"-----END {_KEY}",
    ),
    ("aws-key", rf"{_begin('A[KS]IA', 'A-Z0-9')}[0-9A-Z]{{16}}(?![0-9A-Z])"),
    (
        "github-token",
        rf"{_begin('g')}(?:h[pousr]_[A-Za-z0-9]{{36,255}}|ithub_pat_[A-Za-z0-9_]{{22,255}})"
        rf"{_END}",
    ),
    ("gitlab-token", rf"{_begin('glpat-')}[A-Za-z0-9_-]{{20,64}}{_END}"),
    ("slack-token", rf"{_begin('xox')}[abprs]-[A-Za-z0-9-]{{10,200}}{_END}"),
    ("api-key", rf"{_begin('sk-')}{_RANDOM}[A-Za-z0-9_-]{{24,200}}{_END}"),
    ("google-key", rf"{_begin('AIza')}[0-9A-Za-z_-]{{35}}{_END}"),
    ("stripe-key", rf"{_begin('[rs]k_')}(?:live|test)_[0-9A-Za-z]{{20,200}}{_END}"),
    ("npm-token", rf"{_begin('npm_')}[A-Za-z0-9]{{36}}{_END}"),
    (
        "jwt",
        rf"{_begin('eyJ', 'A-Za-z0-9_')}(?:[A-Za-z0-9_]|-(?!eyJ)){{10,2000}}+"
        rf"\.eyJ[A-Za-z0-9_-]{{10,4000}}+\.[A-Za-z0-9_-]{{10,2000}}{_END}",
    ),
    ("bearer", r"(?P<keep>[Aa]uthorization: ?[Bb]earer )[A-Za-z0-9._~+/=-]{16,2000}"),
    (
        "url-password",  # of several @ the last one is before the host, and a digest is no host
        r"""(?P<keep>://(?<=[A-Za-z0-9+.-]{2}://)[^\s:/@"'`]{1,100}:)"""
        r"""(?:[^\s:/"'`]|'(?=\w)){3,200}(?=@(?!sha\d{1,3}:))""",
    ),
)
_TEXT = re.compile(r'"((?:[^"\\]|\\.)*+)"')  # of JSON


class Redactor:
    """Replaces secrets; `counts` tells how many of each kind since `take` was last called."""

    def __init__(self, patterns: Rules = SECRETS) -> None:
        self.patterns = tuple(patterns)
        self._rules = [(kind, re.compile(pattern)) for kind, pattern in self.patterns]
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
        """A parsed JSON value with every secret in its texts and keys replaced. RecursionError."""
        return self._walked(value, self.counts)

    def holds_secret(self, text: str) -> bool:
        """True when a text that must stay verbatim (a signed block) contains a secret."""
        found: dict[str, int] = {}
        self._arguments(text, found)
        return bool(found)

    def take(self) -> dict[str, int]:
        """The counts so far, which start again at nothing."""
        counts, self.counts = self.counts, {}
        return counts

    def _clean(self, text: str, counts: dict[str, int]) -> str:
        if not is_plain(text):
            # First as one word: half of a secret must not be found before the whole is.
            shown = _searched(self._rules, text, False, counts)
            if shown.parted:
                shown = _searched(self._rules, shown.text, True, counts)
            text = shown.text
        for kind, pattern in self._rules:
            text, found = pattern.subn(partial(_mark, kind), text)
            _count(counts, kind, found)
        return text

    def _arguments(self, text: str, counts: dict[str, int]) -> str:
        """Clean JSON as a text when that changes only its values; else value by value."""
        found: dict[str, int] = {}
        clean = self._clean(text, found)
        if clean != text or "\\u" in text or "\\/" in text:
            inside: dict[str, int] = {}
            try:
                given = json.decode(text)
                walked = self._walked(given, inside)
                if walked != _read(clean):
                    text = text if walked == given else json.encode(walked).decode()
                    clean, found = self._across(text, inside), inside
            except (MsgspecError, ValueError, RecursionError):
                pass  # no JSON, or too deep to be walked
        for kind, times in found.items():
            _count(counts, kind, times)
        return clean

    def _across(self, text: str, counts: dict[str, int]) -> str:
        """JSON without what begins in one of its texts and ends in another: each loses its part."""
        for kind, pattern in self._rules:
            mark = f"[redacted:{kind}]"
            spans = [
                (start, match.end())
                for match in pattern.finditer(text)
                if '"' in match[0]
                and not text.startswith(mark, start := match.start() + len(_kept(match)))
            ]
            if spans:
                text = _TEXT.sub(partial(_parted, mark, spans), text)
                _count(counts, kind, len(spans))
        return text

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


def _searched(
    rules: Iterable[tuple[str, re.Pattern[str]]], text: str, apart: bool, counts: dict[str, int]
) -> VisibleText:
    """The text without the secrets in what is shown of it."""
    shown = VisibleText(text, apart=apart)
    if shown.bare == text:
        return shown
    for kind, pattern in rules:
        clean, found = shown.subn(pattern, f"[redacted:{kind}]")
        if found:
            _count(counts, kind, found)
            shown = VisibleText(clean, apart=apart)
    return shown


def _parted(mark: str, spans: Iterable[tuple[int, int]], found: re.Match[str]) -> str:
    """A text of JSON with the mark for what lies in the spans."""
    first, last = found.span(1)
    parts = [(start, end) for start, end in spans if start < last and first < end]
    if not parts:
        return found[0]
    start, end = max(first, parts[0][0]), min(last, parts[-1][1])
    return f'"{found.string[first:start]}{mark}{found.string[end:last]}"'


def _read(text: str) -> Any:
    """The value of a JSON text; Ellipsis, which no JSON is, when it is not JSON."""
    try:
        return json.decode(text)
    except MsgspecError:
        return ...


def _count(counts: dict[str, int], kind: str, found: int) -> None:
    if found:
        counts[kind] = counts.get(kind, 0) + found


def _kept(match: re.Match[str]) -> str:
    return match.groupdict().get("keep") or ""


def _mark(kind: str, match: re.Match[str]) -> str:
    return f"{_kept(match)}[redacted:{kind}]"
