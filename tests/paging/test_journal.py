"""The journal: commits in order, one line each, found again after any restart."""

import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch
from zlib import crc32

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loom_paging import (
    Commit,
    CorruptJournal,
    FileStore,
    Journal,
    MemoryStore,
    PagingError,
    StoreReplaced,
    seal,
)
from loom_paging.line import decode
from tests.kit.cases import all_cases

Fill = Callable[[int], Journal]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.lists(JSON, max_size=3), st.booleans()), max_size=8))
def test_what_was_committed_is_read_back(steps: list[tuple[list[object], bool]]) -> None:
    """scan, read and `each` give every commit back, across seals and reopening."""
    store = MemoryStore()
    journal = Journal.open(store, write=True)
    for number, (records, seal_after) in enumerate(steps, 1):
        refs = [seal(f"outputs/{number}", b"x", alias="é" * (number % 2))]
        assert journal.commit(msgspec.json.encode(records), refs, number * 10) == number
        if seal_after:
            journal.seal()
    seen: list[Commit] = []
    again = Journal.open(store, write=False, each=seen.append)
    assert list(journal.scan()) == list(again.scan()) == seen
    assert [again.read(number) for number in range(1, again.last + 1)] == seen
    assert [json.loads(bytes(commit.records)) for commit in seen] == [each for each, _ in steps]
    assert [commit.at for commit in seen] == [10 * n for n in range(1, len(steps) + 1)]
    for after in range(len(steps) + 2):
        assert list(again.scan(after)) == seen[after:]


@all_cases("records", [b"", b"{}", b"[", b"[1]]", b"[1,]", b'["\n"]', b"null"])
def test_records_that_are_no_array_are_refused(store: FileStore, records: bytes) -> None:
    """Bytes that would make a line nobody can read never reach the disk."""
    journal = Journal.open(store, write=True)
    with pytest.raises(ValueError, match="JSON array"):
        journal.commit(records, [], 0)
    assert (store.names(), journal.last) == ([], 0)


def test_newlines_between_values_are_folded(store: FileStore) -> None:
    """Indented JSON is still one line."""
    Journal.open(store, write=True).commit(b'[\n  {"a": 1},\r\n  2\n]', [], 0)
    assert Journal.open(store, write=False).read(1).records == msgspec.Raw(b'[{"a":1},2]')


def test_a_reader_takes_no_commits(fill: Fill, store: FileStore) -> None:
    """A journal opened for reading refuses to write and says how it would."""
    fill(2)
    journal = Journal.open(store, write=False)
    for write in (journal.seal, lambda: journal.commit(b"[]", [], 0)):
        with pytest.raises(PagingError, match="write=True"):
            write()
    assert Journal.open(store, write=False).last == 2


class FullDisk(MemoryStore):
    """Writes half of an append and fails, while `full`; cannot cut while `stuck`."""

    full = stuck = False

    def append(self, name: str, data: bytes) -> None:
        """Append, or half of it."""
        super().append(name, data[: len(data) // 2] if self.full else data)
        if self.full:
            raise OSError(28, "no space left")

    def truncate(self, name: str, size: int) -> None:
        """Cut, or fail."""
        if self.stuck:
            raise OSError(5, "input/output error")
        super().truncate(name, size)


def test_a_failed_append_that_cannot_be_undone_stops_the_journal() -> None:
    """No line is ever written after a broken one; reopening cuts the tail and goes on."""
    store = FullDisk()
    journal = Journal.open(store, write=True)
    journal.commit(b"[]", [], 0)
    store.full = store.stuck = True
    with pytest.raises(OSError, match="input/output"):
        journal.commit(b"[]", [], 0)
    store.full = store.stuck = False
    with pytest.raises(PagingError, match="open it again"):
        journal.commit(b"[]", [], 0)
    assert Journal.open(store, write=True).commit(b"[]", [], 0) == 2


def test_a_line_changed_while_open_is_noticed(fill: Fill, store: FileStore) -> None:
    """read and scan check the crc again and name the line."""
    journal = fill(5)
    path = store.root / "journal/000002.jsonl"
    data = bytearray(path.read_bytes())
    data[-20] ^= 1
    path.write_bytes(data)
    assert journal.read(4).number == 4
    for look in (lambda: journal.read(5), lambda: list(journal.scan())):
        with pytest.raises(CorruptJournal) as caught:
            look()
        assert (caught.value.path, caught.value.line) == ("journal/000002.jsonl", 2)
    path.write_bytes(data[:10])
    with pytest.raises(CorruptJournal):
        list(journal.scan(3))


def test_a_line_of_another_kind_is_not_torn() -> None:
    """A sound crc over something that is no commit is damage, never a tail to cut."""
    body = b'"kind":"other"}'
    with pytest.raises(CorruptJournal) as caught:
        decode(b'{"crc":"%08x",%b\n' % (crc32(body), body))
    assert not caught.value.torn


@settings(max_examples=80, deadline=None)
@given(st.lists(st.booleans(), max_size=9), st.integers(0, 9), st.booleans())
def test_back_to_forgets_what_came_after(seals: list[bool], kept: int, stuck: bool) -> None:
    """Cut back to any earlier end, over seals too, a journal is as it was then and goes on."""
    store = FullDisk()
    journal = Journal.open(store, write=True)
    ends, held = [journal.end], [{name: store.get(name) for name in store.names()}]
    for number, seal_after in enumerate(seals):
        journal.commit(b"[%d]" % number, [], 0)
        if seal_after:
            journal.seal()
        ends.append(journal.end)
        held.append({name: store.get(name) for name in store.names()})
    at = min(kept, len(seals))
    store.stuck = stuck
    if stuck and held[at] != held[-1] and at:
        with contextlib.suppress(OSError):
            journal.back_to(ends[at])
    store.stuck = False
    journal.back_to(ends[at])
    assert {name: store.get(name) for name in store.names() if store.size(name) or at} == held[at]
    assert journal.end == ends[at]
    assert journal.commit(b'["next"]', [], 0) == at + 1
    again = Journal.open(store, write=False)
    assert [bytes(commit.records) for commit in again.scan()] == [
        *[b"[%d]" % number for number in range(at)],
        b'["next"]',
    ]


def test_back_to_cuts_only_what_this_writer_wrote(store: FileStore) -> None:
    """A line of somebody else behind ours is left, and told of."""
    journal = Journal.open(store, write=True)
    journal.commit(b"[1]", [], 0)
    end = journal.end
    journal.commit(b"[2]", [], 0)
    Journal.open(store, write=True).commit(b"[3]", [], 0)
    before = store.get("journal/000001.jsonl")
    for _ in range(2):
        with pytest.raises(StoreReplaced):
            journal.back_to(end)
    assert store.get("journal/000001.jsonl") == before


def test_a_seal_that_failed_leaves_no_segment() -> None:
    """Commits after it go on in the old segment, where a torn tail is still a tail."""
    store = FullDisk()
    journal = Journal.open(store, write=True)
    journal.commit(b"[1]", [], 0)
    store.full = True
    with pytest.raises(OSError, match="no space"):
        journal.seal()
    store.full = False
    journal.commit(b"[2]", [], 0)
    assert store.names() == ["journal/000001.jsonl"]
    store.truncate("journal/000001.jsonl", store.size("journal/000001.jsonl") - 3)
    assert Journal.open(store, write=True).last == 1


def test_a_note_reaches_no_further_than_what_is_left(tmp_path: Path) -> None:
    """Commits were noted, and cut off again; another one came, and the process ended."""
    store = FileStore(tmp_path)
    journal = Journal.open(store, write=True)
    journal.commit(b'["one"]', (), 1)
    end = journal.end
    for _ in range(2):
        journal.commit(b'["two"]', (), 1)
    journal.note_extent()
    journal.back_to(end)
    with patch.object(Journal, "note_extent"):  # it ends before it notes anything
        journal.commit(b'["another"]', (), 1)
        store.close()
    again = Journal.open(FileStore(tmp_path, create=False), write=False)
    told = [json.loads(bytes(commit.records)) for commit in again.scan()]
    assert told == [["one"], ["another"]]
