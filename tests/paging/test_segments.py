"""Where commits lie in the segments of a journal, and what tells sealed segments from others."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from loom_paging import FileStore, Journal, PagingError
from loom_paging.segments import CommitPlaces, begins_with, segment_names
from tests.kit.cases import all_cases

Fill = Callable[[int], Journal]


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


def test_a_segment_with_other_lines_is_refused(fill: Fill, store: FileStore) -> None:
    """Where a sealed segment lost a line since, asking for its commits says so."""
    sealed = fill(6).sealed
    name = segment_names(store)[0]
    store.truncate(name, len(store.get(name).splitlines(keepends=True)[0]))
    with pytest.raises(PagingError, match="another number of lines"):
        CommitPlaces(store, sealed).of(2)
