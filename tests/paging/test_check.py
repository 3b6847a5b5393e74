"""The check, checkpoints, segments, and the end of a journal that is missing."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom_paging import (
    CorruptJournal,
    FileStore,
    Journal,
    MemoryStore,
    MissingPage,
    PagingError,
    Report,
    check,
    seal,
)
from loom_paging.checkpoint import FILES, INDEX, Checkpoint, load, save
from loom_paging.extent import journal_begins_with
from loom_paging.names import TEMPORARY
from loom_paging.segments import CommitPlaces, segment_names
from tests.kit.cases import all_cases

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


def test_an_index_that_was_cut_takes_no_more(fill: Fill, store: FileStore) -> None:
    """Where bytes of earlier parts are gone, saving says so and leaves what is there."""
    journal = fill(3)
    first = save(store, Checkpoint(), "me", journal.sealed, b"1", b"one")
    store.truncate(INDEX, 2)
    with pytest.raises(MissingPage):
        save(store, first, "me", journal.sealed, b"2", b"two")
    assert load(store, "me") is None


@given(st.sampled_from(FILES), st.integers(0, 10_000), st.integers(1, 255), st.booleans())
def test_damage_is_never_believed(name: str, at: int, flip: int, cut: bool) -> None:
    """Whatever byte changes, and wherever a file ends: the checkpoint as saved, or none."""
    store = MemoryStore()
    journal = Journal.open(store, write=True)
    journal.commit(b"[]", [], 1)
    journal.seal()
    save(store, Checkpoint(), "me", journal.sealed, b"state", b"part")
    data = bytearray(store.get(name))
    at %= len(data)
    if cut:
        del data[at:]
    else:
        data[at] ^= flip
    store.sketch(name, bytes(data))
    assert load(store, "me") is None


def made(path: Path, *, note: bool = True, word: bytes = b"one") -> FileStore:
    """A journal of two segments with two commits each; with the note its writer leaves."""
    store = FileStore(path)
    journal = Journal.open(store, write=True)
    for number in range(4):
        journal.commit(b'["%b"]' % word, [], number)
        if number == 1:
            journal.seal()
    if note:
        journal.note_extent()
    store.close()
    return store


def _flipped(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[-9] ^= 1
    path.write_bytes(data)


ENDS: dict[str, Callable[[Path], object]] = {
    "the last line": _flipped,
    "its last byte": lambda path: path.write_bytes(path.read_bytes()[:-1]),
    "a whole line": lambda path: path.write_bytes(path.read_bytes().splitlines(True)[0]),
    "all of it": lambda path: path.write_bytes(b""),
    "the file": Path.unlink,
}


@all_cases("end", ENDS)
@all_cases("segments", [1, 2])
def test_an_end_that_is_missing_is_damage(tmp_path: Path, end: str, segments: int) -> None:
    """It is told, and not a byte is changed, by who opens it for writing too."""
    store = made(tmp_path)
    if segments == 2:
        Journal.open(store, write=True).seal()
    path = tmp_path / "journal" / "000002.jsonl"
    ENDS[end](path)
    held = path.read_bytes() if path.exists() else b""
    for write in (False, True):
        with pytest.raises(CorruptJournal):
            Journal.open(store, write=write)
    assert (path.read_bytes() if path.exists() else b"") == held
    assert {problem.kind for problem in check(store).problems} == {"journal"}


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
    assert not journal_begins_with(store, sealed)


def test_a_segment_with_other_lines_is_refused(fill: Fill, store: FileStore) -> None:
    """Where a sealed segment lost a line since, asking for its commits says so."""
    sealed = fill(6).sealed
    name = segment_names(store)[0]
    store.truncate(name, len(store.get(name).splitlines(keepends=True)[0]))
    with pytest.raises(PagingError, match="another number of lines"):
        CommitPlaces(store, sealed).place_of(2)
