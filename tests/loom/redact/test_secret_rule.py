"""Rules as data: of the table and of a host, and a made value told from a word."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import loom
from loom.redact import SECRETS, Allowed, Redactor, SecretRule
from loom.redact.given_rules import checked_rules
from loom.redact.likely_secrets import (
    DOCUMENTED,
    is_hand_made,
    is_placeholder,
    is_provider_token,
    is_random_looking,
)
from loom.redact.rule_places import Parts, lines_around
from loom.redact.secret_rule import CompiledRule, rules_as_text
from tests.kit.cases import all_cases
from tests.kit.secrets_made import MADE, MIXED, SECRET, hit


@all_cases("rule", SECRETS, ids=lambda rule: rule.kind)
def test_every_rule_finds_a_secret(rule: SecretRule) -> None:
    """A text its pattern matches is redacted by it alone, under its kind, and stays so."""
    redact = Redactor([rule])
    text = hit(rule.pattern, redact.holds_secret)
    assert text, f"no text was drawn in which {rule.pattern!r} finds a secret"
    clean = redact(text)
    assert f"[redacted:{rule.kind}]" in clean and redact.take().keys() == {rule.kind}
    assert redact(clean) == clean and redact.take() == {}


@all_cases(
    ("pattern", "span"),
    [
        ("id=B-1", (4, 10)),
        ("id=(B-1)", (4, 10)),
        ("id=(?P<secret>B-1)", (7, 10)),
        ("(?P<keep>id=)B-1", (7, 10)),
        ("(?P<secret_a>X-1)|id=(?P<secret_b>B-1)", (7, 10)),
        ("(?:(?P<keep>at=)|id=)B-1", (4, 10)),
    ],
)
def test_what_of_a_match_is_the_secret(pattern: str, span: tuple[int, int]) -> None:
    """All of it; or the group `secret` that matched; or what stands behind `keep`."""
    compiled = CompiledRule(SecretRule("badge", pattern))
    assert [compiled.span(found) for found in compiled.matches("the id=B-1.")] == [span]


@all_cases("place", ["text", "lines", "folded", "options", "begins", "inside"])
@all_cases("size", [0, 1_000])
def test_places(place: str, size: int) -> None:
    """A rule finds its secret wherever it says it stands, in small texts and in large ones."""
    token = "qz-" + "a1b2c3d4" * 4
    rule = SecretRule("own", "qz-[a-z0-9]{32}", ("qz-",), place=place)  # type: ignore[arg-type]
    filled = "some line of a text\n" * size
    text = f"{filled}run --with={token} now\n{filled}"
    given = f"{filled}run --with {token} now\n{filled}"
    assert token not in Redactor([rule])(given if place in ("begins", "options") else text)


def test_a_check_decides() -> None:
    """It is given what stands before the value within the match, and the value."""
    asked: list[tuple[str, str]] = []

    def check(lead: str, value: str) -> bool:
        asked.append((lead, value))
        return value == "B-1"

    redact = Redactor([SecretRule("badge", r"id=(?P<secret>B-\d)", check=check)])
    assert redact("id=B-1 id=B-2") == "id=[redacted:badge] id=B-2"
    assert ("id=", "B-1") in asked and ("id=", "B-2") in asked


def test_allowed_values_stay() -> None:
    """What an Allowed matches whole is no secret; what it matches in part is one."""
    redact = Redactor([*SECRETS, Allowed(MADE)])
    assert redact(f"DB_PASSWORD={MADE}\n") == f"DB_PASSWORD={MADE}\n"
    assert redact(f"DB_PASSWORD={MADE}2\n") == "DB_PASSWORD=[redacted:password]\n"
    assert redact(SECRET) == "[redacted:api-key]"


def test_rules_spelled_are_the_same_in_each_process() -> None:
    """No address of a function stands in them, and other rules are spelled otherwise."""
    assert " at 0x" not in rules_as_text(SECRETS) and rules_as_text(SECRETS) == rules_as_text(
        tuple(SECRETS)
    )
    assert (
        rules_as_text([("a", "b")]) != rules_as_text([("a", "c")]) != rules_as_text([Allowed("c")])
    )


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
    assert len(checked_rules(given)) == len(given)
    assert Redactor(iter(given)).patterns == checked_rules(given)


@pytest.mark.parametrize("pattern", [r"(?P<q>[\"'])B-\d(?P=q)", r"(?P<q>x)?B(?(q)-1|-2)", r"(B)-1"])
def test_groups_that_a_pattern_needs_itself(pattern: str) -> None:
    """A group that is asked for again in the pattern has any name, or none."""
    assert checked_rules([("badge", pattern)])


@all_cases(("given", "why"), REFUSED, ids=lambda one: repr(one)[:40])
def test_what_is_no_rule_is_refused(given: Any, why: str) -> None:
    """The error tells which one, why, and what to give."""
    with pytest.raises(loom.LoomError) as told:
        checked_rules(given)
    assert why in str(told.value) and str(told.value).startswith("redact")


def test_a_refusal_repeats_no_value() -> None:
    """What somebody took for a rule may be the secret itself."""
    for rules in (["hunter22"], "hunter22", [("badge", 7, "hunter22")], [("badge", "(hunter22")]):
        with pytest.raises(loom.LoomError) as told:
            checked_rules(rules)  # type: ignore[arg-type]
        assert "hunter22" not in str(told.value)


WORDS = [
    "", "password", "authentication", "camelCaseNamesOfThings", "snake_case_names_of_things",
    "self.password", "os.environ", "1234567890", "2024-01-15", "/usr/local/lib/python",
    "localhost:5432", "${DB_PASSWORD}", "<your-token>", "xxxxxxxxxxxx", "changeme",
]  # fmt: skip
VALUES = [MADE, MIXED, "Zt7#qLm29vXe", "9f86d081884c7d659a2feaa0c55ad015"]


@all_cases("value", VALUES)
def test_made_values(value: str) -> None:
    """What was made by chance."""
    assert is_random_looking(value) and not is_placeholder(value)


def test_made_by_hand() -> None:
    """Words joined by signs with a number, as people make up passwords."""
    assert is_hand_made("Maple-Anchor1483")
    assert not any(map(is_hand_made, [*WORDS, "some-branch-of-work"]))


@all_cases("value", sorted(DOCUMENTED))
def test_tokens_of_documents(value: str) -> None:
    """What providers print in their own documents gives access to nothing."""
    assert not is_provider_token("", value)


@given(st.text("ab\n", max_size=60), st.sets(st.integers(0, 59)), st.integers(1, 3))
def test_the_lines_around_hits_are_those_around_each(text: str, at: set[int], lines: int) -> None:
    """What stands around all hits is what stands around each of them, put together."""

    def places(parts: Parts) -> set[int]:
        return {place for start, stop in parts for place in range(start, stop)}

    hits = sorted(hit for hit in at if hit < len(text))
    each = set[int]().union(*(places(lines_around(text, [hit], lines)) for hit in hits))
    assert places(lines_around(text, hits, lines)) >= each
