"""Small hand-made sessions: a context on real files, and one way to add a step to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import loom
from loom.compress.scene import Scene


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[..., loom.Context]]:
    """Open a fresh workspace; 16,000 tokens and no tools of Loom's own unless said."""
    made: list[loom.Context] = []

    def make(**given: Any) -> loom.Context:
        settings: dict[str, Any] = {
            "window": 16_000,
            "policy": loom.Policy(own_tools=False),
            "durable": False,
        }
        ctx = loom.open(tmp_path / f"w{len(made)}", **{**settings, **given})
        made.append(ctx)
        return ctx

    yield make
    for ctx in made:
        ctx.close()


@pytest.fixture
def step() -> Callable[..., int]:
    """Add a step with one call and its result; returns its entry id."""

    def add(
        ctx: loom.Context, result: str, *, tool: str = "Bash", args: str = "", error: bool = False
    ) -> int:
        id = ctx.window.history.next_id
        call = loom.ToolCall(f"c{id}", tool, args or f'{{"command":"run {id}"}}')
        ctx.reply(loom.Reply((call,)))
        ctx.result(call, result, error=error)
        return id

    return add


@pytest.fixture
def scene() -> Callable[..., Scene]:
    """What a strategy sees of a context now; with `target` 1 everything old is too much."""

    def see(ctx: loom.Context, target: int = 1) -> Scene:
        return ctx._engine.relief.cutter.scene(ctx.window, 0, target)

    return see
