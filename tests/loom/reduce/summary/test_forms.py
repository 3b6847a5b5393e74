"""What in a summary is a name, a number or an id, told by its form."""

from __future__ import annotations

from loom.reduce.summary.forms import claims
from tests.kit.cases import all_cases

PLAIN = [
    "",
    "the build is fine, e.g. on the second try and/or the third",
    "However, it is a long-running and well-known state-of-the-art job.",
    "1. it failed\n2) it ended\n- The end is near\n* It's done",
    "It is a JSON list, with IDs and URLs in UTF-8.",
    "Cause: Missing index. Then: The end",
    "Es ist ein Fehler in der Datei, und das Programm läuft nicht.",
    "文件包含三个错误，已经修复。国王紧张，三张图。",
    "C++ or C#, a or A",
]
NAMED = [
    ("It is Alice.", {"Alice"}),
    ("Alice Johnson did it", {"Johnson"}),
    ("- Alice", {"Alice"}),
    ("Seen by Dr. Brown", {"Dr", "Brown"}),
    ("Owner: Alice, then", {"Alice"}),
    ("Owner: Alice\nthen it ended", {"Alice"}),
    ("the getUser() of HTTPServer", {"getUser", "HTTPServer"}),
    ("an `odd one` here", {"odd one"}),
    ("a 3-day 30s 10-20 job", {"3-day", "30s", "10-20"}),
    ("0 of 1,024 (12%)", {"0", "1,024", "12%"}),
    ("at -5 and 007", {"-5", "007"}),
    ("x=5 and db:5432", {"x=5", "db:5432"}),
    ("see a.b.example and src/a.py:12", {"a.b.example", "src/a.py:12"}),
    ("the ENOENT of Alice's", {"ENOENT", "Alice"}),
    ("one-two-three is it", {"one-two-three"}),
    ("负责人是张伟，在北京市", {"张伟", "北京市"}),
]


@all_cases("text", PLAIN)
def test_nothing_is_named(text: str) -> None:
    """Words of a language name nothing, whatever begins a sentence or a list item."""
    assert [claim.text for claim in claims(text)] == []


@all_cases(("text", "named"), NAMED)
def test_what_is_named(text: str, named: set[str]) -> None:
    """Each form is found, without the punctuation around it."""
    assert {claim.text for claim in claims(text)} == named
