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
    seal,
)
from loom_paging.errors import RETIRED

Fill = Callable[[int], Journal]
ONE = "outputs/read_0001.txt"


def retired(commit: Commit) -> list[str]:
    """The names that these tests write into a commit's records."""
    return [line.strip('" ') for line in bytes(commit.records).decode()[1:-1].split(",") if line]


def two_equal() -> tuple[MemoryStore, Pager]:
    """A pager with two pages of equal bytes, the second an alias of the first."""
    store = MemoryStore()
    pager = Pager(store)
    pager.put("read", ".txt", b"same")
    assert pager.put("read", ".txt", b"same").alias == ONE
    return store, pager


def test_none_are_retired() -> None:
    """Nothing retired, or names nobody knows: nothing changes."""
    pager = Pager(MemoryStore())
    pager.retire([], "expired")
    pager.retire([ONE], "expired")
    assert dict(pager.retired) == {} and pager.put("read", ".txt", b"x") == seal(ONE, b"x")


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


def test_its_number_is_never_given_out_again() -> None:
    """Also after the file is gone and everything was opened anew."""
    store = MemoryStore()
    pager = Pager(store)
    ref = pager.put("read", ".txt", b"x")
    pager.retire([ONE], "expired")
    store.delete(ONE)
    fresh = Pager(store)
    fresh.register([ref])
    fresh.retire([ONE], "expired")
    for one in (pager, fresh):
        assert one.put("shell", ".txt", b"y").name == "outputs/shell_0002.txt"


def test_equal_bytes_put_later_stand_alone() -> None:
    """They are no link of the retired file, even while it still lies there."""
    store = MemoryStore()
    pager = Pager(store)
    pager.put("read", ".txt", b"same")
    pager.retire([ONE], "expired")
    ref = pager.put("read", ".txt", b"same")
    assert ref.alias == ""
    store.delete(ONE)
    fresh = Pager(store)
    fresh.register([*pager.table.values()])
    fresh.retire([ONE], "expired")
    assert fresh.get(ref.name) == b"same"


def test_an_alias_of_a_retired_page_can_be_read() -> None:
    """Its own name still holds the bytes, and what comes later is an alias of it."""
    store, pager = two_equal()
    pager.retire([ONE], "quota")
    store.delete(ONE)
    fresh = Pager(store)
    fresh.register(pager.table.values())
    fresh.retire([ONE], "quota")
    assert fresh.get("outputs/read_0002.txt") == b"same"
    third = fresh.put("read", ".txt", b"same")
    assert third.alias == "outputs/read_0002.txt"
    with pytest.raises(Expired):
        fresh.get(ONE)


def test_a_retired_file_does_not_stand_in_for_a_lost_one() -> None:
    """What is let go is not read, wherever equal bytes are looked for."""
    store, pager = two_equal()
    pager.retire([ONE], "quota")
    store.delete("outputs/read_0002.txt")
    fresh = Pager(store)
    fresh.register(pager.table.values())
    fresh.retire([ONE], "quota")
    with pytest.raises(MissingPage) as raised:
        fresh.get("outputs/read_0002.txt")
    assert not isinstance(raised.value, Expired)


def test_the_check_misses_no_retired_page(fill: Fill, store: FileStore) -> None:
    """What a commit retires may be gone; what it does not name may not."""
    journal = fill(3)
    journal.commit(f'["{ONE}"]'.encode(), [], 0)
    for name in (ONE, "outputs/read_0002.txt"):
        store.delete(name)
    report = check(store, retired)
    assert [(one.kind, one.where) for one in report.problems] == [
        ("missing", "outputs/read_0002.txt")
    ]
    assert (report.pages, report.retired, report.notes) == (2, 1, ())
    assert {one.where for one in check(store).problems} == {ONE, "outputs/read_0002.txt"}


def test_the_check_notes_what_is_left_of_one(fill: Fill, store: FileStore) -> None:
    """A removal that was cut short is no problem, damaged or whole."""
    fill(2).commit(f'["{ONE}", "outputs/never_0009.txt"]'.encode(), [], 0)
    (store.root / ONE).write_bytes(b"other")
    report = check(store, retired)
    assert (report.problems, report.retired) == ((), 1)
    assert [(one.kind, one.where) for one in report.notes] == [("retired", ONE)]
