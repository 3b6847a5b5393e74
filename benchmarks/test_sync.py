"""What a host's own list costs that is given whole each time."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest

from benchmarks.conftest import RESULT
from loom.context import Context
from loom.rewrite.talk import talk

ROUNDS = 10
Messages = list[dict[str, Any]]
NUMBERS = count()


@pytest.fixture
def listed(ctx: Context) -> Messages:
    """The session as a list of messages that was given once."""
    messages: Messages = talk(ctx._engine.workspace, "openai")[0]["messages"]
    ctx.sync(messages)
    return messages


def _step() -> Messages:
    """A reply with a call, and its result of 4 KB."""
    call = f"sync_{next(NUMBERS)}"
    asked = {"name": "Read", "arguments": '{"file_path": "src/main.py"}'}
    return [
        {"role": "assistant", "content": "Let me look.",
         "tool_calls": [{"id": call, "type": "function", "function": asked}]},
        {"role": "tool", "tool_call_id": call, "content": RESULT},
    ]  # fmt: skip


@pytest.mark.benchmark(group="sync")
def test_sync_grown(benchmark: Any, ctx: Context, listed: Messages) -> None:
    """A list that grew by one step."""
    before = ctx.window
    benchmark.pedantic(
        ctx.sync, args=(listed,), setup=lambda: listed.extend(_step()), rounds=ROUNDS
    )
    assert ctx.window.history.next_id == before.history.next_id + ROUNDS
    assert ctx.window.sent.turn == before.sent.turn + ROUNDS
    assert ctx.window.sent.cuts == before.sent.cuts


@pytest.mark.benchmark(group="sync")
def test_sync_equal(benchmark: Any, ctx: Context, listed: Messages) -> None:
    """The same list again, copied as hosts do."""
    before = ctx.turn().sha256
    turn = benchmark.pedantic(ctx.sync, setup=lambda: (([*map(dict, listed)],), {}), rounds=ROUNDS)
    assert turn.sha256 == before
