"""The end of a journal that is missing shows: by the note of how far it reached."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from loom_paging import CorruptJournal, FileStore, Journal, check
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
