"""Damage on disk, a second writer, an opening that cannot be: each has its error."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import loom
import loom.aio
from loom.adapters.sessions import Sessions
from loom_partitions import laws
from tests.kit.cases import all_cases
from tests.kit.journal import stored
from tests.kit.opened import plain


def test_a_page_altered_on_disk(folder: Path) -> None:
    """A page whose bytes changed is refused by name, after a reopen as well."""
    with loom.open(folder, window=8_000, durable=False) as ctx:
        ctx.user("one\n" * 400)
        name = next(iter(ctx._engine.workspace.pager.table))
    path = folder / name
    path.chmod(0o600)
    path.write_bytes(path.read_bytes().replace(b"one", b"two", 1))
    before = stored(folder)
    with loom.open(folder, durable=False) as ctx:
        for read in (lambda: ctx.page_in(name), lambda: ctx.history.restore(1)):
            with pytest.raises(loom.CorruptPage, match=name):
                read()
        assert stored(folder)["000001.jsonl"].startswith(before["000001.jsonl"])
        assert laws.counted(ctx.window) == []


def test_a_missing_page(folder: Path) -> None:
    """A page that is gone is named by the error."""
    with loom.open(folder, window=8_000, durable=False) as ctx:
        ctx.user("one\n" * 400)
        name = next(iter(ctx._engine.workspace.pager.table))
    (folder / name).unlink()
    with loom.open(folder, durable=False) as ctx:
        with pytest.raises(loom.MissingPage, match=name):
            ctx.page_in(name)
        with pytest.raises(loom.MissingPage, match=name):
            ctx.history.restore(1)


def test_a_turn_without_a_page_is_made(folder: Path) -> None:
    """When a resident page is gone, the request says so and the window moves."""
    with loom.open(folder, window=8_000, durable=False) as ctx:
        ctx.user("one\n" * 400)
        name = next(iter(ctx._engine.workspace.pager.table))
    (folder / name).unlink()
    with loom.open(folder, durable=False) as ctx:
        assert f"{name} {ctx.window.config.mark} is gone" in repr(ctx.turn().messages)
        assert ctx.window.sent.turn == 1


def test_a_second_opener_here(folder: Path) -> None:
    """A workspace has one writer in a process; when it closes, the next may have it."""
    with (
        loom.open(folder, durable=False),
        pytest.raises(loom.StoreLocked, match="this process"),
    ):
        loom.open(folder)
    loom.open(folder, durable=False).close()


def test_a_second_opener_elsewhere(folder: Path) -> None:
    """A workspace has one writer on a machine; the error names the process."""
    code = f"import loom\ntry: loom.open({str(folder)!r})\nexcept loom.StoreLocked as e: print(e)"
    with loom.open(folder, durable=False):
        told = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=240
        )
    assert "is in use by process" in told.stdout


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


def test_reopened_too_small(folder: Path) -> None:
    """A window too small for the instructions is refused by open(), and not recorded."""
    with plain(folder, window=8_000) as ctx:
        ctx.system("be good " * 1_500)
    before = stored(folder)
    with pytest.raises(loom.OverCapacity, match="system"):
        plain(folder, window=3_000, reply=500).close()
    assert stored(folder) == before


def test_a_closed_context_writes_nothing(folder: Path) -> None:
    """After close() every input is refused, and the next writer's journal is its own."""
    first = loom.open(folder, durable=False)
    first.close()
    with loom.open(folder, durable=False) as second:
        second.user("mine")
        before = stored(folder)
        with pytest.raises(Exception, match="closed"):
            first.user("late")
        assert stored(folder) == before
        second.user("mine too")
    loom.open(folder, durable=False).close()


def test_closing_twice_is_nothing(folder: Path) -> None:
    """close() may be called again, and after another writer has come."""
    first = loom.open(folder, durable=False)
    first.close()
    with loom.open(folder, durable=False) as second:
        first.close()
        second.user("mine")
        with pytest.raises(loom.StoreLocked):
            loom.open(folder, durable=False)


def test_a_full_window_resumes_without_tools_that_came_later(tmp_path: Path) -> None:
    """Notes, skills and a toolbox given anew are not declared where no room is left for them."""
    with plain(tmp_path / "w", window=3_000) as ctx:
        room = int(ctx.window.limits.capacity * 0.95)
        while True:
            try:
                ctx.system("rule " * room)
                break
            except loom.OverCapacity:
                room = room * 99 // 100
    with loom.open(
        tmp_path / "w", capabilities=[loom.Memory(tmp_path / "kept")], durable=False
    ) as ctx:
        assert len(ctx.window.skill.tools.current) < sum(
            tool.offered for tool in ctx._engine.tools.values()
        )
        ctx.user("go on")
        assert ctx.turn().pressure.rho <= 1.0
