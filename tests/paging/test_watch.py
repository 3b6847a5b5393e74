"""A journal that someone else changes under its writer: told before the next line is written."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from loom_paging import FileStore, Journal, Store, StoreReplaced
from loom_paging.sub_store import sub_store
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


def test_a_store_within_a_store_is_watched(store: FileStore) -> None:
    """Its names are files below a folder."""
    journal = written(sub_store(store, "agents/one"), 2)
    flipped(store.root / "agents" / "one" / journal.segments[-1])
    with pytest.raises(StoreReplaced):
        journal.commit(b"[3]", [], 0)
