"""A made value is told from a word, a name, a number and a placeholder."""

from __future__ import annotations

from loom.redact.likely import (
    DOCUMENTED,
    is_hand_made,
    is_made,
    is_placeholder,
    is_token,
)
from tests.kit.cases import all_cases
from tests.kit.secrets_made import MADE, MIXED

WORDS = [
    "", "password", "authentication", "camelCaseNamesOfThings", "snake_case_names_of_things",
    "self.password", "os.environ", "1234567890", "2024-01-15", "/usr/local/lib/python",
    "localhost:5432", "${DB_PASSWORD}", "<your-token>", "xxxxxxxxxxxx", "changeme",
]  # fmt: skip
VALUES = [MADE, MIXED, "Zt7#qLm29vXe", "9f86d081884c7d659a2feaa0c55ad015"]


@all_cases("value", VALUES)
def test_made_values(value: str) -> None:
    """What was made by chance."""
    assert is_made(value) and not is_placeholder(value)


def test_made_by_hand() -> None:
    """Words joined by signs with a number, as people make up passwords."""
    assert is_hand_made("Maple-Anchor1483")
    assert not any(map(is_hand_made, [*WORDS, "some-branch-of-work"]))


@all_cases("value", sorted(DOCUMENTED))
def test_tokens_of_documents(value: str) -> None:
    """What providers print in their own documents gives access to nothing."""
    assert not is_token("", value)
