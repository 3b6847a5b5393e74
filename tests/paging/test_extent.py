"""The end of a journal that is missing shows: by the note of how far it reached."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from loom_paging import CorruptJournal, FileStore, Journal, check
from loom_paging.extent import NAME, NOTHING, load
from tests.kit.cases import all_cases


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


def test_a_journal_without_a_note_opens(tmp_path: Path) -> None:
    """Whoever did not close it left none."""
    store = made(tmp_path, note=False)
    assert load(store) == NOTHING
    assert Journal.open(store, write=False).last == 4


def test_a_journal_opens_by_its_note_and_goes_on(tmp_path: Path) -> None:
    """What is added after the note is no matter, a torn tail included."""
    store = made(tmp_path)
    assert load(store).last == 4
    journal = Journal.open(store, write=True)
    journal.commit(b"[]", [], 5)
    store.append(journal.segments[-1], b'{"crc":"00')
    assert Journal.open(store, write=True).last == 5
    journal = Journal.open(store, write=True)
    journal.seal()
    journal.note_extent()
    assert Journal.open(store, write=False).last == 5
    assert check(store).problems == ()


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


def test_another_journal_in_its_place_is_damage(tmp_path: Path) -> None:
    """Each of its lines verifies, and it is not the one that was closed."""
    made(tmp_path / "a")
    made(tmp_path / "b", word=b"two")
    for name in ("000001.jsonl", "000002.jsonl"):
        (tmp_path / "a" / "journal" / name).write_bytes(
            (tmp_path / "b" / "journal" / name).read_bytes()
        )
    with pytest.raises(CorruptJournal, match="another line"):
        Journal.open(FileStore(tmp_path / "a"), write=False)


@all_cases("data", [b"", b"junk", b"\0" * 90, None])
def test_a_note_that_is_damaged_tells_nothing(tmp_path: Path, data: bytes | None) -> None:
    """It is derived: the journal opens."""
    store = made(tmp_path)
    note = tmp_path / NAME
    note.unlink() if data is None else note.write_bytes(data)
    assert Journal.open(store, write=False).last == 4
    held = made(tmp_path / "other")
    whole = bytearray((tmp_path / "other" / NAME).read_bytes())
    whole[-5] ^= 4
    (tmp_path / "other" / NAME).write_bytes(whole)
    assert load(held) == NOTHING


def test_a_store_that_syncs_nothing_has_no_note(tmp_path: Path) -> None:
    """There a power cut may take what was acknowledged, and the workspace opens all the same."""
    store = FileStore(tmp_path, durable=False)
    journal = Journal.open(store, write=True)
    journal.commit(b"[]", [], 1)
    journal.note_extent()
    assert not (tmp_path / NAME).exists()
