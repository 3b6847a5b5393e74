"""Rules as a caller gives them, checked before any text is searched by them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from loom.errors import NAME, LoomError
from loom.lazy import lazy_re
from loom.redact.rule import Allowed, CompiledRule, Rules, SecretRule
from loom.redact.rules import UsualRules
from loom.text import one_line

# The kind stands in `[redacted:kind]`, which is read again; in JSON it must need no escapes.
_KIND = lazy_re(r"[^\s\x00-\x1f\x7f\[\]\"\\]{1,80}")
_NAMES = lazy_re(r"secret\w*|keep")
_USED = "(?P={0})", "(?({0})"  # a group that the pattern itself asks for again
_PLAIN = 'The 3 tests of src/auth.py pass, {"id": 12}: step_0007 wrote outputs/read_0004.json.'
_HOW = "give a list such as [*loom.SECRETS, ('badge', r'B-\\d{6}')]; () turns redaction off"


def checked(rules: Rules) -> tuple[SecretRule | Allowed, ...]:
    """The rules, pairs made rules too. LoomError tells which is none, why, and what to give."""
    if isinstance(rules, UsualRules):
        return rules
    if isinstance(rules, str | bytes | Mapping | SecretRule | Allowed) or not isinstance(
        rules, Iterable
    ):
        raise LoomError(f"redact: {_kind_of(rules)} is no list of rules; {_HOW}")
    return tuple(_rule(given, number) for number, given in enumerate(rules))


def _rule(given: object, number: int) -> SecretRule | Allowed:
    """One rule; LoomError when it is none. What is given may be a secret, and is not repeated."""
    if isinstance(given, tuple | list):
        if len(given) != 2 or not all(isinstance(one, str) for one in given):
            raise LoomError(f"redact[{number}] is no pair of texts (kind, pattern); {_HOW}")
        given = SecretRule(*given)
    if not isinstance(given, SecretRule | Allowed):
        raise LoomError(f"redact[{number}], {_kind_of(given)}, is no rule; {_HOW}")
    why = _why_not(given)
    if why:
        of = (
            f"of {one_line(repr(given.kind), NAME)}" if isinstance(given, SecretRule) else "allowed"
        )
        raise LoomError(f"redact[{number}], {of}: {why}")
    return given


def _kind_of(given: object) -> str:
    return f"a value of type {type(given).__name__}"


def _why_not(rule: SecretRule | Allowed) -> str:
    """Why a rule cannot be used, and what to change; "" when it can."""
    if not isinstance(rule.pattern, str):
        return "the pattern is no text; give a regular expression"
    try:
        pattern = re.compile(rule.pattern)
    except (re.error, RecursionError, OverflowError) as error:
        return f"the pattern is no regular expression: {error}; re.escape() makes one of a text"
    if isinstance(rule, Allowed):
        return "the pattern matches the empty text" if pattern.fullmatch("") else ""
    if not isinstance(rule.kind, str) or not _KIND.fullmatch(rule.kind):
        return "a kind is a name without spaces, brackets, quotes and backslashes"
    if pattern.match(""):
        return "the pattern matches the empty text; let it ask for a character at least"
    if rule.check is not None and not callable(rule.check):
        return "check is no callable (lead, value) → bool"
    return _odd_groups(rule, pattern) or _greedy(rule)


def _greedy(rule: SecretRule) -> str:
    """Why a rule cannot be used that takes most of a plain sentence: of what Loom itself writes too
    little would be left to be read back. "" for any other, and for one with a check of its own."""
    if rule.check is not None:
        return ""
    ready = CompiledRule(rule)
    size = len(_PLAIN)
    spans = [
        span
        for match in ready.matches(_PLAIN, _PLAIN.lower(), 0, size, size)
        for span in ready.spans(match)
    ]
    many = 2 * len({at for span in spans for at in range(*span)}) > size
    return "the pattern matches nearly everything; let it ask for what marks the secret" * many


def _odd_groups(rule: SecretRule, pattern: re.Pattern[str]) -> str:
    names = set(pattern.groupindex)
    for name in sorted(names):
        if not _NAMES.fullmatch(name) and not any(
            used.format(name) in rule.pattern for used in _USED
        ):
            return (
                f"no group is called {name!r}: (?P<secret>…) is what goes, or (?P<keep>…) what"
                " stays before it; (?:…) groups without a name"
            )
    if "keep" in names and len(names) > 1 and any(name != "keep" for name in names):
        return "it has groups `keep` and others; name the secret alone, or what stays"
    return ""
