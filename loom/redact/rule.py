"""A rule as data: the kind of secret, how it looks, and what must hold for it to be one.

The letters a match of a regular expression begins with, as far as they can be read off it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Literal, TypeAlias

from msgspec import Struct

from loom.lazy import lazy_re

LEAST = 2  # letters that are worth a search
_FLAGS = lazy_re(r"\(\?[aiLmsux-]*[ix]")  # letters are not what they seem
_BEHIND = lazy_re(r"\(\?<[!=][^()]*\)")  # looks behind, without a group in it
_ATOM = lazy_re(
    r"\[(?P<one>[ ])\]|\\(?P<escaped>[^\w\s])|(?P<plain>[^\\\[\](){}?*+|^$.])", re.DOTALL
)
_NOT_OPEN = lazy_re(r"\\.|\[\^?\]?(?:[^\]\\]|\\.)*\]|[^\\\[(|)]+", re.DOTALL)


def beginnings(pattern: str) -> tuple[str, ...]:
    """Texts of which one begins each match; () when the pattern does not tell."""
    if _FLAGS.search(pattern) or len(_alternatives(pattern, 0)[0]) > 1:
        return ()
    at = behind.end() if (behind := _BEHIND.match(pattern)) else 0
    if not pattern.startswith("(?:", at):
        made = [_literal(pattern[at:])]
    else:
        found, end = _alternatives(pattern, at + 3)
        made = [] if pattern[end + 1 : end + 2] in ("?", "*", "{") else list(map(_literal, found))
    return tuple(dict.fromkeys(made)) if made and min(map(len, made)) >= LEAST else ()


def _alternatives(pattern: str, at: int) -> tuple[list[str], int]:
    """The alternatives from a place on up to where their group ends, and where that is."""
    found, start, depth = [], at, 0
    while at < len(pattern):
        plain = _NOT_OPEN.match(pattern, at)
        if plain is not None:
            at = plain.end()
            continue
        sign = pattern[at]
        if sign == ")" and not depth:
            break
        if sign == "|" and not depth:
            found.append(pattern[start:at])
            start = at + 1
        depth += (sign == "(") - (sign == ")")
        at += 1
    return [*found, pattern[start:at]], at


def _literal(pattern: str) -> str:
    """The letters a pattern begins with, each of which it has to have."""
    made, at = "", 0
    while (atom := _ATOM.match(pattern, at)) is not None:
        at = atom.end()
        if pattern[at : at + 1] in ("?", "*", "{"):
            break
        made += atom[atom.lastgroup or 0]
        if pattern[at : at + 1] == "+":
            break
    return made


# (what stands before the value within the match, the value) → True when the value is a secret.
Check: TypeAlias = Callable[[str, str], bool]
# The part of a text a rule searches: "text" all of it; "lines" those with one of its keywords in
# them, "folded" the same with A-Z made small; "options" the lines of commands; "begins" and
# "inside" the runs of letters of tokens, where a keyword begins the match, or stands in it.
Where: TypeAlias = Literal["text", "lines", "folded", "options", "begins", "inside"]


WORDED = frozenset(("lines", "folded", "options"))  # places that are found by words
_NESTED = 4_096  # characters of values that are searched for others, beside a quarter of a text


class SecretRule(Struct, frozen=True):
    r"""One kind of secret.

    `pattern` is a regular expression. Where it has groups whose names begin with `secret`, the one
    that matched is what is replaced; else a group `keep` stays and the rest goes; else all goes.
    `keywords`: a text without any of them is not searched. `check` decides over the value. In
    `lines` and `folded`, a match holds a keyword and ends so many lines on at most.

        >>> badge = loom.SecretRule("badge", r"badge (?P<secret>\d{6})", keywords=("badge",))
        >>> with loom.open("memory://badge", redact=[*loom.SECRETS, badge]) as ctx:
        ...     ctx.page_in(ctx.user("My badge 120934.")).text
        'My badge [redacted:badge].'
    """

    kind: str
    pattern: str
    keywords: tuple[str, ...] = ()
    check: Check | None = None
    place: Where = "text"
    lines: int = 2


class Allowed(Struct, frozen=True):
    """A value that is never replaced: a regular expression which matches the whole of it."""

    pattern: str


# A line's end, and how the next begins in a diff, a numbered listing, among the hits of grep. The
# question mark is any sign beyond Latin-1, as an arrow.
NEXT = r"\n(?:[ ]{0,8}\d{1,6}[:?\t|)-]|[\w./-]{1,80}[:-]\d{1,6}[:-]|[-+])?[ \t]{0,60}"

# What `loom.open(redact=…)` takes. A pair is (kind, pattern).
Rules: TypeAlias = Iterable[SecretRule | Allowed | tuple[str, str]]


class CompiledRule:
    """A rule made ready: finds the places of its secrets in a text."""

    __slots__ = (*("_groups", "begins", "check", "keywords", "kind", "lines", "pattern", "place"),)

    def __init__(self, rule: SecretRule) -> None:
        self.kind, self.keywords = rule.kind, rule.keywords
        self.check, self.place, self.lines = rule.check, rule.place, rule.lines
        self.pattern = lazy_re(rule.pattern)  # most are of words no text has
        # Those of which the one that matched is the secret, and that which stays; once known.
        self._groups: tuple[tuple[int, ...], int] | None = None
        self.begins = beginnings(rule.pattern) if self.place in WORDED else ()

    def matches(self, searched: str) -> Iterable[re.Match[str]]:
        """The matches in a text that may be a secret each."""
        if not self.is_named(searched):
            return ()
        return self._beginning(searched) if self.place == "begins" else self._all(searched)

    def is_named(self, searched: str) -> bool:
        """True when a keyword is in a text, or the rule has none."""
        for word in self.keywords:  # as a generator it takes three times as long
            if word in searched:
                return True
        return not self.keywords

    def _all(self, searched: str) -> Iterator[re.Match[str]]:
        """Every match, also one that begins within the value of another, while that is rare."""
        at = within = 0
        while (match := self.pattern.search(searched, at)) is not None:
            yield match
            start, end = self.span(match)
            within += end - start
            at = start if within <= _NESTED + match.end() // 4 else end
            at = max(at, match.start() + 1)

    def matches_at(self, searched: str, places: Iterable[int]) -> Iterator[re.Match[str]]:
        """The matches that begin at some of the places, which are in order; as in `matches`."""
        at = within = 0
        begins = self.pattern.match
        for place in places:
            if place < at or (match := begins(searched, place)) is None:
                continue
            yield match
            start, end = self.span(match)
            within += end - start
            at = start if within <= _NESTED + match.end() // 4 else end

    def _beginning(self, searched: str) -> Iterator[re.Match[str]]:
        """The matches that a keyword begins, where no letter or digit stands before it."""
        for word in self.keywords:
            at = searched.find(word)
            while at >= 0:
                before = searched[at - 1 : at]
                match = None
                if not (before.isascii() and before.isalnum()):
                    match = self.pattern.match(searched, at)
                if match is not None:
                    yield match
                at = searched.find(word, match.end() if match else at + 1)

    def span(self, match: re.Match[str]) -> tuple[int, int]:
        """Where the part of a match that is the secret begins and ends."""
        if self._groups is None:
            names = self.pattern.groupindex
            secrets = tuple(names[name] for name in names if name.startswith("secret"))
            self._groups = secrets, names.get("keep", 0)
        secrets, keep = self._groups
        for number in secrets:
            if match.start(number) >= 0:
                return match.span(number)
        if keep and match.start(keep) >= 0:
            return match.end(keep), match.end()
        return match.span()


def compiled(
    rules: Iterable[SecretRule | Allowed],
) -> tuple[tuple[CompiledRule, ...], Callable[[str], bool]]:
    """Checked rules made ready, and what tells if a value is allowed."""
    ready: list[CompiledRule] = []
    allowed: list[re.Pattern[str]] = []
    for rule in rules:
        if isinstance(rule, Allowed):
            allowed.append(re.compile(rule.pattern))
        else:
            ready.append(CompiledRule(rule))
    return tuple(ready), partial(_matched, tuple(allowed))


def _matched(allowed: tuple[re.Pattern[str], ...], value: str) -> bool:
    """True when one of the patterns matches the whole value."""
    return any(one.fullmatch(value) for one in allowed)


def spelled(rules: Rules) -> str:
    """The rules as one text, the same in each process: kinds, patterns and the names of checks."""
    parts = [
        (rule.kind, rule.pattern, getattr(rule.check, "__qualname__", ""))
        if isinstance(rule, SecretRule)
        else rule
        for rule in rules
    ]
    return repr(parts)
