"""A table of texts: their answer, their reasoning and what is odd, whole and in pieces."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from loom.providers.reasoning import Separated, Separator, TaggedPiece, separate
from loom.providers.reasoning.spellings import NAMES, TOKENS

CASES = tomllib.loads(Path(__file__).with_name("cases.toml").read_text("utf-8"))["case"]
EACH = pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in CASES])
INSIDE = pytest.mark.parametrize("inside", [False, True], ids=["from outside", "from inside"])


def joined(parts: tuple[TaggedPiece, ...], kind: str) -> str:
    """The texts of a kind."""
    return "".join(piece.text for piece in parts if piece.kind == kind)


def streamed(texts: list[str], inside: bool) -> tuple[str, Separated]:
    """The answer as it was given out, and what all came to."""
    reader = Separator(starts_inside=inside)
    given = [piece for text in texts for piece in reader.feed(text)]
    return joined((*given, *reader.close()), "answer"), reader.separated


@EACH
def test_a_case(case: dict[str, Any]) -> None:
    """The answer, the reasoning and the oddities stand in the table."""
    found = separate(case["text"])
    assert found.answer == case.get("answer", case["text"])
    assert found.reasoning == tuple(case.get("reasoning", ()))
    assert found.odd == tuple(case.get("odd", ()))


@EACH
def test_nothing_is_lost(case: dict[str, Any]) -> None:
    """The pieces joined are the text, whatever it began in."""
    text = case["text"]
    assert "".join(piece.text for piece in separate(text).pieces) == text
    for inside in (False, True):
        parts = separate(text, starts_inside=inside).pieces
        assert "".join(piece.text for piece in parts) == text


@INSIDE
@EACH
def test_split_anywhere(case: dict[str, Any], inside: bool) -> None:
    """Every split in two, and one into characters, gives out the answer of the whole."""
    text = case["text"]
    whole = separate(text, starts_inside=inside)
    splits = [[text[:at], text[at:]] for at in range(len(text) + 1)]
    for texts in ([text], *splits, list(text)):
        assert streamed(texts, inside) == (whole.answer, whole)


@EACH
def test_read_again(case: dict[str, Any]) -> None:
    """An answer that holds no tag to take out is its own answer."""
    answer = separate(case["text"]).answer
    if all(piece.kind == "answer" for piece in separate(answer).pieces):
        assert separate(answer).answer == answer


def test_the_table() -> None:
    """There are plenty of cases, none twice, and each spelling is among them."""
    assert len(CASES) > 100
    for field in ("name", "text"):
        assert max(Counter(case[field] for case in CASES).values()) == 1
    blocks = " ".join(case["text"] for case in CASES if case.get("reasoning"))
    for name in NAMES:
        assert f"<{name}>" in blocks
    for opening, closing in TOKENS:
        assert opening in blocks
        assert closing in blocks
