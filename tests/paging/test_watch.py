"""A journal that someone else changes under its writer: told before the next line is written."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from loom_paging import FileStore, Journal, MemoryStore, Store, StoreReplaced
from loom_paging.under import Under
from loom_paging.watch import MOST, LogMarks
from tests.kit.cases import all_cases


def touched(path: Path) -> None:
    """A file changed just now has another time, also where clocks are coarse."""
    about = path.stat()
    os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns + 1))


def flipped(path: Path) -> None:
    """One bit is another, the size the same."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    with path.open("r+b") as file:
        file.write(data)
    touched(path)


def replaced(path: Path) -> None:
    """The same bytes in another file."""
    shutil.copy2(path, path.with_name("copy"))
    path.with_name("copy").replace(path)


def halved(path: Path) -> None:
    """The end is gone."""
    os.truncate(path, path.stat().st_size // 2)
    touched(path)


CHANGES: dict[str, Callable[[Path], object]] = {
    "flipped": flipped,
    "replaced": replaced,
    "halved": halved,
    "removed": Path.unlink,
}


def written(store: Store, segments: int) -> Journal:
    """A journal of so many segments, two commits in each but the last, which has one."""
    journal = Journal.open(store, write=True)
    for number in range(segments):
        journal.commit(b"[1]", [], number)
        if number < segments - 1:
            journal.commit(b"[2]", [], number)
            journal.seal()
    return journal


def lying(path: Path) -> dict[str, bytes]:
    """What lies in a folder."""
    return {file.name: file.read_bytes() for file in path.iterdir()}


@pytest.mark.parametrize("again", [False, True])
def test_nothing_changed(store: FileStore, again: bool) -> None:
    """Commits, seals and cuts of the writer itself are no change; nor are they after opening."""
    journal = written(store, 3)
    if again:
        journal = Journal.open(store, write=True)
    end = journal.end
    journal.commit(b"[3]", [], 0)
    journal.seal()
    journal.commit(b"[4]", [], 0)
    journal.back_to(end)
    journal.commit(b"[5]", [], 0)
    journal.seal()
    journal.back_to(journal.end)
    assert [bytes(commit.records) for commit in journal.scan(after=5)] == [b"[5]"]


@all_cases("change", CHANGES)
@all_cases("opened", [False, True])
def test_a_changed_segment_stops_the_next_commit(
    store: FileStore, change: str, opened: bool
) -> None:
    """The one that is written to is looked at before each line, from opening on."""
    journal = written(store, 2)
    if opened:
        journal = Journal.open(store, write=True)
    CHANGES[change](store.root / journal.segments[-1])
    before = lying(store.root / "journal")
    for act in (lambda: journal.commit(b"[3]", [], 0), journal.seal):
        for _ in range(2):
            with pytest.raises(StoreReplaced):
                act()
    assert lying(store.root / "journal") == before


@all_cases("change", CHANGES)
@all_cases("opened", [False, True])
def test_a_changed_sealed_segment_stops_the_next_seal(
    store: FileStore, change: str, opened: bool
) -> None:
    """What was sealed is looked at when more is; from then on nothing is written."""
    journal = written(store, 3)
    if opened:
        journal = Journal.open(store, write=True)
    CHANGES[change](store.root / journal.segments[0])
    journal.commit(b"[3]", [], 0)
    before = lying(store.root / "journal")
    for act in (journal.seal, lambda: journal.commit(b"[4]", [], 0)):
        for _ in range(2):
            with pytest.raises(StoreReplaced):
                act()
    assert lying(store.root / "journal") == before


def test_a_segment_that_someone_began_stops_the_seal(store: FileStore) -> None:
    """What has the name of the next one is not ours to go on with."""
    journal = written(store, 2)
    (store.root / "journal" / "000003.jsonl").write_text("not ours\n")
    with pytest.raises(StoreReplaced):
        journal.seal()
    assert (store.root / "journal" / "000003.jsonl").read_text() == "not ours\n"


def test_a_change_is_not_cut_off(store: FileStore) -> None:
    """Commits that nobody was told of stay where someone else has written."""
    journal = written(store, 2)
    end = journal.end
    journal.commit(b"[3]", [], 0)
    flipped(store.root / journal.segments[-1])
    before = lying(store.root / "journal")
    with pytest.raises(StoreReplaced):
        journal.back_to(end)
    assert lying(store.root / "journal") == before


def test_a_write_that_failed_is_no_change(store: FileStore) -> None:
    """What arrived of it is cut off, and commits go on."""
    journal = written(store, 2)
    append = store.append

    def failing(name: str, data: bytes) -> None:
        append(name, data[:9])
        raise OSError(28, "no space left on device")

    store.append = failing  # type: ignore[method-assign]
    with pytest.raises(OSError, match="no space"):
        journal.commit(b"[3]", [], 0)
    store.append = append  # type: ignore[method-assign]
    assert journal.commit(b"[3]", [], 0) == 4


@pytest.mark.parametrize("make", [MemoryStore, lambda: Under(MemoryStore(), "agents/one")])
def test_a_store_without_files(make: Callable[[], Store]) -> None:
    """It has no times of files, and sizes are all that is watched."""
    journal = written(make(), 3)
    journal.commit(b"[3]", [], 0)
    journal.seal()
    assert journal.last == 6


def test_a_store_within_a_store_is_watched(store: FileStore) -> None:
    """Its names are files below a folder."""
    journal = written(Under(store, "agents/one"), 2)
    flipped(store.root / "agents" / "one" / journal.segments[-1])
    with pytest.raises(StoreReplaced):
        journal.commit(b"[3]", [], 0)


def test_a_commit_looks_at_as_much_however_long_the_journal(
    store: FileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files the system is asked about are as many at the first commit as at the last."""
    asked: list[object] = []
    stat = os.stat

    def counted(path: int | str, **given: bool) -> os.stat_result:
        asked.append(path)
        return stat(path, **given)

    monkeypatch.setattr(os, "stat", counted)
    counts = []
    journal = written(store, 2)
    for _ in range(10):
        journal.commit(b"[1]", [], 0)
        asked.clear()
        journal.commit(b"[2]", [], 0)
        counts.append(len(asked))
        journal.seal()
    assert counts == [counts[0]] * 10
    assert counts[0] < 20


def test_of_very_many_some_are_looked_at_each_time(tmp_path: Path) -> None:
    """Checking asks a bounded number of questions, and finds any change out in a few turns."""
    store = FileStore(tmp_path)
    names = [f"log/{number:03d}" for number in range(5 * MOST)]
    for name in names:
        store.append(name, b"a line\n")
    marks = LogMarks(store)
    marks.keep(*names)
    asked: list[str] = []
    marks._of = lambda name: (asked.append(name), store.mark(name))[1]  # type: ignore[func-returns-value]
    for _ in range(8):
        marks.check(*names)
        marks.check(names[-1])
    assert len(asked) == 8 * (2 * MOST + 1) and {*asked} == {*names}
    flipped(store.root / names[MOST + 3])
    with pytest.raises(StoreReplaced):
        for _ in range(4):
            marks.check(*names)
    for _ in range(4):  # what was found out once stays so
        with pytest.raises(StoreReplaced):
            marks.check(*names)
