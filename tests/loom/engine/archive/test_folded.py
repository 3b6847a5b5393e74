"""A workspace opened from its checkpoint is the one its journal folds to from the first line."""

from __future__ import annotations

from pathlib import Path

import pytest

import loom
from loom.engine.archive import folded
from loom.engine.archive.compared import untrue
from loom.engine.archive.folded import FoldedJournal
from loom.engine.archive.workspace import Workspace
from loom_paging import FileStore, MemoryStore
from loom_paging.checkpoint import FILES, STATE, Checkpoint, forget, save
from tests.kit.cases import all_cases
from tests.kit.opened import Open, opened_with
from tests.kit.pressed import life
from tests.kit.step import step
from tests.kit.stores import Counting

opened = opened_with(window=8_192)


def opened_from(folder: Path, *, checkpoint: bool) -> FoldedJournal:
    """What a folder is read as, with its checkpoint or without."""
    return Workspace.at_path(folder, write=False, checkpoint=checkpoint).folded


def test_none_before_a_segment_is_sealed(opened: Open, tmp_path: Path) -> None:
    """A short session writes no checkpoint."""
    step(opened())
    assert not (tmp_path / "w" / "checkpoints").exists()


def test_a_renewal_is_followed_by_one(opened: Open, tmp_path: Path) -> None:
    """The call after a renewal, or closing, writes it; the journal up to there is read no more."""
    ctx = opened()
    step(ctx, 40)
    ctx.renew()
    assert not (tmp_path / "w" / STATE).exists()
    ctx.user("Go on.")
    assert (tmp_path / "w" / STATE).exists()
    ctx.renew()
    ctx.close()
    kept = opened_from(tmp_path / "w", checkpoint=True)
    assert kept.commits == kept.sealed.last > 0


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


def test_a_long_segment_is_sealed(
    opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without any renewal, opening reads no more than a bounded number of commits."""
    monkeypatch.setattr(folded, "TAIL", 20)
    ctx = opened(window=200_000)
    for _ in range(30):
        step(ctx)
    ctx.close()
    kept = opened_from(tmp_path / "w", checkpoint=True)
    assert kept.commits - kept.sealed.last <= 20 + 2
    assert untrue(Workspace.at_path(tmp_path / "w", write=False, checkpoint=False)) == []


def test_opening_reads_what_came_after(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many commits lie before it, opening reads the segments behind a checkpoint."""
    monkeypatch.setattr(folded, "TAIL", 10)
    store = Counting()
    for _ in range(12):
        workspace = Workspace(store, write=True)
        for _ in range(5):
            workspace.commit([], workspace.window)
            workspace.acknowledge()
        workspace.close()
    store.reads.clear()
    Workspace(store, write=True)
    segments = [name for name in store.reads if name.startswith("journal/")]
    assert len(store.names("journal/")) > 4
    assert len(segments) <= 2  # the last line of what was sealed, and what came after


@all_cases("name", FILES)
@all_cases("what", ["gone", "empty", "flipped", "a folder"])
def test_damage_costs_time_alone(opened: Open, tmp_path: Path, name: str, what: str) -> None:
    """A checkpoint that is gone, damaged or no file is passed over; the next one counts again."""
    ctx = opened()
    step(ctx, 40)
    ctx.renew()
    step(ctx, 40)
    request = ctx.turn().request()
    ctx.close()
    path = tmp_path / "w" / name
    data = bytearray(path.read_bytes())
    path.unlink()
    if what == "a folder":
        path.mkdir()
        (path / "file").write_text("x")
    elif what != "gone":
        data[len(data) // 2] ^= 1
        path.write_bytes(b"" if what == "empty" else data)
    ctx = opened()
    assert ctx.turn().request() == request
    ctx.renew()
    ctx.user("Go on.")
    request = ctx.turn().request()
    ctx.close()
    assert opened().turn().request() == request
    assert untrue(Workspace.at_path(tmp_path / "w", write=False, checkpoint=False)) == []


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


def test_another_version_folds_the_journal(
    opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What another version of Loom wrote is passed over, and written anew."""
    ctx = opened()
    step(ctx, 40)
    ctx.renew()
    ctx.close()
    monkeypatch.setattr(folded, "maker", lambda: "another")
    assert opened_from(tmp_path / "w", checkpoint=True).sealed.last == 0
    ctx = opened()
    ctx.user("Go on.")
    ctx.close()
    assert opened_from(tmp_path / "w", checkpoint=True).sealed.last > 0


def test_what_was_taken_back_is_in_none(opened: Open, tmp_path: Path) -> None:
    """A renewal whose call did not return leaves no checkpoint that holds it."""
    ctx = opened()
    step(ctx, 40)
    ctx.renew()
    step(ctx, 40)
    workspace = ctx._engine.workspace
    before = workspace.commits
    ctx._engine.renew(None)  # nothing acknowledges it
    assert workspace.commits > before
    ctx.user("Go on.")
    ctx.close()
    assert opened_from(tmp_path / "w", checkpoint=True).commits == before + 1
    assert untrue(Workspace.at_path(tmp_path / "w", write=False, checkpoint=False)) == []


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


def test_a_store_in_memory_has_them_too() -> None:
    """Checkpoints are asked of any store."""
    store = MemoryStore()
    with loom.open(store, window=8_192) as ctx:
        step(ctx, 40)
        ctx.renew()
    assert {*FILES} <= {*store.names()}
    forget(store)


def test_pages_no_commit_names_are_not_counted(opened: Open, tmp_path: Path) -> None:
    """The count of pages is the same from a checkpoint as from the journal, strays left out."""
    ctx = opened()
    step(ctx, 400)
    ctx._engine.workspace.rest("read", ".txt", b"x" * 2_000)
    ctx.renew()
    ctx.user("Go on.")
    ctx.close()
    kept = opened_from(tmp_path / "w", checkpoint=True)
    assert kept.pages == opened_from(tmp_path / "w", checkpoint=False).pages
