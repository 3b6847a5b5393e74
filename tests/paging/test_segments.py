"""Where commits lie in the segments of a journal, and what tells sealed segments from others."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from loom_paging import FileStore, Journal, PagingError
from loom_paging.segments import NONE_SEALED, CommitPlaces, begins_with, segment_names
from tests.kit.cases import all_cases
from tests.kit.stores import Counting

Fill = Callable[[int], Journal]


def test_of_an_empty_journal_nothing_is_sealed(store: FileStore) -> None:
    """No segment of a journal without commits takes no more, and none begins with that."""
    assert Journal.open(store, write=True).sealed == NONE_SEALED
    assert not begins_with(store, NONE_SEALED)


def test_the_segment_that_is_written_is_not_sealed(fill: Fill) -> None:
    """Only segments before the last one count, and the commits in the last are its tail."""
    journal = fill(8)
    assert journal.sealed.firsts == (1, 4)
    assert (journal.sealed.last, journal.tail) == (6, 2)


def test_sealed_segments_are_not_read_at_opening(fill: Fill) -> None:
    """A journal opened from sealed segments on hands out the commits behind them alone, and finds
    those before when they are asked for."""
    sealed = fill(8).sealed
    store = Counting()
    disk = fill(0)._store
    for name in disk.names():
        store.append(name, disk.get(name))
    seen: list[int] = []
    journal = Journal.open(
        store, write=True, each=lambda one: seen.append(one.number), sealed=sealed
    )
    assert seen == [7, 8]
    assert set(store.reads) == {"journal/000003.jsonl"}
    assert [commit.number for commit in journal.scan()] == [*range(1, 9)]
    assert journal.read(2).number == 2
    assert journal.commit(b"[]", [], 9) == 9
    assert journal.sealed == sealed


def test_the_same_segments_are_known_again(fill: Fill, store: FileStore) -> None:
    """A journal begins with the segments it sealed, also after more of them."""
    journal = fill(6)
    sealed = journal.sealed
    assert begins_with(store, sealed)
    journal.commit(b"[]", [], 7)
    journal.seal()
    assert begins_with(store, sealed)
    assert begins_with(store, journal.sealed)


@all_cases("damage", ["grown", "cut", "gone", "another", "unsealed"])
def test_other_segments_are_told_apart(fill: Fill, store: FileStore, damage: str) -> None:
    """A segment that grew, was cut, is gone, holds another last commit, or is the last one again
    is not the one that was sealed."""
    sealed = fill(6).sealed
    last = segment_names(store)[1]
    if damage == "grown":
        store.append(last, b"\n")
    elif damage == "cut":
        store.truncate(last, store.size(last) - 1)
    elif damage == "gone":
        store.delete(last)
    elif damage == "another":
        data = store.get(last)
        store.truncate(last, 0)
        store.append(last, data.replace(b'"number":6', b'"number":7'))
    else:
        store.delete(segment_names(store)[2])
    assert not begins_with(store, sealed)


def test_going_back_within_a_sealed_segment(fill: Fill, store: FileStore) -> None:
    """Commits of a segment that was sealed by this writer are cut off as ever."""
    journal = fill(5)
    end = journal.end
    journal.commit(b"[]", [], 6)
    journal.seal()
    journal.commit(b"[]", [], 7)
    journal.back_to(end)
    assert (journal.last, journal.tail) == (5, 2)
    assert [commit.number for commit in Journal.open(store, write=False).scan()] == [1, 2, 3, 4, 5]


def test_a_segment_with_other_lines_is_refused(fill: Fill, store: FileStore) -> None:
    """Where a sealed segment lost a line since, asking for its commits says so."""
    sealed = fill(6).sealed
    name = segment_names(store)[0]
    store.truncate(name, len(store.get(name).splitlines(keepends=True)[0]))
    with pytest.raises(PagingError, match="another number of lines"):
        CommitPlaces(store, sealed).of(2)
