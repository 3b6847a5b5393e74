"""The syncs of a store that syncs once a turn: which wait, their order, and their failure."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from loom_paging import FileStore, PagingError
from loom_paging import waiting_syncs as syncs


class Synced:
    """What is synced below a folder, by its name there; `fails` is what the disk refuses."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.names: list[str] = []
        self.fails = ""
        self._root = root
        self._real = {"fsync": os.fsync, "fdatasync": os.fdatasync}
        for name in self._real:
            monkeypatch.setattr(os, name, getattr(self, name))

    def fsync(self, descriptor: int) -> None:
        """Note it, and sync."""
        self._note("fsync", descriptor)

    def fdatasync(self, descriptor: int) -> None:
        """The same."""
        self._note("fdatasync", descriptor)

    def _note(self, how: str, descriptor: int) -> None:
        path = Path(f"/proc/self/fd/{descriptor}").readlink()
        name = str(path.relative_to(self._root)) if path.is_relative_to(self._root) else "above"
        if name == self.fails:
            raise OSError(errno.EIO, "Input/output error")
        self.names.append(name)
        self._real[how](descriptor)

    def taken(self) -> list[str]:
        """The names since the last time."""
        found, self.names = self.names, []
        return found


@pytest.fixture
def store(tmp_path: Path) -> FileStore:
    """A store whose syncs wait, its folders and its journal made."""
    made = FileStore(tmp_path / "w", durable="turn")
    made.put("outputs/read_0001.txt", b"one")
    made.append("journal/000001.jsonl", b"1\n")
    made.append("journal/000001.jsonl", b"")
    return made


@pytest.fixture
def synced(store: FileStore, monkeypatch: pytest.MonkeyPatch) -> Synced:
    """What is synced from here on."""
    return Synced(store.root, monkeypatch)


def turn(store: FileStore) -> None:
    """Two lines and the pages they name, one of them of bytes that were there."""
    store.put("outputs/read_0002.txt", b"two")
    store.append("journal/000001.jsonl", b"2\n")
    store.link("outputs/read_0001.txt", "outputs/read_0003.txt")
    store.append("journal/000001.jsonl", b"3\n")


def test_many_files_do_not_wait(
    store: FileStore, synced: Synced, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a turn with very many pages those that came first are synced on the way."""
    monkeypatch.setattr(syncs, "MOST", 4)
    names = [f"outputs/read_{number:04d}.txt" for number in range(2, 12)]
    for number, name in enumerate(names):
        store.put(name, b"%d" % number)
    assert synced.taken() == names[:8]
    store.append("journal/000001.jsonl", b"")
    assert synced.taken()[:3] == [*names[8:], "outputs"]


@pytest.mark.parametrize("name", ["outputs/read_0002.txt", "outputs", "journal/000001.jsonl"])
def test_a_sync_that_failed_is_not_tried_again(store: FileStore, synced: Synced, name: str) -> None:
    """The next one might say that it went well: nothing is acknowledged until it is opened anew."""
    turn(store)
    synced.fails = name
    with pytest.raises(OSError, match="Input/output"):
        store.append("journal/000001.jsonl", b"")
    synced.fails = ""
    for _ in range(2):
        with pytest.raises(PagingError, match="Input/output"):
            store.append("journal/000001.jsonl", b"")
    store.close()
    FileStore(store.root, durable="turn").append("journal/000001.jsonl", b"")
