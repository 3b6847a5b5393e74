"""What is replaced in ordinary texts: told with its place, real-looking test data apart."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import json

from benchmarks.secrets.clean import (
    SESSIONS,
    CleanText,
    ReplacedText,
    folders,
    looks_real,
    recorded,
    replacements,
    texts,
)
from benchmarks.secrets.speed import worst_texts

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


@pytest.mark.parametrize(
    ("text", "real"),
    [(PEM, True), ("q8Zk2Lm9Xw4Rt6Yp7Hs3", True), ("password", False), ("a" * 40, False)],
)
def test_what_looks_real(text: str, real: bool) -> None:
    """An armoured key and drawn letters look real; a word and one letter over and over do not."""
    assert looks_real(text) is real


JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MiJ9.c2lnbmVk"


@pytest.mark.parametrize(
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


def test_worst_texts_have_their_size() -> None:
    """Every worst text is as long as asked, the same each time."""
    made = worst_texts(1_000)
    assert {len(text) for text in made.values()} == {1_000} and made == worst_texts(1_000)


def test_texts_of_recorded_sessions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every text of a session is read, arguments too; a file that cannot be read is told."""
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
    assert "b.json: left out" in capsys.readouterr().err
