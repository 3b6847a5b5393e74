"""A folder that cannot be synced, now and then: the session goes on, and nothing is there twice."""

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

import loom
from loom.capabilities.events.inbox import put_message
from loom_paging import FileStore, check

Made = TypeVar("Made")
RUNS = 4


class Syncs:
    """What the system is asked to sync: counts the folders, and fails at the one `fails_at`.

    `kept` has the folders a power cut would leave: those that stood in their parent at a sync.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folders = self.fails_at = 0
        self.kept: set[int] = set()
        self._sync = os.fsync
        monkeypatch.setattr(os, "fsync", self)

    def fail(self, at: int) -> None:
        """From now on the sync of a folder with that number, from 1, fails."""
        self.folders, self.fails_at = 0, at
        self.kept.clear()

    def lost(self, top: Path) -> list[Path]:
        """The folders from `top` on that a power cut could take."""
        made = (path for path in [top, *top.rglob("*")] if path.is_dir())
        return [path for path in made if path.stat().st_ino not in self.kept]

    def __call__(self, descriptor: int) -> None:
        """Sync, or fail."""
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            return
        self.folders += 1
        if self.folders == self.fails_at:
            raise OSError(errno.EIO, "Input/output error")
        self._sync(descriptor)
        with os.scandir(descriptor) as entries:
            self.kept.update(entry.inode() for entry in entries if entry.is_dir())


@pytest.fixture
def syncs(monkeypatch: pytest.MonkeyPatch) -> Syncs:
    """The syncs of this process."""
    return Syncs(monkeypatch)


def again(give: Callable[[int], Made]) -> Made:
    """Do it, and once more when the disk failed; it is told which time it is."""
    try:
        return give(0)
    except OSError:
        return give(1)


def result(number: int, time: int = 0) -> str:
    """What a run gave; a tool that is run again may say something else."""
    return f"result of run {number}, time {time}\n" * 80


def opened(folder: Path, window: int | None = 3_000) -> loom.Context:
    """A context on a workspace that lies deep."""
    return loom.open(folder, window=window, policy=loom.Policy(own_tools=False))


def life(ctx: loom.Context, *, anew: bool) -> dict[str, str]:
    """A short life with pages, a renewal and a child, every call made again when it failed.

    Returns the results as they were given at last; with `anew` the second is not the first.
    """
    given: dict[str, str] = {}

    def end(id: str, number: int, time: int) -> None:
        given[id] = result(number, time if anew else 0)
        ctx.result(id, given[id])

    again(lambda time: ctx.user("run all of them"))
    for number in range(RUNS):
        again(lambda time: ctx.turn())
        id, tool = f"c{number}", ("Bash", "Read")[number % 2]
        again(
            lambda time, id=id, tool=tool: ctx.reply(loom.Reply((loom.ToolCall(id, tool, "{}"),)))
        )
        again(lambda time, id=id, number=number: end(id, number, time))
        if number == RUNS - 2:
            again(lambda time: ctx.resize(1_100))
    return given


@pytest.mark.parametrize("anew", [False, True])
def test_whichever_folder_is_not_synced(tmp_path: Path, syncs: Syncs, anew: bool) -> None:
    """One sync fails, wherever: the call made again succeeds, nothing is lost, all can be kept."""

    def lived(folder: Path) -> str:
        with again(lambda time: opened(folder)) as ctx:
            given = life(ctx, anew=anew)
            turn = again(lambda time: ctx.turn())
            held = [ctx.history.restore(number + 2).results for number in range(RUNS)]
            assert held == [{id: text} for id, text in given.items()]
            assert ctx.window.history.next_id == RUNS + 2
        report = check(FileStore(folder, create=False))
        assert report.problems == () and report.torn == 0
        if not anew:
            assert report.notes == ()
        syncs.fails_at = 0  # what comes now is to be read alone
        with opened(folder, None) as ctx:  # as large as it was left
            assert ctx.turn().sha256 == turn.sha256
        return turn.sha256

    lived(tmp_path / "calm" / "a" / "w")
    assert syncs.folders > 10
    for fails_at in range(1, syncs.folders + 1):
        syncs.fail(fails_at)
        lived(tmp_path / str(fails_at) / "a" / "w")
        assert syncs.lost(tmp_path / str(fails_at)) == []


def test_the_folders_of_agents_and_of_messages(tmp_path: Path, syncs: Syncs) -> None:
    """Those of a child and of the inbox outlive a power cut too, whichever sync fails."""

    def lived(folder: Path) -> None:
        with again(lambda time: opened(folder)) as ctx:

            def spawned(time: int) -> loom.Context:
                known = "one" in ctx.agents.children
                return ctx.agents.child("one") if known else ctx.agents.spawn("Count.", name="one")

            again(lambda time: ctx.user("share it out"))
            again(lambda time: ctx.turn())
            again(spawned).close()
            assert list(ctx.agents.children) == ["one"]
        again(lambda time: put_message(folder, "Stop."))
        assert len(list((folder / "inbox").glob("*.json"))) in (1, 2)

    lived(tmp_path / "calm")
    for fails_at in range(1, syncs.folders + 1):
        syncs.fail(fails_at)
        lived(tmp_path / str(fails_at) / "w")
        assert syncs.lost(tmp_path / str(fails_at)) == []
