"""The search index of a long session is made beside the work, and what it lacks is told."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

import loom
from loom.engine.archive import folded, indexing
from loom.engine.archive.indexing import INDEX, THREAD, kept_of
from loom.search.index import SearchIndex
from tests.kit.opened import Open, opened_with
from tests.kit.step import step

opened = opened_with(window=200_000)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sessions of some dozen commits are long."""
    monkeypatch.setattr(folded, "TAIL", 20)
    monkeypatch.setattr(indexing, "LAG", 30)
    monkeypatch.setattr(indexing, "MOST", 30)
    monkeypatch.setattr(indexing, "BATCH", 7)


def work(ctx: loom.Context, steps: int) -> None:
    """Take steps, each with a word of its own."""
    for _ in range(steps):
        id = ctx.window.history.next_id
        step(ctx, f"the kraken{id} sleeps")


def finished(ctx: loom.Context) -> None:
    """Wait for the thread, if there is one."""
    indexer = kept_of(ctx._engine.workspace).indexer
    if indexer is not None and indexer._thread is not None:
        indexer._thread.join()


def done(folder: Path) -> int:
    """How many commits are indexed."""
    with SearchIndex.at(folder / INDEX) as index:
        return index.state[0]


def test_a_short_session_has_no_thread(opened: Open, tmp_path: Path) -> None:
    """Nothing is indexed before a recall, and no thread begins."""
    ctx = opened()
    work(ctx, 5)
    assert kept_of(ctx._engine.workspace).indexer is None
    assert not (tmp_path / "w" / INDEX).exists()


@pytest.mark.usefixtures("small")
def test_a_long_one_is_indexed_as_it_goes(opened: Open, tmp_path: Path) -> None:
    """What lies behind is indexed without any recall, in a thread that ends by itself."""
    ctx = opened()
    work(ctx, 40)
    finished(ctx)
    work(ctx, 1)
    assert done(tmp_path / "w") >= 20
    finished(ctx)
    assert THREAD not in [thread.name for thread in threading.enumerate()]


@pytest.mark.usefixtures("small")
def test_no_thread_can_be_had(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system gives no thread, calls go on, recalls add what they can, closing closes."""

    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    ctx = opened()
    monkeypatch.setattr(threading.Thread, "start", refuse)
    work(ctx, 60)
    for _ in range(8):
        found = ctx.recall("kraken50", tokens=4_000)
    assert "kraken50 sleeps" in found
    ctx.close()
