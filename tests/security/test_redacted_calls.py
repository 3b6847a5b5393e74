"""A call whose arguments held a secret: run whole while the context lives, never from a journal."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import json

import loom
from loom.replay.audit.standing import misplaced, own
from loom_partitions import laws
from loom_partitions.message import Step
from tests.kit.opened import Open, opened_with

SECRET = "sk-ant-" + "a1b2c3d4" * 4

opened = opened_with(window=16_000)


def last(ctx: loom.Context) -> Step:
    """The last step."""
    return next(e for e in ctx.window.history.stream.entries_back if isinstance(e, Step))


def kept_nowhere(folder: Path) -> bool:
    """True when no file of the folder holds the secret."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return bool(files) and not any(SECRET.encode() in path.read_bytes() for path in files)


@pytest.mark.parametrize("large", ["", "and so on, line by line\n" * 8_000], ids=["small", "paged"])
def test_after_a_reopen_the_host_never_sees_it(opened: Open, tmp_path: Path, large: str) -> None:
    """The plain loop runs nothing; the model is told that it was not run, and what to do."""
    text = json.encode({"path": ".env", "content": large + SECRET}).decode()
    ctx = opened()
    ctx.user("Write it.")
    ctx.turn()
    ctx.reply(loom.Reply((loom.ToolCall("c0", "write_file", text),)))
    assert ctx.calls[0].arguments == text and kept_nowhere(tmp_path)
    ctx = opened()
    assert ctx.calls == () and not ctx.window.history.open_calls
    with pytest.raises(loom.UnknownCall):
        ctx.run("c0")
    turn = ctx.turn()
    (said,) = (m["content"] for m in turn.request()["messages"] if m.get("tool_call_id") == "c0")
    assert "It may have taken effect before: check" in said
    assert "call again with the variable" in said and not laws.paired(ctx.window)
    assert not list(misplaced(turn, ctx.window, own(ctx.window, ctx._engine.read)))
    (outcome,) = last(ctx).outcomes
    assert outcome.error and outcome.stand_in and outcome.text.marked
