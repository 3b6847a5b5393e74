"""The cost of one call after 1,000 and after 10,000 steps: it should be the same."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest

from loom.context import Context
from loom.inputs import Reply, Speech, ToolCall
from loom.providers.render.render import Rendering

ROUNDS = 30
RESULT = "\n".join(f"{number:6}\tfor each line of a file there is a number" for number in range(80))
NUMBERS = count()


def _reply() -> Reply:
    call = ToolCall(f"bench_{next(NUMBERS)}", "Read", '{"file_path": "src/main.py"}')
    return Reply((Speech("Let me look at that."), call))


def _step(ctx: Context) -> None:
    ctx.reply(_reply())
    ctx.result(ctx.calls[0], RESULT)


def test_ingest(benchmark: Any, ctx: Context) -> None:
    """A reply with a call, and its result of 4 KB."""
    benchmark.extra_info["tokens"] = ctx.window.tokens.total
    benchmark.pedantic(_step, args=(ctx,), rounds=ROUNDS)


def test_turn(benchmark: Any, ctx: Context) -> None:
    """The request after one more step, ready for the wire."""
    benchmark.pedantic(lambda: ctx.turn().request(), setup=lambda: _step(ctx), rounds=ROUNDS)


def test_turn_again(benchmark: Any, ctx: Context) -> None:
    """The same request asked for a second time."""
    benchmark.pedantic(lambda: ctx.turn().request(), rounds=ROUNDS)


@pytest.mark.parametrize("ways", [{}, {"lines": "10-40"}, {"grep": "total"}], ids=str)
def test_page_in(benchmark: Any, ctx: Context, ways: dict[str, str]) -> None:
    """A page by name: whole, by lines, by pattern."""
    name = next(
        outcome.text.page
        for entry in ctx.window.history.stream.entries_back
        for outcome in getattr(entry, "outcomes", ())
        if outcome.text.page
    )
    benchmark.pedantic(lambda: ctx.page_in(name, **ways), rounds=ROUNDS)


def test_render(benchmark: Any, ctx: Context) -> None:
    """Every message of the window anew, as after a cut."""
    rendering = benchmark.pedantic(_rendered, args=(ctx,), rounds=5)
    benchmark.extra_info["bytes"] = rendering.encoded


def _rendered(ctx: Context) -> Rendering:
    rendering = Rendering()
    rendering.update(ctx.window, ctx._engine.read)
    return rendering
