"""What is found, and in which order."""

from __future__ import annotations

from pathlib import Path

import pytest

from loom.capabilities.memory.longterm import BadMemory, Draft, LongTerm, open_longterm
from tests.kit.standins import Letters


def found(store: LongTerm, words: str, limit: int = 5, now: float = 10.0) -> list[int]:
    """Ids a query finds, best first."""
    return [one.memory.id for one in store.query(words, limit, now=now)]


def test_a_bad_time_is_refused(store: LongTerm) -> None:
    """A query and a sweep need a time as a save does."""
    for bad in (float("nan"), -1.0):
        with pytest.raises(BadMemory, match="now"):
            store.query("x", now=bad)
        with pytest.raises(BadMemory, match="now"):
            store.expire(bad)


def test_meaning_is_added_where_an_embedder_is_given(path: Path, engine: str) -> None:
    """By words alone, by both, and by words alone again; vectors outlive the store's closing."""
    embedder = Letters()
    with open_longterm(path, engine) as store:
        store.use_embedder(embedder)
        assert found(store, "act") == []
        for text in ("stock fell", "cat", "act now"):
            store.save(text, now=1)
        store.use_embedder(None)
        assert found(store, "act") == [3]
        store.use_embedder(embedder)
        assert found(store, "act") == [3, 2, 1]
        assert found(store, "tac", 2) == [2, 3]
    with open_longterm(path, engine) as store:
        store.use_embedder(embedder)
        before = embedder.given
        assert found(store, "tac", 1) == [2] and embedder.given == before + 1
        store.save("dog", key="pet", now=2)
        store.forget(2)
        assert found(store, "tac", 9) == [3, 1, 4] and embedder.given == before + 3
        store.save("hen", key="pet", now=3)
        assert found(store, "god", 9, now=4)[0] != 4


def test_vectors_of_two_embedders_are_not_mixed(store: LongTerm) -> None:
    """Another embedder embeds everything anew."""
    store.save_many(Draft(text, 1) for text in ("cat", "dog", "hen"))
    for name in ("one", "two", "one"):
        embedder = Letters(name)
        store.use_embedder(embedder)
        assert found(store, "god", 1) == [2] and embedder.given == 4
