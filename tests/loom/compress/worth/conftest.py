"""Small sessions on real files: steps by tool, arguments and result, and their catalog."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import loom
from loom.compress.worth.catalog import Catalog
from loom_partitions.message import Step, UserTurn


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[..., loom.Context]]:
    """Open a fresh workspace; 32,000 tokens and no tools of Loom's own unless said."""
    made: list[loom.Context] = []

    def make(**given: Any) -> loom.Context:
        settings: dict[str, Any] = {
            "window": 32_000,
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
def act() -> Callable[..., Step]:
    """Add a step with one call and its result, and what it says; the step as it came in."""

    def add(
        ctx: loom.Context,
        tool: str,
        args: dict[str, Any] | str,
        result: str,
        *,
        said: str = "",
        error: bool = False,
    ) -> Step:
        text = args if isinstance(args, str) else json.dumps(args)
        call = loom.ToolCall(f"c{ctx.window.history.next_id}", tool, text)
        ctx.reply(loom.Reply((*([loom.Speech(said)] if said else []), call)))
        ctx.result(call, result, error=error)
        step = next(ctx.window.history.stream.entries_back)
        assert isinstance(step, Step)
        return step

    return add


@pytest.fixture
def catalog() -> Callable[[loom.Context], Catalog]:
    """The catalog of all that stands in a context's window."""

    def make(ctx: loom.Context) -> Catalog:
        made = Catalog(ctx._engine.sizes.count.many)
        for entry in ctx.window.history.stream.entries:
            assert isinstance(entry, Step | UserTurn)
            made.note(entry, ctx._engine.workspace.read)
        return made

    return make
