"""A torn end that an earlier version left, which could sync once a turn, told from damage."""

from collections.abc import Callable, Iterator
from pathlib import Path
from zlib import crc32

import pytest

from loom_paging import CorruptJournal, FileStore, Journal, PageRef, check, seal
from loom_paging.line import decode, encode
from tests.kit.cases import all_cases

SEGMENT = "journal/000001.jsonl"


def rested(store: FileStore, number: int) -> PageRef:
    """A page of its own for a commit."""
    data = b"page %d " % number * number
    ref = seal(f"outputs/read_{number:04d}.txt", data)
    store.put(ref.name, data)
    return ref


def claiming(number: int, claim: int, pages: list[PageRef]) -> bytes:
    """A line of an earlier version: it says through which commit all was durable."""
    line = encode(number, number, pages, b'["%d"]' % number)
    body = line[18:-1].replace(b'"at":', b'"durable":%d,"at":' % claim, 1)
    return b'{"crc":"%08x",%b\n' % (crc32(body), body)


@pytest.fixture
def written(tmp_path: Path) -> Iterator[FileStore]:
    """Commits 1 to 3 of a turn that was acknowledged, and noted, and 4 to 6 of one that was not."""
    store = FileStore(tmp_path / "w")
    for number, claim in enumerate((0, 1, 1, 3, 3, 3), 1):
        store.append(SEGMENT, claiming(number, claim, [rested(store, number)]))
        if number == 3:
            Journal.open(store, write=True).note_extent()
    yield store
    store.close()


def spoil(store: FileStore, line: int, how: Callable[[bytes], bytes]) -> None:
    """Change a line of the segment, from 1."""
    path = store.root / SEGMENT
    held = path.read_bytes().splitlines(keepends=True)
    held[line - 1] = how(held[line - 1])
    path.write_bytes(b"".join(held))


def zeroed(line: bytes) -> bytes:
    """A line whose bytes never came."""
    return bytes(len(line))


def half(line: bytes) -> bytes:
    """A line of which the second half came."""
    return bytes(len(line) // 2) + line[len(line) // 2 :]


@all_cases("how", [zeroed, half])
@all_cases("line", [1, 2, 3])
def test_what_is_claimed_is_never_cut(
    written: FileStore, line: int, how: Callable[[bytes], bytes]
) -> None:
    """A line that a later one says was durable is damaged: nothing is changed."""
    spoil(written, line, how)
    before = written.get(SEGMENT)
    with pytest.raises(CorruptJournal) as caught:
        Journal.open(written, write=True)
    # Of the last line the note beside the journal tells, which knows no numbers of lines.
    assert caught.value.line in (line, 0 if line == 3 else line)
    assert written.get(SEGMENT) == before and check(written).problems


@all_cases("how", [zeroed, half])
@all_cases("line", [4, 5, 6])
def test_what_nothing_claims_is_cut(
    written: FileStore, line: int, how: Callable[[bytes], bytes]
) -> None:
    """It and what stands behind it is a torn end: a reader passes it by, a writer cuts it off."""
    spoil(written, line, how)
    assert check(written).problems == ()
    assert Journal.open(written, write=False).last == line - 1
    journal = Journal.open(written, write=True)
    assert (journal.last, written.get(SEGMENT).count(b"\n")) == (line - 1, line - 1)


def test_it_goes_on_and_claims_nothing(written: FileStore) -> None:
    """What its writer left unsynced is kept, and once a commit follows it is damage to lose it."""
    assert Journal.open(written, write=True).commit(b'["other"]', [], 9) == 7
    assert decode(written.get(SEGMENT).splitlines(keepends=True)[-1]).durable is None
    assert check(written).problems == () and Journal.open(written, write=False).last == 7
    spoil(written, 5, zeroed)
    with pytest.raises(CorruptJournal) as caught:
        Journal.open(written, write=True)
    assert caught.value.line == 5 and check(written).problems
