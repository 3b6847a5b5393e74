"""A long text is searched in parts, and the same is found as in all of it."""

from __future__ import annotations

from base64 import b64encode, encodebytes

import pytest

from loom.redact import SECRETS, Redactor
from loom.redact.divided import PART, in_parts
from loom.redact.rule import compiled
from loom.redact.search import SecretSearch
from tests.kit.secrets_made import EXAMPLES, KEY, MIXED

SEARCH = SecretSearch(*compiled(SECRETS))
REDACT = Redactor()
SIZE = 2_000
WORDS = "an ordinary line of words\n"
LINE = "words of a line that has no end, "


@pytest.mark.parametrize("filler", [WORDS, LINE])
def test_what_lies_across_two_parts(filler: str) -> None:
    """A secret of any kind is found wherever a text is divided, with lines or without."""
    for number, case in enumerate(EXAMPLES):
        secret = "".join(case[1:])
        before = filler * 80
        before = before[len(before) - SIZE + number * 7 % (len(secret) + 40) :]
        text = f"{before}\n{secret}\n{filler * 900}"
        at = len(before) + 1 + len(case[1])
        assert (at, at + len(case[2]), case[0]) in [*in_parts(text, SEARCH, SIZE)]


@pytest.mark.parametrize("coded", [b64encode, encodebytes], ids=["one line", "wrapped"])
def test_what_a_long_run_encodes(coded: object) -> None:
    """A run of base64 is of one part, however long it is."""
    assert callable(coded)
    said = f"{WORDS * 400}DB_PASSWORD={MIXED}\n{WORDS * 400}".encode()
    run = coded(said).decode().strip()
    text = f"{WORDS * 70}\n{run}\n{WORDS * 900}"
    [(start, end, _)] = in_parts(text, SEARCH, SIZE)
    assert text[start:end] == run


def test_a_key_longer_than_a_part() -> None:
    """It goes whole, also where its last line is parts away from its first."""
    head, *lines, last = KEY.splitlines()
    key = "\n".join((head, *(lines * 2_000), last))
    text = f"{WORDS * 40_000}{key}\n{WORDS * 40_000}"
    clean = REDACT(text)
    assert clean == f"{WORDS * 40_000}[redacted:private-key]\n{WORDS * 40_000}"


def test_rows_parts_away_from_their_heading() -> None:
    """A column of secrets is one to the table's end."""
    rows = [f"user{number},x{number * 7919:x}Kq{number:x}Zw" for number in range(100_000)]
    clean = REDACT("\n".join(("user,password", *rows)))
    assert len(clean) > 2 * PART
    assert clean.count("[redacted:password]") > 99_000
