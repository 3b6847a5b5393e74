"""Where the secrets of a text stand: as it is written, as it is shown, and in what it encodes.

A text is searched in windows, each by the rules that can match in it (`rule`), with the usual
escapes (`\\n`, `\\"`) read in place. Where it holds others, or sequences of a terminal, what is
around them is searched as it is shown too (`visible`). What stands in it in base64 or hexadecimal
digits is read once and searched the same way. All places are those of the text as it came.
"""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error, unhexlify
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from operator import itemgetter
from typing import TypeAlias

import re2

from loom.lazy import lazy_re
from loom.redact.armour import armoured
from loom.redact.rule import Allowed, Check, CompiledRule, RuleFilter, SecretRule
from loom.redact.tables import columns
from loom.redact.visible import VisibleText, hiding

Span: TypeAlias = tuple[int, int, str]  # where it starts, where it ends, the kind
WINDOW, REACH = 8_192, 2_048  # characters in which a match begins, and on which it may go
BREAK = "\n\x01\n"  # between two texts; no rule matches across it
# In bytes, one for each character: RE2 finds runs at the speed of a copy.
_RUNS = re2.compile(rb"[A-Za-z0-9+/_-]{24,}={0,2}")
_SMALL = {code: code + 32 for code in range(65, 91)}
_LIKELY = lazy_re(r"[0-9]|[A-Za-z]{16}")  # the runs that are looked at
_HEX = lazy_re(r"(?<![A-Za-z0-9])(?:(?:[0-9a-f]{2}){14,}+|(?:[0-9A-F]{2}){14,}+)(?![A-Za-z0-9])")
_WRAPPED = 60  # characters of the shortest line of base64 that goes on in the next
_LINE = lazy_re(
    r"(?<!=)\r?\n[ \t]{0,24}(?P<more>[A-Za-z0-9+/]+={0,2})(?=[ \t]{0,8}(?:[\r\n\"'\\,;)]|$))"
)
_URL_SAFE = str.maketrans("-_", "+/")
_SPACE = lazy_re(r"\s+")
_TEXT = bytes(range(32, 127)) + b"\t\n\r\f\x1b\x00"


def encoded(text: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, what it says) of each run of letters in a text that says another."""
    done = 0
    for match in _RUNS.finditer(text.encode("latin-1", "replace")):
        start, end = match.span()
        run = text[start:end]
        if start >= done and _LIKELY.search(run) and _begins(run):
            if len(run) >= _WRAPPED:
                end = done = _wrapped(text, end)
                run = _SPACE.sub("", text[start:end])
            if said := _plain(run):
                yield start, end, said
        for digits in _HEX.finditer(text, start, end):
            if said := _readable(unhexlify(digits[0])):
                yield (*digits.span(), said)


def _begins(run: str) -> bool:
    """True when the beginning of a run of base64 may be that of a text."""
    return bool(_readable(b64decode(run[:16].translate(_URL_SAFE))))


def _wrapped(text: str, end: int) -> int:
    """Where a run of base64 ends that goes on in the lines behind it."""
    while (line := _LINE.match(text, end)) is not None:
        end = line.end()
        if len(line["more"]) < _WRAPPED:
            break
    return end


def _plain(run: str) -> str:
    """The text a run of base64 says; "" when it says none."""
    run = run.rstrip("=").translate(_URL_SAFE)
    run = run[: len(run) - (len(run) % 4 == 1)]
    try:
        return _readable(b64decode(run + "=" * (-len(run) % 4)))
    except (Error, ValueError):
        return ""


def _readable(data: bytes) -> str:
    """Bytes as the text they are; "" for any that are no text."""
    if not data.translate(None, _TEXT):
        return data.decode("ascii")
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return ""
    return text if text.isprintable() else ""


_REST = lazy_re(r"[^\s\"'`<>,;|(){}\[\]\\]*+")
LONG = 200  # characters of a value that may go on
LEAST = 6  # characters of the shortest secret with what gives it away
_NEAR = 2_048  # characters beside a sequence, before it and twice as many behind
PART = 1 << 18  # characters that are read as they are shown at once
_READ = {'"': '"', "'": "'", "n": "\n", "r": "\n", "t": "\t"}
_DEEP = 8  # backslashes before one character: four JSONs, each in another


def softened(text: str) -> str:
    """The text with its usual escapes read in place: `\\n` as line ends, `\\"` as quotes.

    All characters of an escape become what it stands for, also where JSON in JSON has more than one
    backslash before it.
    """
    if "\\" not in text:
        return text
    for letter, sign in _READ.items():
        text = text.replace(f"\\{letter}", sign * 2)
    for sign in sorted({*_READ.values()}):
        for _ in range(_DEEP):
            if f"\\{sign}" not in text:
                break
            text = text.replace(f"\\{sign}", sign * 2)
    return text


class SecretSearch:
    """Finds the secrets of texts by rules made ready."""

    def __init__(self, rules: Sequence[SecretRule | Allowed]) -> None:
        ready = [CompiledRule(rule) for rule in rules if isinstance(rule, SecretRule)]
        allowed = [re.compile(one.pattern) for one in rules if isinstance(one, Allowed)]
        self._rules = RuleFilter(ready)
        self._empty = not ready
        self._allowed = allowed

    def __call__(self, text: str) -> list[Span]:
        """The places of the secrets in a text, in order, none within or across another."""
        if len(text) < LEAST or self._empty:
            return []
        return joined(self._found(text, True))

    def _found(self, text: str, inside: bool) -> Iterator[Span]:
        soft = softened(text)
        yield from self._within(soft)
        for start, end in _around(soft, hiding(soft)):
            shown = VisibleText(soft[start:end])
            for first, last, kind in self._within(shown.bare):
                first, last = shown.span(first, last)
                yield start + first, start + last, kind
        if inside:
            yield from self._encoded([*encoded(soft)])

    def _encoded(self, parts: Sequence[tuple[int, int, str]]) -> Iterator[Span]:
        """The parts whose text, as it was decoded, holds a secret: searched as one text."""
        if not parts:
            return
        sizes = accumulate((len(said) + len(BREAK) for _, _, said in parts), initial=0)
        starts = [*sizes]
        kinds: dict[int, str] = {}
        for at, _, kind in self._found(BREAK.join(said for _, _, said in parts), False):
            kinds.setdefault(bisect_right(starts, at) - 1, kind)
        for number, kind in kinds.items():
            start, end, _ = parts[number]
            yield start, end, kind

    def _within(self, text: str) -> Iterator[Span]:
        """Secrets as they are written, by every rule."""
        for start, end in armoured(text):
            yield start, end, "private-key"
        for start, end in columns(text):
            yield start, end, "password"
        small = _small(text)
        judged: dict[tuple[Check | None, str, str], bool] = {}  # texts repeat themselves
        for at in range(0, len(text), WINDOW):
            end = min(at + WINDOW + REACH, len(text))
            for rule in self._rules(text[at:end]):
                for match in rule.matches(text, small, at, at + WINDOW, end):
                    for start, stop in rule.spans(match):
                        value = text[start:stop].rstrip("\\")  # of the quote behind it
                        asked = rule.check, text[match.start() : start], value
                        if asked not in judged:
                            judged[asked] = self._is_held(*asked)
                        if judged[asked]:
                            stop = start + len(value)
                            if len(value) >= LONG and (rest := _REST.match(text, stop)):
                                stop = rest.end()
                            yield start, stop, rule.kind

    def _is_held(self, check: Check | None, lead: str, value: str) -> bool:
        """True when the check takes a value for a secret, and it is not allowed."""
        held = bool(value) and (check is None or check(lead, value))
        return held and not any(one.fullmatch(value) for one in self._allowed)


def _small(text: str) -> str:
    """The text in small letters, each in its place."""
    small = text.lower()
    return small if len(small) == len(text) else text.translate(_SMALL)


def _around(text: str, places: Iterable[int]) -> Iterator[tuple[int, int]]:
    """The lines that hold places and those beside them, as one where they meet, up to a size."""
    begin = done = 0
    for at in places:
        if done - _NEAR > at:
            continue
        start = max(text.rfind("\n", max(at - _NEAR, 0), at) + 1, at - _NEAR, 0)
        if start > done or done - begin > PART:
            if done:
                yield begin, done
            begin = start
        line = text.find("\n", at, at + _NEAR)
        done = text.find("\n", line + 1, line + 2 * _NEAR) if line >= 0 else -1
        done = done if done >= 0 else min(at + 2 * _NEAR, len(text))
    if done:
        yield begin, done


def joined(spans: Iterable[Span]) -> list[Span]:
    """Spans in order; those that overlap as one, of the kind of the longest."""
    made: list[Span] = []
    longest_first = sorted(spans, key=itemgetter(1), reverse=True)
    for start, end, kind in sorted(longest_first, key=itemgetter(0)):
        if made and start < made[-1][1]:
            first, last, known = made[-1]
            longer = end - start > last - first
            made[-1] = (first, max(last, end), kind if longer else known)
        else:
            made.append((start, end, kind))
    return made
