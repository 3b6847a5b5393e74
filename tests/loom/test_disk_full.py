"""A disk that fails: nothing is lost, nothing is there twice, and what was derived can wait."""

import errno
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest
from msgspec.structs import replace

import loom
from loom.policy import choose_policy
from loom_paging import FileStore
from tests.kit.journal import lawful
from tests.kit.opened import plain

Made = TypeVar("Made")


class Full(FileStore):
    """Real files on a disk that is full now and then.

    The append numbered `fails_at` (from 1) writes half its bytes and fails; with `no_views` no
    derived view can be written.
    """

    def __init__(self, path: Path, *, fails_at: int = 0, no_views: bool = False) -> None:
        super().__init__(path, durable=False)
        self.fails_at = fails_at
        self.no_views = no_views
        self.appends = 0

    def append(self, name: str, data: bytes) -> None:
        """Append, or fail half way."""
        self.appends += 1
        if self.appends == self.fails_at:
            super().append(name, data[: len(data) // 2])
            raise OSError(errno.ENOSPC, "No space left on device", name)
        super().append(name, data)

    def sketch(self, name: str, data: bytes) -> None:
        """Write a view, or fail."""
        if self.no_views:
            raise OSError(errno.ENOSPC, "No space left on device", name)
        super().sketch(name, data)


def again(give: Callable[[], Made]) -> Made:
    """Do it, and once more when the disk was full."""
    try:
        return give()
    except OSError:
        return give()


def step(ctx: loom.Context, number: int) -> None:
    """Give a reply with one call and its result, each again when the disk was full."""
    call = loom.ToolCall(f"c{number}", "Bash", f'{{"command":"run {number}"}}')
    again(lambda: ctx.reply(loom.Reply((call,))))
    again(lambda: ctx.result(call.id, f"result of run {number}\n" * 80))


def life(ctx: loom.Context) -> list[loom.Turn]:
    """A short life with cuts and a renewal, every call made again when it failed."""
    turns = []
    again(lambda: ctx.user("run all of them"))
    for number in range(7):
        turns.append(again(ctx.turn))
        step(ctx, number)
        if number == 5:
            again(lambda: ctx.resize(1_100))
    return [*turns, again(ctx.turn)]


def test_whichever_write_fails(tmp_path: Path) -> None:
    """A life in which one append failed is lawful, whole, and reopens to the same request."""
    calm = Full(tmp_path / "calm")
    with loom.open(calm, window=3_000, policy=loom.Policy(own_tools=False)) as ctx:
        life(ctx)
        assert ctx.window.sent.generation > 1
    for fails_at in range(3, calm.appends + 1):  # the first two open it
        folder = tmp_path / str(fails_at)
        with loom.open(
            Full(folder, fails_at=fails_at), window=3_000, policy=loom.Policy(own_tools=False)
        ) as ctx:
            turns = life(ctx)
            assert [turn.number for turn in turns] == list(range(1, 9))
            assert lawful(ctx) == []
            assert ctx.window.history.next_id == 9
            for number in range(7):
                results = ctx.history.restore(number + 2).results
                assert results == {f"c{number}": f"result of run {number}\n" * 80}
        with plain(folder) as ctx:
            assert ctx.turn().sha256 == turns[-1].sha256


@pytest.mark.parametrize("preset", ["lazy", "eager"])
def test_views_that_cannot_be_written(tmp_path: Path, preset: str) -> None:
    """They are derived: turns go on, cuts are made, and nothing is missing."""
    store = Full(tmp_path, no_views=True)
    with loom.open(
        store, window=4_000, policy=replace(choose_policy(preset), own_tools=False)
    ) as ctx:
        for number in range(16):
            ctx.turn()
            step(ctx, number)
        ctx.user("Look into history/step_0001.json.")
        turn = ctx.turn()
        assert turn.pressure.rho <= 1.0
        assert ctx.window.sent.cuts
        assert ctx.history.restore(1).results == {"c0": "result of run 0\n" * 80}
        assert not (tmp_path / "history").exists()
        store.no_views = False
        assert ctx.turn().sha256 == turn.sha256
        assert (tmp_path / "history/step_0001.json").exists()  # as soon as there is room
    with plain(tmp_path) as ctx:
        assert ctx.turn().sha256 == turn.sha256
