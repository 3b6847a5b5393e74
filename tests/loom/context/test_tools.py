"""`ctx.tools` for hosts that declare Loom's tools themselves: schemas, replies, answers."""

from __future__ import annotations

import pytest

import loom
from loom.inputs import Reply, Speech, ToolCall
from tests.kit.cases import all_cases
from tests.kit.hosts import FORMATS
from tests.kit.opened import Open, opened_with

opened = opened_with(window=60_000)
NOTE = ToolCall("c1", "note", '{"text": "the port is 8080"}')


def test_without_own_tools_there_is_nothing(opened: Open) -> None:
    """No schema, and a reply is as it was."""
    ctx = opened(policy=loom.Policy(own_tools=False))
    reply = Reply((Speech("I look."), NOTE))
    assert (ctx.tools.schemas(), ctx.tools.own) == ([], set())
    assert ctx.tools.without_own(reply) == reply


@all_cases("format", FORMATS)
def test_schemas_are_those_of_a_request(opened: Open, format: str) -> None:
    """Of the tools that are answered here, and of no other."""
    ctx = opened()
    ctx.tools.declare({"name": "bash", "description": "Run.", "parameters": {"type": "object"}})
    ctx.user("Go on.")
    mine, sent = ctx.tools.schemas(format), str(ctx.turn().request(format))
    assert len(mine) == len(ctx.tools.own) and "bash" not in str(mine)
    assert all(str(one)[1:-1] in sent for one in mine)


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
