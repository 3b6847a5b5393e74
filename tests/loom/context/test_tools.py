"""`ctx.tools` for hosts that declare Loom's tools themselves: schemas, replies, answers."""

from __future__ import annotations

import pytest

import loom
from loom.inputs import Reply, ToolCall
from tests.kit.opened import Open, opened_with

opened = opened_with(window=60_000)
NOTE = ToolCall("c1", "note", '{"text": "the port is 8080"}')


def test_a_format_nobody_speaks(opened: Open) -> None:
    """It is refused by name."""
    with pytest.raises(loom.UnknownFormat):
        opened().tools.schemas("nobodys")


def test_a_call_that_was_answered_here(opened: Open) -> None:
    """The host does not see the call, and may have its answer."""
    ctx = opened()
    ctx.user("Go on.")
    ctx.turn()
    reply = Reply((NOTE, ToolCall("c2", "bash", "{}")))
    ctx.reply(reply)
    assert [call.name for call in ctx.tools.without_own(reply).calls] == ["bash"]
    assert ctx.tools.answer("c1") == ctx.tools.answer(NOTE) == ctx.history.restore(2).results["c1"]
    for id in ("c2", "c9"):
        with pytest.raises(loom.UnknownCall):
            ctx.tools.answer(id)
