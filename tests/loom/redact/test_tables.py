"""Columns of secrets: a heading that says so, and the made values below it."""

from __future__ import annotations

from loom.redact import Redactor
from tests.kit.cases import all_cases
from tests.kit.secrets_made import MADE

ROWS = [("anna", MADE, "admin"), ("ben", "Zt7#qLm29vXe", "user")]


def csv(sign: str, *head: str) -> str:
    """A table with a sign between its cells."""
    return "".join(sign.join(row) + "\n" for row in (head, *ROWS))


@all_cases(
    "text",
    [
        csv(",", "user", "city", "role"),
        csv(",", "x", "password", "y").replace(MADE, "unchanged").replace(ROWS[1][1], "none"),
        "password, user\n",
        "user,password\n\n" + ",".join(ROWS[0]) + "\n",
        "a password, and a user, are needed\nto log in, ever\n",
    ],
)
def test_what_is_no_column_of_secrets(text: str) -> None:
    """Other headings, words that are no made value, a table that has ended, sentences."""
    assert Redactor()(text) == text
