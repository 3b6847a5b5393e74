"""Replies that are cut off before they answer, and prompts that are blocked."""

from __future__ import annotations

from typing import Any

import pytest

import loom
from loom_partitions import laws
from tests.kit.opened import Open, opened_with

opened = opened_with()


def cut() -> dict[str, Any]:
    """A reply that reasons until its room is over."""
    message = {"role": "assistant", "content": "<think>and on and on"}
    return {"choices": [{"finish_reason": "length", "message": message}]}


def last(ctx: loom.Context) -> str:
    """The last message of the next request."""
    return str(ctx.turn().request("openai")["messages"][-1]["content"])


def test_one_is_asked_for_again(opened: Open) -> None:
    """Once is no loop."""
    ctx = opened()
    ctx.user("count")
    ctx.turn()
    ctx.reply(cut())
    assert not ctx.done
    assert last(ctx).startswith("[continue ")
    assert "cut off" not in last(ctx)


def test_several_in_a_row_are_told(opened: Open) -> None:
    """How often, and what to do; the number does not grow without end, and an answer ends it."""
    ctx = opened()
    ctx.user("count")
    for times in range(1, 15):
        ctx.turn()
        ctx.reply(cut())
        if times > 1:
            assert f"cut off {min(times, 9)} times in a row, answer shorter" in last(ctx)
    assert laws.counted(ctx.window) == []
    ctx.turn()
    ctx.reply(loom.Reply((loom.Speech("14"),)))
    assert ctx.done
    ctx.user("and now?")
    ctx.turn()
    ctx.reply(cut())
    assert "in a row" not in last(ctx)


@pytest.mark.parametrize(
    "reply",
    [
        {"candidates": []},
        {"promptFeedback": {"blockReason": "SAFETY"}},
        {"candidates": None, "prompt_feedback": {"block_reason": "OTHER"}},
    ],
)
def test_a_blocked_prompt_is_no_answer(opened: Open, reply: dict[str, Any]) -> None:
    """No candidate came: the task is not done."""
    ctx = opened()
    ctx.user("count")
    ctx.turn()
    ctx.reply(reply)
    assert ctx.text == ""
    assert not ctx.done
