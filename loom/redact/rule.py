"""A rule as data: the kind of secret, how it looks, and what must hold for it to be one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

import re2
from msgspec import Struct

from loom.lazy import lazy_re

# (what stands before the value within the match, the value) → True when the value is a secret.
Check: TypeAlias = Callable[[str, str], bool]
_NESTED = 4_096  # characters of values that are searched for others, beside each place once


class SecretRule(Struct, frozen=True):
    """One kind of secret.

    `pattern` is a regular expression. Where it has groups whose names begin with `secret`, those
    that matched are what is replaced; else a group `keep` stays and the rest goes; else all goes.
    `check` decides over each value. A match of more than 2,000 characters may be missed.
    """

    kind: str
    pattern: str
    check: Check | None = None


class Allowed(Struct, frozen=True):
    """A value that is never replaced: a regular expression which matches the whole of it."""

    pattern: str


# What `loom.open(redact=…)` takes. A pair is (kind, pattern).
Rules: TypeAlias = Iterable[SecretRule | Allowed | tuple[str, str]]


class CompiledRule:
    """A rule made ready: finds the places of its secrets in a text."""

    def __init__(self, rule: SecretRule) -> None:
        self.kind, self.check, self.source = rule.kind, rule.check, rule.pattern
        # Letters are told faster than either case of them. Of most rules no text has anything.
        self.folded = rule.pattern.startswith("(?i)") and not _CAPITAL.search(
            _NO_LETTERS.sub("", rule.pattern)
        )
        self.pattern = lazy_re(rule.pattern[4 * self.folded :])

    def matches(
        self, text: str, small: str, at: int, last: int, end: int
    ) -> Iterator[re.Match[str]]:
        """The matches that begin from `at` on and before `last`, and end by `end`: also one that
        begins within another, while that is rare. `small` is the text in small letters."""
        within = 0
        text = small if self.folded else text
        while at < last and (match := self.pattern.search(text, at, end)) is not None:
            if match.start() >= last:
                return
            yield match
            within += match.end() - match.start()
            at = match.start() + 1 if within <= _NESTED else max(match.end(), at + 1)

    def spans(self, match: re.Match[str]) -> list[tuple[int, int]]:
        """Where the parts of a match that are secret begin and end."""
        groups = match.re.groupindex
        secrets = [match.span(name) for name in groups if name.startswith("secret")]
        if secrets:
            return [span for span in secrets if span[0] >= 0]
        kept = match.end("keep") if "keep" in groups else -1
        return [(kept if kept >= 0 else match.start(), match.end())]


class RuleFilter:
    """Tells by one look at a text which rules can match in it.

    RE2 looks for the letters that each pattern needs, for all of them at once, and then for the
    pattern itself, without what RE2 does not know.
    """

    def __init__(self, rules: Iterable[CompiledRule]) -> None:
        options = re2.Options()
        options.encoding = re2.Options.Encoding.LATIN1
        options.log_errors = False
        self._filter = re2.Filter()
        self._rules: list[CompiledRule] = []
        self._always: list[CompiledRule] = []  # those that RE2 cannot tell of
        for rule in rules:
            try:
                self._filter.Add(loosened(rule.source).encode("latin-1"), options)
                self._rules.append(rule)
            except re2.error:
                self._always.append(rule)
        self._filter.Add(b"\x00loom\x00", options)  # without any letters a filter has nothing to do
        self._filter.Compile()

    def __call__(self, text: str) -> list[CompiledRule]:
        """The rules that may match in a text, in their order."""
        found = self._filter.Match(text.encode("latin-1", "replace")) or ()
        return [self._rules[at] for at in found if at < len(self._rules)] + self._always


_NO_LETTERS = lazy_re(r"\\.|\(\?P[<=]\w+[>)]")
_CAPITAL = lazy_re(r"[A-Z]|[^\x00-\x7f]|\(\?[a-z]*[-:]|\(\?\(")
_PART = lazy_re(
    r"\((?P<ahead>\?<?[=!])|(?P<group>\((?:\?P<\w+>|\?>))|(?P<again>\(\?P=\w+\)|\\[1-9])"
    r"|(?P<set>\[\^?\]?(?:\\.|[^\]\\])*\])|(?P<escaped>\\(?:u.{4}|.))|(?P<edge>[$^])"
    r"|(?P<times>\{(?P<least>\d*),?\d*\}|[*+?])(?P<how>[+?]?)"
    r"|(?P<other>[\w :=\"',;<>@#~&%!/`-]++|.)",
    re.DOTALL,
)
_WIDE = {"w": r"\w\x80-\xff?", "s": r"\s\v\x1c-\x1f\x85\xa0?"}
_FOREIGN = lazy_re(r"[^\x00-\xff]")
_ESCAPES = lazy_re(r"\\(?:(?P<u>u.{4})|(?P<bare>.))", re.DOTALL)
_MOST = 24  # times that something is asked for at least


def loosened(pattern: str) -> str:
    """A pattern for RE2 that matches wherever a pattern of Python's does, and more.

    What looks ahead or behind, what is matched again, edges and greed go; numbers of times get
    small. Letters beyond Latin-1 are question marks, in the text too; Python's classes have some.
    re2.error for a pattern it cannot be made of.
    """
    made, at = "", 0
    pattern = _FOREIGN.sub(r"\?", pattern)
    while at < len(pattern):
        found = _PART.match(pattern, at)
        assert found is not None  # it takes any character
        at = found.end()
        kind = found.lastgroup if found.lastgroup != "how" else "times"
        if kind == "ahead":
            first, at = at, _behind(pattern, at)
            if found["ahead"] == "?=" and at == len(pattern):
                made += f"(?:{loosened(pattern[first : at - 1])})"
        elif kind == "group":
            made += "(?:"
        elif kind == "again":
            made += r"(?s:.*)"
        elif kind == "set":
            negated = found[0][1] == "^"
            made += f"(?:{found[0]}|[?])" if negated else _ESCAPES.sub(_wide, found[0])
        elif kind == "escaped" and found[0][1] not in "bBAZ":
            made += _ESCAPES.sub(_wide, f"[{found[0]}]")
        elif kind == "times":
            made += _times(found)
        elif kind == "other":
            made += found[0]
    return made


def _wide(found: re.Match[str]) -> str:
    """An escape of Python's for RE2, a class of letters as wide as Python's."""
    return r"\?" if found["u"] else _WIDE.get(found["bare"], found[0])


def _times(found: re.Match[str]) -> str:
    """How many times at least, of a repetition."""
    if found["least"] is None:
        return found["times"]
    least = min(int(found["least"] or 0), _MOST)
    return f"{{{least},}}"


def _behind(pattern: str, at: int) -> int:
    """Where the group ends whose inside begins at a place."""
    depth = 1
    while depth:
        found = _PART.match(pattern, at)
        if found is None:
            raise re2.error(f"a group of {pattern!r} never ends")
        at = found.end()
        depth += (found[0][0] == "(") - (found[0] == ")")
        if found["again"]:
            depth -= found[0][0] == "("
    return at


def spelled(rules: Rules) -> str:
    """The rules as one text, the same in each process: kinds, patterns and the names of checks."""
    parts = [
        (rule.kind, rule.pattern, getattr(rule.check, "__qualname__", ""))
        if isinstance(rule, SecretRule)
        else rule
        for rule in rules
    ]
    return repr(parts)
