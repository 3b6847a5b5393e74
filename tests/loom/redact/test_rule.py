"""Rules as data: each of the table finds something, and what they are made of is held."""

from __future__ import annotations

from loom.redact import SECRETS, Allowed, Redactor, SecretRule
from loom.redact.rule import CompiledRule, spelled
from tests.kit.cases import all_cases
from tests.kit.secrets_made import MADE, SECRET, hit


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
    assert " at 0x" not in spelled(SECRETS) and spelled(SECRETS) == spelled(tuple(SECRETS))
    assert spelled([("a", "b")]) != spelled([("a", "c")]) != spelled([Allowed("c")])
