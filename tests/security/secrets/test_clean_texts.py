"""What is replaced in ordinary texts: told with its place, real-looking test data apart."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import pytest
from msgspec import json

from loom.redact import Redactor
from tests.kit.cases import all_cases
from tests.kit.secrets.clean import (
    SESSIONS,
    CleanText,
    ReplacedText,
    folders,
    looks_real,
    recorded,
    replaced,
    replacements,
    texts,
)
from tests.kit.secrets.decoys import looked

SIMULATED = os.environ.get("HYPOTHESIS_PROFILE") == "simulate"
PER = 20_000_000  # bytes in which at most one value is replaced
PEM = "-----BEGIN PRIVATE KEY-----"


def test_nothing_replaced() -> None:
    """A text that stays as it is has no hits."""
    assert replacements(CleanText("s", "p", "plain"), "plain") == []


def test_each_replacement_with_its_text() -> None:
    """Marks are laid over the text they stand for, with the letters before them."""
    one = CleanText("s", "p", "first: AAAA, then BBBBBB and AAAA")
    cleaned = "first: [redacted:a], then [redacted:b] and [redacted:a]"
    found = [(hit.kind, hit.text) for hit in replacements(one, cleaned)]
    assert found == [("a", "AAAA"), ("b", "BBBBBB"), ("a", "AAAA")]
    assert replacements(one, cleaned)[0].context == "first: AAAA"


@all_cases(
    ("text", "real"),
    [(PEM, True), ("q8Zk2Lm9Xw4Rt6Yp7Hs3", True), ("password", False), ("a" * 40, False)],
)
def test_what_looks_real(text: str, real: bool) -> None:
    """An armoured key and drawn letters look real; a word and one letter over and over do not."""
    assert looks_real(text) is real


JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MiJ9.c2lnbmVk"


@all_cases(
    ("text", "real"), [(PEM, True), (JWT, True), ("q8Zk2Lm9Xw4Rt6Yp7Hs3", False), ("a.b.c", False)]
)
def test_what_stands_in_a_session(text: str, real: bool) -> None:
    """In a session only what shows its form is a real-looking secret."""
    assert ReplacedText(SESSIONS, "talk", "kind", text, "").real_looking is real


@pytest.mark.parametrize(
    ("place", "text", "apart"),
    [
        ("lib/test/cert.pem", PEM, True),
        ("lib/tests/test_a.py", "user:password", False),
        ("lib/contest/cert.pem", PEM, False),
    ],
)
def test_test_data_is_apart(place: str, text: str, apart: bool) -> None:
    """Only a real-looking secret in a folder of tests is no fault."""
    assert ReplacedText("s", place, "kind", text, "").real_looking is apart


def test_texts_of_a_folder(tmp_path: Path) -> None:
    """Texts are read, what is binary or of an installed package is not."""
    (tmp_path / "site-packages").mkdir()
    (tmp_path / "site-packages" / "a.py").write_text("a")
    (tmp_path / "b.py").write_text("b")
    (tmp_path / "c.so").write_bytes(b"\x00\x01")
    (tmp_path / "d.txt").write_bytes(b"\xff\xfe\xfd")
    found = list(texts(folders([tmp_path])))
    assert [(one.place, one.text) for one in found] == [(f"{tmp_path.name}/b.py", "b")]


def test_texts_of_recorded_sessions(tmp_path: Path) -> None:
    """Every text of a session is read, arguments too; a file that cannot be read is left out."""
    call = {"id": "c", "type": "function", "function": {"name": "Bash", "arguments": '{"a": 1}'}}
    messages = [
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": "two", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "three"},
    ]
    (tmp_path / "a.json").write_bytes(json.encode({"messages": messages}))
    (tmp_path / "b.json").write_text("{")
    said = {one.text for one in recorded([tmp_path])}
    assert said == {"one", "two", '{"a": 1}', "three"}


def test_what_is_replaced() -> None:
    """Each place is told, a real-looking secret of test data as such; the size is in bytes."""
    token = "ghp_" + "aB3dE5gH7jK9" * 3
    given = [CleanText("s", "a.py", f"x = '{token}'\n"), CleanText("t", "tests/c.py", token)]
    size, found = replaced([*given, CleanText("t", "d", "plain £")])
    assert size == len(f"x = '{token}'\n") + len(token) + 8
    assert [(one.place, one.real_looking) for one in found] == [
        ("a.py", False),
        ("tests/c.py", True),
    ]


def own(given: Iterable[CleanText]) -> tuple[int, list[ReplacedText]]:
    """The bytes of texts, and the replacements in them that are faults."""
    size, found = replaced(given)
    return size, [one for one in found if not one.real_looking]


def test_decoys_stay() -> None:
    """No text that only looks like a secret is changed."""
    assert looked(Redactor())["kinds"] == {}


@pytest.mark.skipif(not SIMULATED, reason="50 MB of libraries: part of make simulate")
@pytest.mark.timeout(1_800)
def test_libraries_stay() -> None:
    """In the texts of libraries at most one value in 20 MB is replaced."""
    size, found = own(texts(folders()))
    assert size > PER and len(found) <= size / PER, found
