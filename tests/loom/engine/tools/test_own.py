"""Loom's own tools: bad calls are answered, and their names belong to one side at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import json

import loom
from tests.kit.step import calls

HOSTS = {
    "description": "The host's own.",
    "parameters": {"type": "object", "properties": {"id": {"type": "string"}}},
}


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[loom.Context]:
    """A context with a message to bring back."""
    with loom.open(tmp_path / "w", window=16_000, durable=False) as made:
        made.user("one\ntwo\nthree")
        made.turn()
        yield made


def declared(ctx: loom.Context) -> dict[str, str]:
    """Name and description of every tool on the shelf."""
    tools = [json.decode(held.text.body or "") for held in ctx.window.skill.tools.current]
    return {tool["name"]: tool["description"] for tool in tools}


def test_a_name_that_leads_nowhere_is_an_error(ctx: loom.Context) -> None:
    """The first answer says what to do instead, the second that this was said."""
    for entry, told in ((2, "recall(query) finds names"), (3, "as you were told")):
        ctx.reply(loom.Reply((loom.ToolCall(f"c{entry}", "page_in", '{"ref":"surf_0099.txt"}'),)))
        restored = ctx.history.restore(entry)
        assert restored.errors == (f"c{entry}",)
        assert told in restored.results[f"c{entry}"]
        ctx.turn()


@pytest.mark.parametrize("name", ["page_in", "recall"])
def test_a_host_tool_of_the_same_name_is_refused(ctx: loom.Context, name: str) -> None:
    """While Loom answers it: BadTool names it, the declaration stays, the call stays Loom's."""
    before, window = declared(ctx), ctx.window
    with pytest.raises(loom.BadTool, match=name):
        ctx.tools.declare({"name": name, **HOSTS})
    assert ctx.window is window
    assert declared(ctx) == before
    ctx.reply(calls("a", tool=name, args='{"ref":"user_0001","query":"two"}'))
    assert ctx.calls == ()
