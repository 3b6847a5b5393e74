"""A host's own tools may have the names of Loom's: what they gave stays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import loom
from tests.kit.chat_lists import called, result, user

NAMES = ["ask", "note", "recall", "page_in", "plan", "answer"]


def sent(turn: loom.Turn) -> str:
    """The messages of a request, as one text."""
    return json.dumps(turn.request("openai")["messages"])


def asked(name: str, number: int) -> dict[str, Any]:
    """A call of the host's tool, which its list has."""
    return called((f"c{number}", name, json.dumps({"id": f"q{number}", "question": "What now?"})))


@pytest.fixture
def ctx(tmp_path: Path):  # type: ignore[no-untyped-def]
    """A context that offers Loom's own tools."""
    with loom.open(tmp_path / "w", window=16_000, durable=False) as made:
        yield made


@pytest.mark.parametrize("name", NAMES)
def test_a_result_in_the_list_with_its_call(ctx: loom.Context, name: str) -> None:
    """The list is the host's word: its result stands, and Loom answers nothing."""
    turn = ctx.sync([user("Ask."), asked(name, 1), result("c1", "KEY-1"), user("And?")])
    assert sent(turn).count("KEY-1") == 1


@pytest.mark.parametrize("name", NAMES)
def test_a_result_that_comes_after_its_call(ctx: loom.Context, name: str) -> None:
    """A list that first has the call alone, and then the host's result."""
    listed = [user("Ask."), asked(name, 1)]
    ctx.sync(listed)
    turn = ctx.sync([*listed, result("c1", "KEY-1")])
    assert "KEY-1" in sent(turn)
    turn = ctx.sync([*listed, result("c1", "KEY-1"), asked(name, 2), result("c2", "KEY-2")])
    assert "KEY-1" in sent(turn) and "KEY-2" in sent(turn)


@pytest.mark.parametrize("name", NAMES)
def test_a_result_of_a_reply_that_was_given(ctx: loom.Context, name: str) -> None:
    """A host that gives replies, and lists results that it made itself."""
    ctx.sync([user("Ask.")])
    ctx.reply(asked(name, 1))
    turn = ctx.sync([user("Ask."), asked(name, 1), result("c1", "KEY-1")])
    assert "KEY-1" in sent(turn)


def test_an_answer_of_looms_in_the_list_is_no_other(ctx: loom.Context) -> None:
    """A host that lists what Loom answered adds nothing."""
    ctx.sync([user("Ask.")])
    ctx.reply(called(("c1", "note", '{"text": "the parser"}')))
    before = sent(ctx.turn())
    told = ctx.history.restore(2).results["c1"]
    listed = [user("Ask."), called(("c1", "note", '{"text": "the parser"}')), result("c1", told)]
    assert sent(ctx.sync(listed)) == before
