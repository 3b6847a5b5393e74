"""Retired pages: the name stays taken, the bytes are no longer there, and the check knows it."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import pytest

from loom_paging import (
    Commit,
    Expired,
    FileStore,
    Journal,
    MemoryStore,
    MissingPage,
    Pager,
    check,
)
from loom_paging.errors import RETIRED

Fill = Callable[[int], Journal]
ONE = "outputs/read_0001.txt"


def retired(commit: Commit) -> list[str]:
    """The names that these tests write into a commit's records."""
    return [line.strip('" ') for line in bytes(commit.records).decode()[1:-1].split(",") if line]


@pytest.mark.parametrize("why", RETIRED)
def test_reading_says_that_it_was_retired(why: str) -> None:
    """Name and reason are in the error, which is a MissingPage and can be sent elsewhere."""
    pager = Pager(MemoryStore())
    ref = pager.put("read", ".txt", b"x")
    pager.retire([ONE], why)
    pager.retire([ONE], "another reason")
    for read in (pager.get, pager.text):
        with pytest.raises(Expired, match=RETIRED[why]) as raised:
            read(ONE)
        assert isinstance(raised.value, MissingPage)
        sent = pickle.loads(pickle.dumps(raised.value))
        assert (sent.name, sent.why, str(sent)) == (ONE, why, str(raised.value))
    assert pager.table[ONE] == ref == pager.resolve("read_0001")


def test_the_check_notes_what_is_left_of_one(fill: Fill, store: FileStore) -> None:
    """A removal that was cut short is no problem, damaged or whole."""
    fill(2).commit(f'["{ONE}", "outputs/never_0009.txt"]'.encode(), [], 0)
    (store.root / ONE).write_bytes(b"other")
    report = check(store, retired)
    assert (report.problems, report.retired) == ((), 1)
    assert [(one.kind, one.where) for one in report.notes] == [("retired", ONE)]
