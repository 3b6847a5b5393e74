"""Stores the tests of this package share: real files, without the syncs."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from loom_paging import FileStore, Journal, PageRef, seal


@pytest.fixture
def store(tmp_path: Path) -> Iterator[FileStore]:
    """An empty store of files."""
    made = FileStore(tmp_path / "store", durable=False)
    yield made
    made.close()


@pytest.fixture
def fill(store: FileStore) -> Callable[[int], Journal]:
    """Write that many commits of one page each, sealing a segment after every third."""

    def write(commits: int) -> Journal:
        journal = Journal.open(store, write=True)
        for number in range(1, commits + 1):
            ref: PageRef = seal(f"outputs/read_{number:04d}.txt", b"page %d" % number)
            store.put(ref.name, b"page %d" % number)
            journal.commit(b'[{"number":%d,"text":"\\u00fc {\\"crc\\""}]' % number, [ref], number)
            if number % 3 == 0:
                journal.seal()
        return journal

    return write
