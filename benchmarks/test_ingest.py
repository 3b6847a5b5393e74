"""What taking in costs: one more step, and the counting of its text."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from benchmarks.conftest import RESULT
from loom.context import Context
from loom.providers.counts import counter_for

ROUNDS = 30


@pytest.mark.benchmark(group="ingest")
def test_ingest(benchmark: Any, ctx: Context, step: Callable[[Context], None]) -> None:
    """A reply with a call, and its result of 4 KB."""
    before = ctx.window
    benchmark.pedantic(step, args=(ctx,), rounds=ROUNDS)
    assert ctx.window.history.next_id == before.history.next_id + ROUNDS
    assert ctx.window.tokens.total > before.tokens.total


@pytest.mark.benchmark(group="count")
def test_count(benchmark: Any) -> None:
    """Tokens of a text of 4 KB that was not counted before."""
    counter, numbers = counter_for(), count()
    tokens = benchmark.pedantic(
        counter,
        setup=lambda: ((RESULT.replace("\n", f" {next(numbers):06}\n"),), {}),
        rounds=ROUNDS,
    )
    assert counter.calls == ROUNDS
    assert counter.characters > ROUNDS * len(RESULT)  # no line of it was known
    assert tokens > 0


@pytest.mark.benchmark(group="count")
def test_count_again(benchmark: Any) -> None:
    """Tokens of a text that was counted before."""
    counter = counter_for()
    tokens = counter(RESULT)
    assert benchmark.pedantic(counter, args=(RESULT,), rounds=ROUNDS) == tokens
    assert counter.calls == 1
