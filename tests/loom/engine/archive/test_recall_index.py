"""Where the index of a workspace lies, and that it is derived: it can be deleted at any time."""

from __future__ import annotations

import gc
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

import loom
from loom.engine.archive.indexing import INDEX, catch_up, kept_of
from loom.engine.archive.recall import recall
from loom.engine.archive.workspace import Workspace
from loom.search.index import SearchIndex
from loom_paging import FileStore, MemoryStore
from tests.kit.cases import all_cases

QUERIES = ("kraken", "row 287", "cat", "4711", "auth/login.py", "compass", "run_enable_interactive")


@pytest.fixture
def ctx(lived: loom.Context) -> loom.Context:
    """A context that lived."""
    return lived


def work(ctx: loom.Context) -> Workspace:
    """The workspace of a context."""
    return ctx._engine.workspace


def folder_of(ctx: loom.Context) -> Path:
    """Where a workspace lies."""
    store = work(ctx).store
    assert isinstance(store, FileStore)
    return store.root


def indexed(ctx: loom.Context) -> int:
    """How many slices a recall would have to index now."""
    with SearchIndex.at(folder_of(ctx) / INDEX) as index:
        return catch_up(work(ctx), index)


@pytest.mark.parametrize("budget", [4_000, 16_000])
def test_each_slice_is_indexed_once(ctx: loom.Context, budget: int) -> None:
    """Nothing before the first recall; then what is new, and only that; also after a reopen."""
    folder = folder_of(ctx)
    ctx.turn()
    assert not (folder / INDEX).exists()
    ctx.recall("kraken", budget)
    assert indexed(ctx) == 0
    ctx.user("one more")
    ctx.turn()
    assert indexed(ctx) == 1
    ctx.close()
    with loom.open(folder, durable=False) as again:
        assert indexed(again) == 0
        assert "user_0005" in again.recall("one more", budget)


DAMAGE: dict[str, Callable[[Path], object]] = {
    "gone": lambda path: path.unlink(),
    "empty": lambda path: path.write_bytes(b""),
    "junk": lambda path: path.write_bytes(b"junk" * 2_000),
    "torn": lambda path: os.truncate(path, path.stat().st_size // 2),
    "overwritten": lambda path: path.write_bytes(
        path.read_bytes()[:4_096] + os.urandom(path.stat().st_size - 4_096)
    ),
}


@all_cases("kind", DAMAGE)
def test_a_spoilt_index_is_made_again(ctx: loom.Context, kind: str) -> None:
    """It is derived: whatever happens to the file, recall answers as before, and mends it."""
    path = folder_of(ctx) / INDEX
    before = [ctx.recall(query) for query in QUERIES]
    DAMAGE[kind](path)
    assert [ctx.recall(query) for query in QUERIES] == before
    assert indexed(ctx) == 0


def test_an_index_that_cannot_be_written(ctx: loom.Context) -> None:
    """Where the file cannot be, the index is in memory, and indexes nothing twice."""
    path = folder_of(ctx) / INDEX
    path.mkdir()
    assert "user_0001" in ctx.recall("kraken")
    kept = kept_of(work(ctx)).index
    assert kept is not None
    added = kept.added
    assert "user_0001" in ctx.recall("kraken") and kept.added == added > 0


def test_another_journal_is_noticed(tmp_path: Path) -> None:
    """An index that came from another workspace, or knows of a future, is emptied."""
    for name, word in (("a", "kraken"), ("b", "leviathan")):
        with loom.open(tmp_path / name, durable=False) as ctx:
            ctx.user(word)
            ctx.recall(word)
    (tmp_path / "a" / INDEX).replace(tmp_path / "b" / INDEX)
    with loom.open(tmp_path / "b", durable=False) as ctx:
        assert "user_0001" in ctx.recall("leviathan")
        assert "nothing holds" in ctx.recall("kraken")
        with SearchIndex.at(tmp_path / "b" / INDEX) as index:
            index.add([], 10_000, "mark")
        assert "user_0001" in ctx.recall("leviathan")


def test_a_store_in_memory() -> None:
    """Its index is in memory too, and goes with the workspace."""
    with loom.open(MemoryStore(), durable=False) as ctx:
        ctx.user("Where is the kraken?")
        assert "user_0001" in ctx.recall("kraken")
        index = kept_of(work(ctx)).index
        assert index is not None
    del ctx
    gc.collect()
    with pytest.raises(sqlite3.ProgrammingError):
        _ = index.state


def test_a_reader_does_not_write(ctx: loom.Context) -> None:
    """Who has no lock copies the index and leaves the file alone."""
    folder = folder_of(ctx)
    ctx.recall("kraken")
    ctx.user("one more kraken")
    before = (folder / INDEX).read_bytes()
    reader = Workspace.at_path(folder, write=False)
    assert "user_0005" in recall(reader, "kraken", 4_000)[0]
    kept = kept_of(reader).index
    assert kept is not None and kept.added == 1
    assert (folder / INDEX).read_bytes() == before


def test_no_text_is_in_the_index(ctx: loom.Context) -> None:
    """Its file holds terms; what is shown is read from where it rests."""
    ctx.recall("kraken")
    data = (folder_of(ctx) / INDEX).read_bytes()
    assert b"Where is the kraken" not in data and b"of the table" not in data
