"""The check: all damage is reported, none is raised, and nothing is changed."""

from __future__ import annotations

from collections.abc import Callable

from loom_paging import FileStore, Journal, Report, check, seal
from loom_paging.names import TEMPORARY

Fill = Callable[[int], Journal]


def kinds(report: Report) -> list[tuple[str, str]]:
    """Kind and place of every problem."""
    return [(problem.kind, problem.where) for problem in report.problems]


def test_a_torn_tail_is_a_note(fill: Fill, store: FileStore) -> None:
    """What opening would cut off is harmless and counted."""
    fill(2)
    store.append("journal/000001.jsonl", b'{"crc":"00')
    report = check(store)
    assert (report.problems, report.torn) == ((), 10)
    assert [note.kind for note in report.notes] == ["torn"]


def test_strays_and_leftovers_are_notes(fill: Fill, store: FileStore) -> None:
    """Pages no commit names, and half-made files, are harmless and named."""
    fill(1)
    store.put("outputs/read_0009.txt", b"stray")
    (store.root / f"outputs/{TEMPORARY}1-1").write_bytes(b"half")
    report = check(store)
    assert report.problems == ()
    assert [(note.kind, note.where) for note in report.notes] == [
        ("stray", "outputs/read_0009.txt"),
        ("leftover", f"outputs/{TEMPORARY}1-1"),
    ]


def test_two_commits_that_disagree_are_reported(store: FileStore) -> None:
    """One name with two seals is a conflict."""
    journal = Journal.open(store, write=True)
    store.put("outputs/a", b"x")
    for data in (b"x", b"x", b"y"):
        journal.commit(b"[]", [seal("outputs/a", data)], 0)
    assert kinds(check(store)) == [("conflict", "journal/000001.jsonl, line 3")]


def test_names_that_lead_outside_are_reported(store: FileStore) -> None:
    """A journal that names a place outside the store is reported and not followed."""
    Journal.open(store, write=True).commit(b"[]", [seal("../secret", b"x")], 0)
    assert kinds(check(store)) == [("unreadable", "../secret")]
