"""Columns of secrets: a heading that says so, and the made values below it."""

from __future__ import annotations

from loom.redact import Redactor
from tests.kit.cases import all_cases
from tests.kit.secrets_made import MADE

ROWS = [("anna", MADE, "admin"), ("ben", "Zt7#qLm29vXe", "user")]


def csv(sign: str, *head: str) -> str:
    """A table with a sign between its cells."""
    return "".join(sign.join(row) + "\n" for row in (head, *ROWS))


MARKDOWN = "| user | password | role |\n| --- | --- | --- |\n" + "".join(
    f"| {' | '.join(row)} |\n" for row in ROWS
)


@all_cases("sign", [",", ";", "\t", "|"])
@all_cases("word", ["password", "Passwd", "secret", "api_key", "access token", "pwd"])
def test_a_column_by_its_heading(sign: str, word: str) -> None:
    """Each value below goes, cells beside it stay; so it is in a larger text."""
    table = csv(sign, "user", word, "role")
    for before in ("", "some words of a text\n" * 60):
        clean = Redactor()(before + table)
        assert clean.startswith(before) and clean.count("[redacted:") == 2
        assert clean[len(before) :].splitlines()[0] == table.splitlines()[0]
        assert not any(row[1] in clean for row in ROWS)
        assert all(row[0] in clean and row[2] in clean for row in ROWS)


def test_a_table_of_markdown() -> None:
    """The line between heading and rows stays."""
    assert Redactor()(MARKDOWN).count("[redacted:password]") == 2
    assert "| --- | --- | --- |" in Redactor()(MARKDOWN)


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
