"""Secrets are replaced before anything is hashed, counted or written.

`redact=()` turns it off; a caller may add rules, pairs of (kind, pattern) and allowed values. What
is stored, restored and sent is the text after redaction.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import Any

from msgspec import MsgspecError, json

from loom.redact.rule import Rules, compiled
from loom.redact.rules import SECRETS
from loom.redact.search import SecretSearch, Span

_TEXT = re.compile(r'"((?:[^"\\]|\\.)*+)"')  # of JSON
_AGAIN = 3  # times a text is searched at most: what was replaced may have parted two others


class Redactor:
    """Replaces secrets; `counts` tells how many of each kind since `take` was last called."""

    def __init__(self, patterns: Rules = SECRETS) -> None:
        self.patterns = tuple(patterns)
        self._search = SecretSearch(*compiled(self.patterns))
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
        """A JSON value with every secret in its texts and keys replaced. RecursionError."""
        text = json.encode(value).decode()
        clean = self.arguments(text)
        return value if clean == text else json.decode(clean)

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
        text = str(text)  # of a class of its own, a text that stays would be of it still
        for _ in range(_AGAIN):
            spans = self._search(text)
            if not spans:
                break
            text = _marked(text, spans)
            for _, _, kind in spans:
                counts[kind] = counts.get(kind, 0) + 1
        return text

    def _arguments(self, text: str, counts: dict[str, int]) -> str:
        """JSON that stays JSON: what is replaced of it are parts of its texts."""
        found: dict[str, int] = {}
        clean = self._clean(text, found)
        if clean != text and _read(text) is not ... and not _is_like(_read(text), _read(clean)):
            found = {}
            clean = self._across(text, found)
        for kind, times in found.items():
            counts[kind] = counts.get(kind, 0) + times
        return clean

    def _across(self, text: str, counts: dict[str, int]) -> str:
        """JSON without what begins in one of its texts and ends in another: each loses its part."""
        for _ in range(_AGAIN):
            spans = self._search(text)
            before, text = text, _TEXT.sub(partial(_parted, spans), text)
            if text == before:
                break
            for _, _, kind in spans:
                counts[kind] = counts.get(kind, 0) + 1
        return text


def _marked(text: str, spans: Sequence[Span]) -> str:
    """The text with a mark in place of each span."""
    parts: list[str] = []
    at = 0
    for start, end, kind in spans:
        parts += (text[at:start], f"[redacted:{kind}]")
        at = end
    return "".join((*parts, text[at:]))


def _parted(spans: Sequence[Span], found: re.Match[str]) -> str:
    """A text of JSON with a mark for each span that lies in it, or the part that does."""
    first, last = found.span(1)
    inside = [
        (max(first, start) - first, min(last, end) - first, kind)
        for start, end, kind in spans
        if start < last and first < end
    ]
    return f'"{_marked(found[1], inside)}"' if inside else found[0]


def _is_like(value: Any, other: Any) -> bool:
    """True for two JSON values of the same structure, whatever their texts and keys are."""
    if isinstance(value, dict) and isinstance(other, dict):
        pairs = zip(value.values(), other.values(), strict=False)
        return len(value) == len(other) and all(_is_like(*pair) for pair in pairs)
    if isinstance(value, list) and isinstance(other, list):
        return len(value) == len(other) and all(map(_is_like, value, other))
    return (isinstance(value, str) and isinstance(other, str)) or value == other


def _read(text: str) -> Any:
    """The value of a JSON text; Ellipsis, which no JSON is, when it is not JSON."""
    try:
        return json.decode(text)
    except (MsgspecError, RecursionError):
        return ...
