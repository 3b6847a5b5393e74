"""Rules as a caller gives them to `loom.open(redact=…)`, checked before any text is searched."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import get_args

from loom.errors import NAME, BadInput
from loom.lazy import lazy_re
from loom.redact.rules import UsualRules
from loom.redact.secret_rule import Allowed, CompiledRule, Rules, SecretRule, Where
from loom.text import one_line

# The kind stands in `[redacted:kind]`, which is read again; in JSON it must need no escapes.
_KIND = lazy_re(r"[^\s\x00-\x1f\x7f\[\]\"\\]{1,80}")
_NAMES = lazy_re(r"secret\w*|keep")
_USED = "(?P={0})", "(?({0})"  # a group that the pattern itself asks for again
_PLAIN = 'The 3 tests of src/auth.py pass, {"id": 12}: step_0007 wrote outputs/read_0004.json.'
_PLACES = frozenset(get_args(Where))
_HOW = "give a list such as [*loom.SECRETS, ('badge', r'B-\\d{6}')]; () turns redaction off"


def checked_rules(rules: Rules) -> tuple[SecretRule | Allowed, ...]:
    """Return the rules as a tuple, with each pair (kind, pattern) made a SecretRule. Raises
    BadInput for a rule that cannot be used; the error does not repeat the pattern, which may be a
    secret."""
    if isinstance(rules, UsualRules):
        return rules
    if isinstance(rules, str | bytes | Mapping | SecretRule | Allowed) or not isinstance(
        rules, Iterable
    ):
        raise BadInput(
            f"redact: a value of type {type(rules).__name__} is no list of rules; {_HOW}"
        )
    return tuple(_checked_rule(given, number) for number, given in enumerate(rules))


def _checked_rule(given: object, number: int) -> SecretRule | Allowed:
    """Return `given`, the rule with this number, as a rule. Raises BadInput for a faulty rule."""
    if isinstance(given, tuple | list):
        if len(given) != 2 or not all(isinstance(one, str) for one in given):
            raise BadInput(f"redact[{number}] is no pair of texts (kind, pattern); {_HOW}")
        given = SecretRule(*given)
    if not isinstance(given, SecretRule | Allowed):
        kind = type(given).__name__
        raise BadInput(f"redact[{number}], a value of type {kind}, is no rule; {_HOW}")
    for why in _rule_faults(given):
        own = getattr(given, "kind", None)
        of = "allowed" if isinstance(given, Allowed) else f"of {one_line(repr(own), NAME)}"
        raise BadInput(f"redact[{number}], {of}: {why}")
    return given


def _rule_faults(rule: SecretRule | Allowed) -> Iterator[str]:
    """Yield a text for each reason why a rule cannot be used, with what to change."""
    if not isinstance(rule.pattern, str):
        yield "the pattern is no text; give a regular expression"
        return
    try:
        pattern = re.compile(rule.pattern)
    except (re.error, RecursionError, OverflowError) as error:
        yield f"the pattern is no regular expression: {error}; re.escape() makes one of a text"
        return
    if isinstance(rule, Allowed):
        if pattern.fullmatch(""):
            yield "the pattern matches the empty text"
        return
    if not isinstance(rule.kind, str) or not _KIND.fullmatch(rule.kind):
        yield "a kind is a name without spaces, brackets, quotes and backslashes"
    if pattern.match(""):
        yield "the pattern matches the empty text; let it ask for a character at least"
    yield from _group_faults(rule.pattern, {*pattern.groupindex})
    yield from _keyword_faults(rule)
    # Of what Loom itself writes too little would be left to be read back.
    ready = CompiledRule(rule)
    taken = {at for match in ready.matches(_PLAIN) for at in range(*ready.span(match))}
    if rule.check is None and 2 * len(taken) > len(_PLAIN):
        yield "the pattern matches nearly everything; let it ask for what marks the secret"


def _group_faults(pattern: str, names: set[str]) -> Iterator[str]:
    """Yield a text for each bad group name in a pattern. `names` are all its group names. Good are
    names that begin with `secret`, or `keep` alone."""
    for name in sorted(names):
        if not _NAMES.fullmatch(name) and not any(used.format(name) in pattern for used in _USED):
            yield (
                f"no group is called {name!r}: (?P<secret>…) is what goes, or (?P<keep>…) what"
                " stays before it; (?:…) groups without a name"
            )
    if "keep" in names and len(names) > 1:
        yield "it has groups `keep` and others; name the secret alone, or what stays"


def _keyword_faults(rule: SecretRule) -> Iterator[str]:
    """Yield a text for each bad value among a rule's `keywords`, `place`, `check` and `lines`."""
    words = rule.keywords
    if not isinstance(words, tuple) or not all(isinstance(one, str) and one for one in words):
        yield "keywords are a tuple of texts"
    if rule.place not in _PLACES:
        yield f"place={rule.place!r} is none of {', '.join(sorted(_PLACES))}"
    if rule.place in ("begins", "lines", "folded"):
        short = rule.place == "begins" and any(len(word) < 2 for word in words)
        if not words or short or not all(map(str.isascii, words)):
            yield f"place={rule.place!r} needs keywords, two letters of ASCII or more each"
    if rule.place == "folded" and any(word != word.lower() for word in words):
        yield "place='folded' needs keywords in small letters"
    if rule.check is not None and not callable(rule.check):
        yield "check is no callable (lead, value) → bool"
    if not isinstance(rule.lines, int) or rule.lines < 1:
        yield f"lines={rule.lines!r}: give a number from 1"
