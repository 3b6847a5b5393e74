"""Where the index of a workspace lies, and that it is derived: it can be deleted at any time."""

from __future__ import annotations

from pathlib import Path

import pytest

import loom
from loom.engine.archive.indexing import INDEX
from loom.search.index import SearchIndex


@pytest.fixture
def ctx(lived: loom.Context) -> loom.Context:
    """A context that lived."""
    return lived


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
