"""What a request costs after 1,000 and after 10,000 steps: it should be the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from loom.context import Context

ROUNDS = 30


@pytest.mark.benchmark(group="turn")
def test_turn(benchmark: Any, ctx: Context, step: Callable[[Context], None]) -> None:
    """The request after one more step, ready for the wire."""
    before = ctx.turn()
    request = benchmark.pedantic(
        lambda: ctx.turn().request(), setup=lambda: step(ctx), rounds=ROUNDS
    )
    assert ctx.turn().number == before.number + ROUNDS
    assert len(request["messages"]) >= len(before.request()["messages"]) + 2 * ROUNDS


@pytest.mark.benchmark(group="turn")
def test_turn_again(benchmark: Any, ctx: Context) -> None:
    """The same request asked for a second time."""
    before = ctx.turn().sha256
    request = benchmark.pedantic(lambda: ctx.turn().request(), rounds=ROUNDS)
    assert ctx.turn().sha256 == before and request["messages"]
