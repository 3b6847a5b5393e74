"""The search index of a long session is made beside the work, and what it lacks is told."""

from pathlib import Path

import pytest

import loom
from loom.search.index import SearchIndex
from loom.session.archive import folded_journal, recall_index
from loom.session.archive.recall_index import INDEX
from tests.kit.opened import Open, opened_with
from tests.kit.step import step

opened = opened_with(window=200_000)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sessions of some dozen commits are long."""
    monkeypatch.setattr(folded_journal, "TAIL", 20)
    monkeypatch.setattr(recall_index, "LAG", 30)
    monkeypatch.setattr(recall_index, "MOST", 30)


def work(ctx: loom.Context, steps: int) -> None:
    """Take steps, each with a word of its own."""
    for _ in range(steps):
        id = ctx.window.history.next_id
        step(ctx, f"the kraken{id} sleeps")


def done(folder: Path) -> int:
    """How many commits are indexed."""
    with SearchIndex.at(folder / INDEX) as index:
        return index.state[0]


def test_a_short_session_has_none(opened: Open, tmp_path: Path) -> None:
    """Nothing is indexed before a recall."""
    work(opened(), 5)
    assert not (tmp_path / "w" / INDEX).exists()


@pytest.mark.usefixtures("small")
def test_a_long_one_is_indexed_as_it_goes(
    opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What lies behind is indexed without any recall; one adds a part, and tells what it lacks."""
    ctx = opened()
    work(ctx, 41)
    assert 20 <= done(tmp_path / "w") < ctx._engine.workspace.commits
    monkeypatch.setattr(recall_index, "MOST", 9)
    work(ctx, 60)
    assert "still being indexed" in ctx.recall("kraken100")
    for _ in range(20):
        found = ctx.recall("kraken100", tokens=4_000)
    assert "kraken100 sleeps" in found and "still being indexed" not in found
