"""Rules are checked as they are given: what is none is refused with what to give instead."""

from __future__ import annotations

from typing import Any

import pytest

import loom
from loom.redact import SECRETS, Allowed, Redactor, SecretRule
from loom.redact.given import checked
from tests.kit.cases import all_cases

PATTERN = r"B-\d{4}"


def rule(**given: Any) -> SecretRule:
    """A rule with fields that differ from the usual ones."""
    return SecretRule(**{"kind": "badge", "pattern": PATTERN, **given})


REFUSED: list[tuple[object, str]] = [
    (None, "no list"),
    (7, "no list"),
    ("abc", "no list"),
    (rule(), "no list"),
    (["abc"], "redact[0]"),
    ([("badge", PATTERN), None], "redact[1]"),
    ([("badge", PATTERN, ("B-",))], "no pair"),
    ([("badge", "(")], "no regular expression"),
    ([Allowed(7)], "no text"),  # type: ignore[arg-type]
    ([("badge", "")], "empty text"),
    ([Allowed("")], "redact[0], allowed: the pattern matches the empty text"),
    ([("badge", ".")], "redact[0], of 'badge': the pattern matches nearly everything"),
    ([("badge", "(?P<value>x+)")], "'value'"),
    ([("badge", "(?P<keep>a)(?P<secret>b)")], "`keep`"),
    ([("", PATTERN)], "a kind is a name"),
    ([("a]b", PATTERN)], "a kind is a name"),
    ([rule(keywords=("",))], "a tuple"),
    ([rule(place="everywhere")], "none of"),
    ([rule(place="begins", keywords=("B",))], "needs keywords"),
    ([rule(place="lines", keywords=("пароль",))], "needs keywords"),
    ([rule(place="folded", keywords=("B-",))], "small letters"),
    ([rule(check="yes")], "callable"),
    ([rule(lines=0)], "lines=0"),
]


@all_cases("given", [(), [], SECRETS, (*SECRETS, ("badge", PATTERN)), [rule()]])
def test_rules_are_taken(given: Any) -> None:
    """None, the usual ones, more than these; pairs become rules."""
    assert len(checked(given)) == len(given)
    assert Redactor(iter(given)).patterns == checked(given)


@pytest.mark.parametrize("pattern", [r"(?P<q>[\"'])B-\d(?P=q)", r"(?P<q>x)?B(?(q)-1|-2)", r"(B)-1"])
def test_groups_that_a_pattern_needs_itself(pattern: str) -> None:
    """A group that is asked for again in the pattern has any name, or none."""
    assert checked([("badge", pattern)])


@all_cases(("given", "why"), REFUSED, ids=lambda one: repr(one)[:40])
def test_what_is_no_rule_is_refused(given: Any, why: str) -> None:
    """The error tells which one, why, and what to give."""
    with pytest.raises(loom.LoomError) as told:
        checked(given)
    assert why in str(told.value) and str(told.value).startswith("redact")


def test_a_refusal_repeats_no_value() -> None:
    """What somebody took for a rule may be the secret itself."""
    for given in (["hunter22"], "hunter22", [("badge", 7, "hunter22")], [("badge", "(hunter22")]):
        with pytest.raises(loom.LoomError) as told:
            checked(given)  # type: ignore[arg-type]
        assert "hunter22" not in str(told.value)
