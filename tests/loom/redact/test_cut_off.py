"""A message that repeats what it is about, cut off, holds no beginning of a secret."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from msgspec import json

from loom.redact import Redactor
from loom.redact.redactor import without_beginning
from tests.kit.cases import all_cases
from tests.kit.secrets_made import EXAMPLES, SECRET

MARK = "[redacted:a]"


@all_cases(
    ("text", "clean"),
    [
        ("", ""),
        ("nothing of it", "nothing of it"),
        ("sk-ant-", "sk-ant-"),
        ("it was sk-ant-a1B2…", f"it was {MARK}…"),
        (f"{SECRET} and {SECRET}", f"{MARK} and {MARK}"),
    ],
)
def test_beginnings_of_a_value(text: str, clean: str) -> None:
    """The longest that is there goes, wherever it stands; a few letters are an ordinary word."""
    assert without_beginning(text, SECRET, MARK) == clean


@given(st.sampled_from([case for case in EXAMPLES if case[2].isprintable()]), st.integers(8, 200))
def test_a_message_that_was_cut(case: tuple[str, str, str, str], size: int) -> None:
    """However much of the command it repeats, no more than a few letters of the value are left."""
    _, before, secret, after = case
    command = f"{before}{secret}{after}"
    source = json.encode({"command": command}).decode()
    said = Redactor().message(f"refused: {command[:size]}", source)
    assert secret[:8] not in said and said.startswith("refused: ")
