"""The check: all damage is reported, none is raised, and nothing is changed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from loom_paging import FileStore, Journal, MemoryStore, Report, check, seal
from loom_paging.names import TEMPORARY
from loom_paging.snapshot import save

Fill = Callable[[int], Journal]


def kinds(report: Report) -> list[tuple[str, str]]:
    """Kind and place of every problem."""
    return [(problem.kind, problem.where) for problem in report.problems]


def test_an_empty_store_is_whole() -> None:
    """Nothing to check: no problems, no notes, all counts zero."""
    assert check(MemoryStore()) == Report((), (), 0, 0, 0, 0, 0)


def test_a_whole_store_is_counted(fill: Fill, store: FileStore) -> None:
    """Pages, commits, snapshots and bytes are counted when all is well."""
    journal = fill(4)
    journal.commit(b"[]", [save(store, 1, b"{}")], 0)
    assert check(store) == Report(
        problems=(), notes=(), pages=4, commits=5, snapshots=1, bytes=4 * 6 + 2, torn=0
    )


def test_all_damage_is_reported_at_once(fill: Fill, store: FileStore) -> None:
    """Bad lines, altered, shortened and missing pages are all named in one report."""
    fill(7)
    path = store.root / "journal/000002.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[1].replace(b"page", b"pagf", 1)[:-9] + b"\n" + lines[2])
    (store.root / "outputs/read_0001.txt").write_bytes(b"pagE 1")
    (store.root / "outputs/read_0002.txt").write_bytes(b"page")
    store.delete("outputs/read_0003.txt")
    before = {name: store.get(name) for name in store.names()}
    report = check(store)
    assert kinds(report) == [
        ("journal", "journal/000002.jsonl, line 2"),
        ("corrupt", "outputs/read_0001.txt"),
        ("corrupt", "outputs/read_0002.txt"),
        ("missing", "outputs/read_0003.txt"),
    ]
    assert (report.commits, report.bytes) == (6, 3 * 6)
    assert [(note.kind, note.where) for note in report.notes] == [
        ("stray", "outputs/read_0005.txt")
    ]
    assert before == {name: store.get(name) for name in store.names()}


@pytest.mark.parametrize("number", [1, 2])
def test_a_missing_segment_is_reported(fill: Fill, store: FileStore, number: int) -> None:
    """The segment that is gone is named, and so is the line where the numbers jump."""
    fill(7)
    store.delete(f"journal/00000{number}.jsonl")
    assert kinds(check(store)) == [
        ("journal", f"journal/00000{number}.jsonl"),
        ("journal", f"journal/00000{number + 1}.jsonl, line 1"),
    ]


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
