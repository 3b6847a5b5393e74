"""A workspace opened from its checkpoint is the one its journal folds to from the first line."""

from __future__ import annotations

from pathlib import Path

import pytest

from loom.engine.archive import folded
from loom.engine.archive.compared import untrue
from loom.engine.archive.folded import FoldedJournal
from loom.engine.archive.workspace import Workspace
from loom_paging import FileStore
from loom_paging.checkpoint import Checkpoint, save
from tests.kit.opened import Open, opened_with
from tests.kit.pressed import life
from tests.kit.step import step

opened = opened_with(window=8_192)


def opened_from(folder: Path, *, checkpoint: bool) -> FoldedJournal:
    """What a folder is read as, with its checkpoint or without."""
    return Workspace.at_path(folder, write=False, checkpoint=checkpoint).folded


def test_the_same_as_the_whole_fold(opened: Open, tmp_path: Path) -> None:
    """Window, pages, index and the notes on edited files are the same with and without it."""
    ctx = life(opened).ctx
    ctx.renew()
    for number in range(5):
        step(ctx, 30, tool="Edit", args={"path": f"part_{number}.py", "old": "a", "new": "b"})
    ctx.turn()
    ctx.close()
    workspace = Workspace.at_path(tmp_path / "w", write=False, checkpoint=False)
    assert untrue(workspace) == []
    kept, whole = opened_from(tmp_path / "w", checkpoint=True), workspace.folded
    assert kept.sealed.last > 0
    assert kept.window == whole.window
    assert kept.index.since.of("step_0006") == whole.index.since.of("step_0006")
    assert [*kept.pager.table] == [*whole.pager.table]


def test_a_sealed_checkpoint_of_something_else(opened: Open, tmp_path: Path) -> None:
    """One whose hashes are right and whose content is no checkpoint is passed over."""
    ctx = opened()
    step(ctx, 40)
    ctx.renew()
    request = ctx.turn().request()
    ctx.close()
    store = FileStore(tmp_path / "w")
    sealed = opened_from(tmp_path / "w", checkpoint=True).sealed
    save(store, Checkpoint(), folded.maker(), sealed, b"\x01", b"\x02")
    store.close()
    assert opened_from(tmp_path / "w", checkpoint=True).sealed.last == 0
    assert opened().turn().request() == request


def test_a_checkpoint_that_is_untrue_is_told(
    opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that verifies and says other than the journal is found by holding it against that."""
    ctx = opened()
    step(ctx, 40)
    ctx._engine.workspace.folded.index.turns += 1
    ctx.renew()
    ctx.close()
    told = untrue(Workspace.at_path(tmp_path / "w", write=False, checkpoint=False))
    assert [one.partition(" is")[0] for one in told] == ["the count of steps"]
