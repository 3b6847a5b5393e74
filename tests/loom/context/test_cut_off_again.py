"""Replies that are cut off before they answer, and prompts that are blocked."""

from __future__ import annotations

from typing import Any

import pytest

import loom
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
