"""A call whose arguments held a secret: run whole while the context lives, never from a journal."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import json

import loom
import loom.aio
from loom.providers.render.wording import SECRETS
from loom.replay.audit.standing import misplaced, own
from loom_partitions import laws
from loom_partitions.message import Step
from tests.kit.opened import Open, opened_with

SECRET = "sk-ant-" + "a1b2c3d4" * 4

opened = opened_with(window=16_000)


def reply(*arguments: str, name: str = "write_file") -> loom.Reply:
    """A reply with a call for each arguments, by the ids c0, c1, …"""
    return loom.Reply(
        tuple(loom.ToolCall(f"c{at}", name, text) for at, text in enumerate(arguments))
    )


def left(ctx: loom.Context, *arguments: str) -> None:
    """Leave a session with these calls open."""
    ctx.user("Write it.")
    ctx.turn()
    ctx.reply(reply(*arguments))


def host(ctx: loom.Context) -> list[str]:
    """Run what the host is given, as the plain loop does; the arguments it ran."""
    ran = []
    for call in ctx.calls:
        ran.append(call.arguments)
        ctx.result(call, "done")
    return ran


def last(ctx: loom.Context) -> Step:
    """The last step."""
    return next(e for e in ctx.window.history.stream.entries_back if isinstance(e, Step))


def kept_nowhere(folder: Path) -> bool:
    """True when no file of the folder holds the secret."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return bool(files) and not any(SECRET.encode() in path.read_bytes() for path in files)


def refused(ctx: loom.Context, id: str = "c0") -> str:
    """What the model is told of a call that is not run, where all of it is lawful."""
    turn = ctx.turn()
    (said,) = (m["content"] for m in turn.request()["messages"] if m.get("tool_call_id") == id)
    assert not laws.paired(ctx.window)
    assert not list(misplaced(turn, ctx.window, own(ctx.window, ctx._engine.read)))
    return str(said)


@pytest.mark.parametrize("large", ["", "and so on, line by line\n" * 8_000], ids=["small", "paged"])
def test_after_a_reopen_the_host_never_sees_it(opened: Open, tmp_path: Path, large: str) -> None:
    """The plain loop runs nothing; the model is told that it was not run, and what to do."""
    text = json.encode({"path": ".env", "content": large + SECRET}).decode()
    left(opened(), text)
    assert kept_nowhere(tmp_path)
    ctx = opened()
    assert ctx.calls == () and host(ctx) == [] and not ctx.window.history.open_calls
    with pytest.raises(loom.UnknownCall):
        ctx.run("c0")
    said = refused(ctx)
    assert (
        "It may have taken effect before: check" in said and "call again with the variable" in said
    )
    (outcome,) = last(ctx).outcomes
    assert outcome.error and outcome.stand_in and outcome.text.marked


def told(ctx: loom.Context) -> int:
    """How often the present request tells of marks."""
    return json.encode(ctx.turn().request()["messages"]).decode().count(SECRETS)
