"""Damage on disk, a second writer, an opening that cannot be: each has its error."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import loom
import loom.aio
from loom.adapters.sessions import Sessions
from tests.kit.cases import all_cases


@all_cases(
    ("given", "error", "says"),
    [
        ({"policy": "greedy"}, loom.LoomError, "greedy.*lazy, graduated, eager"),
        ({"window": 600}, loom.OverCapacity, "window of 600"),
        ({"window": 4_000, "reply": 4_000}, loom.OverCapacity, "reply of 4,000"),
        ({"window": -1}, loom.OverCapacity, "window"),
        ({"window": 2_000, "tools": [{"name": "t", "description": "it " * 3_000}]},
         loom.OverCapacity, "the tools need .*Loom's own"),
    ],
)  # fmt: skip
def test_opened_wrongly(
    folder: Path, given: dict[str, Any], error: type[Exception], says: str
) -> None:
    """open() says what is wrong, and gives the lock back."""
    with pytest.raises(error, match=says):
        loom.open(folder, durable=False, **given)
    loom.open(folder, window=8_000, durable=False).close()


DOORS: dict[str, Callable[[loom.Context, Path, int], object]] = {
    "open": lambda ctx, folder, window: loom.open(folder / "new", window=window, durable=False),
    "resize": lambda ctx, folder, window: ctx.resize(window),
    "fork": lambda ctx, folder, window: ctx.agents.fork("f", window=window),
    "spawn": lambda ctx, folder, window: ctx.agents.spawn("Look.", window=window),
    "sessions": lambda ctx, folder, window: Sessions(folder / "s", window=window).of("a"),
    "aio": lambda ctx, folder, window: asyncio.run(entered(loom.aio.open(folder, window=window))),
}


async def entered(opening: Any) -> None:
    """Open asynchronously."""
    async with opening:
        pass


@all_cases("window", [0, -1])
@all_cases("door", DOORS)
def test_a_window_of_none_is_refused(tmp_path: Path, door: str, window: int) -> None:
    """Wherever one is given; nothing is made or changed."""
    with loom.open(tmp_path / "w", window=16_000, durable=False) as ctx:
        before, held = ctx.window, sorted(tmp_path.rglob("*"))
        with pytest.raises(loom.OverCapacity, match=f"window={window}: give"):
            DOORS[door](ctx, tmp_path, window)
        assert ctx.window == before
        assert sorted(tmp_path.rglob("*")) == held


@pytest.mark.parametrize("window", [0, -1])
def test_nor_does_a_workspace_take_one_when_it_is_opened_again(folder: Path, window: int) -> None:
    """It has the window it had."""
    loom.open(folder, window=16_000, durable=False).close()
    with pytest.raises(loom.OverCapacity, match=f"window={window}: give"):
        loom.open(folder, window=window, durable=False)
    with loom.open(folder, durable=False) as ctx:
        assert ctx.window.limits.window == 16_000
