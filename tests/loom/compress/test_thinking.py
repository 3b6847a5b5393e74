"""Opaque reasoning at a cut: it leaves where the prefix moved, except where it is demanded."""

from __future__ import annotations

from pathlib import Path

import pytest

import loom
from tests.kit.opened import plain

OPAQUE = '{"type":"thinking","thinking":"hm","signature":"s"}'
OUTPUT = "an ordinary line of output\n"


def thinking(wire: list[dict[str, object]]) -> list[bool]:
    """Of each assistant message, whether it begins with reasoning."""
    contents = [m["content"] for m in wire if m["role"] == "assistant"]
    return [isinstance(c, list) and c[0]["type"] == "thinking" for c in contents]


@pytest.mark.parametrize(("format", "kept"), [("anthropic", True), ("other", False)])
def test_the_last_step_of_a_tool_loop(tmp_path: Path, format: str, kept: bool) -> None:
    """Before a cut all of it is sent; after it only what the provider demands: the last step's."""
    with plain(tmp_path / "w", window=16_000) as ctx:
        ctx.user("go")
        for number in range(40):
            before = ctx.window.sent.cuts
            turn = ctx.turn()
            if ctx.window.sent.cuts > before:
                break
            call = loom.ToolCall(f"c{number}", "Bash", "{}")
            ctx.reply(loom.Reply((loom.Reasoning("hm", OPAQUE, format), call)))
            ctx.result(call, OUTPUT * 90)
        assert ctx.window.sent.cuts == 1
        told = thinking(turn.request("anthropic")["messages"])
        assert told[-1] is kept
        assert not any(told[:-1])


def test_without_a_cut_nothing_leaves(tmp_path: Path) -> None:
    """Between cuts every signed block is sent back as it came."""
    with plain(tmp_path / "w") as ctx:
        for number in range(3):
            ctx.reply(
                loom.Reply(
                    (loom.Reasoning("", OPAQUE, "anthropic"), loom.ToolCall(f"c{number}", "x", ""))
                )
            )
            ctx.result(f"c{number}", "ok")
        assert thinking(ctx.turn().request("anthropic")["messages"]) == [True] * 3
