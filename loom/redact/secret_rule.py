"""A rule as data: the kind of secret, its pattern, and when a match is a secret."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Literal, TypeAlias

from msgspec import Struct

from loom.lazy import lazy_re

# (what stands before the value within the match, the value) → True when the value is a secret.
Check: TypeAlias = Callable[[str, str], bool]
# The part of a text a rule searches: "text" all of it; "lines" those with one of its keywords in
# them, "folded" the same with A-Z made small; "options" the lines of commands; "begins" where a
# keyword stands before which there is no letter; "inside" long runs with one in them.
Where: TypeAlias = Literal["text", "lines", "folded", "options", "begins", "inside"]

_NESTED = 4_096  # characters of values that are searched for others, beside a quarter of a text


class SecretRule(Struct, frozen=True):
    r"""One kind of secret, found by a regular expression (`pattern`) and replaced.

    If the pattern has a group `secret` (or `secret…`), this group is replaced; if it has a group
    `keep`, what follows that group; otherwise the whole match. A text without any of the `keywords`
    is not searched. `check(lead, value)` returns True for a real secret: `value` is the part to be
    replaced, `lead` the part of the match before it. `place` says where matches may be (`Where`);
    with "lines" or "folded", within `lines` lines, the first of which contains a keyword.

        >>> badge = loom.SecretRule("badge", r"badge (?P<secret>\d{6})", keywords=("badge",))
        >>> with loom.open("memory://badge", redact=[*loom.SECRETS, badge]) as ctx:
        ...     ctx.page_in(ctx.user("My badge 120934.")).text
        'My badge [redacted:badge].'"""

    kind: str
    pattern: str
    keywords: tuple[str, ...] = ()
    check: Check | None = None
    place: Where = "text"
    lines: int = 2


class Allowed(Struct, frozen=True):
    """A regular expression for values that are never replaced. It must match the whole value.

    >>> test_key = loom.Allowed("sk-test-.*")
    >>> with loom.open("memory://allowed", redact=[*loom.SECRETS, test_key]) as ctx:
    ...     ctx.page_in(ctx.user("api_key=sk-test-Zx81kQp02Lm9")).text
    'api_key=sk-test-Zx81kQp02Lm9'"""

    pattern: str


# A line's end, and how the next begins in a diff, a numbered listing, among the hits of grep. The
# question mark is any sign beyond Latin-1, as an arrow.
NEXT = r"\n(?:[ ]{0,8}\d{1,6}[:?\t|)-]|[\w./-]{1,80}[:-]\d{1,6}[:-]|[-+])?[ \t]{0,60}"

# What `loom.open(redact=…)` takes. A pair is (kind, pattern).
Rules: TypeAlias = Iterable[SecretRule | Allowed | tuple[str, str]]


class CompiledRule:
    """A rule with its pattern compiled. It finds the pattern's matches in a text."""

    __slots__ = (*("_groups", "check", "keywords", "kind", "lines", "pattern", "place"),)

    def __init__(self, rule: SecretRule) -> None:
        self.kind, self.keywords = rule.kind, rule.keywords
        self.check, self.place, self.lines = rule.check, rule.place, rule.lines
        self.pattern = lazy_re(rule.pattern)  # most are of words no text has
        # Those of which the one that matched is the secret, and that which stays; once known.
        self._groups: tuple[tuple[int, ...], int] | None = None

    def matches(
        self, text: str, parts: Iterable[tuple[int, int]] | None = None
    ) -> Iterator[re.Match[str]]:
        """Yield the matches in the given parts (start, end) of a text; None searches all of it. The
        next match may begin inside the secret of the last one, unless this happens too often."""
        within = 0
        for at, stop in parts or ((0, len(text)),):
            while (match := self.pattern.search(text, at, stop)) is not None:
                yield match
                start, end = self.span(match)
                within += end - start
                at = start if within <= _NESTED + match.end() // 4 else end
                at = max(at, match.start() + 1)

    def matches_at(self, text: str, places: Iterable[int]) -> Iterator[re.Match[str]]:
        """Yield the matches that begin at one of the sorted `places`. No two matches overlap."""
        at = 0
        for place in places:
            if place >= at and (match := self.pattern.match(text, place)) is not None:
                yield match
                at = match.end()

    def span(self, match: re.Match[str]) -> tuple[int, int]:
        """Return (start, end) of the part of a match that is replaced. This is a group named
        `secret…`; without one, all after the group `keep`; without either, the whole match."""
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


def compile_rules(
    rules: Iterable[SecretRule | Allowed],
) -> tuple[tuple[CompiledRule, ...], Callable[[str], bool]]:
    """Return (the compiled SecretRules, a function). The function returns True for a value that one
    of the Allowed rules matches. The rules must have been checked."""
    given = tuple(rules)
    ready = tuple(CompiledRule(rule) for rule in given if not isinstance(rule, Allowed))
    allowed = tuple(re.compile(rule.pattern) for rule in given if isinstance(rule, Allowed))
    return ready, partial(_matches_any, allowed)


def _matches_any(allowed: tuple[re.Pattern[str], ...], value: str) -> bool:
    """Return True if one of the `allowed` patterns matches the whole of `value`."""
    return any(one.fullmatch(value) for one in allowed)


def rules_as_text(rules: Rules) -> str:
    """Return a text of the rules' kinds, patterns and names of checks. Equal rules have equal
    texts, also in another process."""
    parts = [
        (rule.kind, rule.pattern, getattr(rule.check, "__qualname__", ""))
        if isinstance(rule, SecretRule)
        else rule
        for rule in rules
    ]
    return repr(parts)
