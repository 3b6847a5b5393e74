"""A workspace that syncs once a turn: how often, what a torn end leaves, what is refused."""

from __future__ import annotations

import errno
import os
from collections import Counter
from pathlib import Path

import pytest

import loom
from loom.inputs import Reply, Speech, ToolCall
from loom_paging import FileStore
from loom_paging.waiting_syncs import Durable
from tests.kit.journal import lawful

STEPS = 6


class SyncCounts:
    """How often the files of each folder of a workspace are synced, and the folders."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.counts: Counter[str] = Counter()
        for name in ("fsync", "fdatasync"):
            monkeypatch.setattr(os, name, self._counted(getattr(os, name)))

    def _counted(self, real):  # type: ignore[no-untyped-def]
        def sync(descriptor: int) -> None:
            path = Path(f"/proc/self/fd/{descriptor}").readlink()
            self.counts["folder" if path.is_dir() else path.parent.name] += 1
            real(descriptor)

        return sync


def step(ctx: loom.Context, number: int) -> None:
    """A step of three calls, and the turn that acknowledges it."""
    calls = [ToolCall(f"c{number}-{at}", "Read", f'{{"path":"{at}.py"}}') for at in range(3)]
    ctx.reply(Reply((Speech(f"Step {number}."), *calls)))
    for at, call in enumerate(calls):
        ctx.result(call.id, f"line {number} of {at}\n" * 200)
    ctx.turn()


@pytest.mark.parametrize("durable", [True, "turn"])
def test_syncs_of_a_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, durable: Durable) -> None:
    """Once a turn the journal is synced, each page and their folder; else the journal is at each
    commit and the folder at each page."""
    with loom.open(tmp_path / "w", goal="Count.", durable=durable) as ctx:
        ctx.turn()
        step(ctx, 0)
        counted = SyncCounts(monkeypatch)
        for number in range(1, STEPS + 1):
            counted.counts.clear()
            step(ctx, number)
            once = durable == "turn"
            assert counted.counts["journal"] == (1 if once else 5)
            assert counted.counts["outputs"] == 3
            assert counted.counts["folder"] == (1 if once else 3)


def test_nothing_is_synced_before_the_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reply and its results are written at once, and wait; closing makes them durable too."""
    ctx = loom.open(tmp_path / "w", goal="Count.", durable="turn")
    ctx.turn()
    step(ctx, 0)  # which makes the folder of pages
    counted = SyncCounts(monkeypatch)
    ctx.reply(Reply((Speech("Look."), ToolCall("c", "Read", "{}"))))
    ctx.result("c", "line\n" * 900)
    assert not counted.counts
    commits = ctx._engine.workspace.commits
    journal = (tmp_path / "w" / "journal" / "000001.jsonl").read_bytes()
    assert journal.count(b"\n") == commits
    ctx.close()
    assert counted.counts["journal"] == counted.counts["outputs"] == 1


def test_a_torn_turn_opens_as_it_was_acknowledged(tmp_path: Path) -> None:
    """A page of it is missing, as a power cut may have it: the request is that of the turn, and
    the names of what was cut are free again."""
    folder = tmp_path / "w"
    ctx = loom.open(folder, goal="Count.", durable="turn")
    step_texts = ctx.turn().messages
    ctx.reply(Reply((Speech("Look."), ToolCall("a", "Read", "{}"), ToolCall("b", "Read", "{}"))))
    ctx.result("a", "first\n" * 900)
    ctx.result("b", "second\n" * 900)
    assert ctx._engine.workspace._lock is not None
    ctx._engine.workspace._lock.release()  # as a kill leaves it
    first, second = sorted((folder / "outputs").iterdir())
    first.write_bytes(b"")
    with loom.open(folder, durable="turn") as again:
        assert lawful(again) == []
        assert [call.id for call in again.calls] == ["a", "b"]
        assert not first.exists() and not second.exists()
        again.abandon("lost")
        assert again.turn().messages[: len(step_texts)] == step_texts


def test_what_is_no_way_to_be_durable(tmp_path: Path) -> None:
    """Another word or kind is refused, and so is a store in the place of a folder."""
    with pytest.raises(loom.LoomError, match="give True, False or 'turn'"):
        loom.open(tmp_path / "w", durable="turns")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="durable= is True, False or 'turn'"):
        loom.open(tmp_path / "w", durable=None)  # type: ignore[arg-type]
    store = FileStore(tmp_path / "s", durable="turn")
    for given in ({"path": store}, {"path": FileStore(tmp_path / "t"), "durable": "turn"}):
        with pytest.raises(loom.LoomError, match="is for a folder"):
            loom.open(**given)  # type: ignore[arg-type]
    assert not (tmp_path / "w").exists()


def test_agents_below_sync_as_the_one_above(tmp_path: Path) -> None:
    """A child is opened in the same mode, and its result is durable at once."""
    with loom.open(tmp_path / "w", goal="Count.", durable="turn") as ctx:
        with ctx.agents.spawn("Read.", name="one") as child:
            assert getattr(child._engine.workspace.store, "durable", None) == "turn"
            child.turn()
            child.reply(Reply((Speech("Read."),)))
            child.agents.deliver("Short.")
        assert ctx.agents.join("one").summary == "Short."


def test_a_turn_whose_sync_fails_has_not_happened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It raises, and so does the next, until the workspace is opened anew: all is there then."""
    ctx = loom.open(tmp_path / "w", goal="Count.", durable="turn")
    ctx.turn()
    step(ctx, 0)
    ctx.user("Go on.")
    with monkeypatch.context() as patched:
        patched.setattr(os, "fdatasync", _failing)
        with pytest.raises(OSError, match="Input/output"):
            ctx.turn()
    with pytest.raises(loom.LoomError, match="close the store and open it again"):
        ctx.turn()
    ctx.close()
    with loom.open(tmp_path / "w", durable="turn") as again:
        assert lawful(again) == [] and again.window.sent.turn == 2
        assert "Go on." in repr(again.turn().messages)


def _failing(descriptor: int) -> None:
    raise OSError(errno.EIO, "Input/output error")
