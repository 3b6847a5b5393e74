"""A crash at any byte, and damage at any byte: what opening makes of each."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from loom_paging import Commit, CorruptJournal, FileStore, Journal, MemoryStore
from tests.kit.cases import all_cases

Fill = Callable[[int], Journal]


def contents(store: FileStore | MemoryStore) -> dict[str, bytes]:
    """Every name with its bytes."""
    return {name: store.get(name) for name in store.names()}


def memory(held: dict[str, bytes]) -> MemoryStore:
    """A store in memory with these contents, its journal segments as logs."""
    store = MemoryStore()
    for name, data in held.items():
        store.append(name, data)
    return store


@pytest.mark.parametrize("write", [True, False])
def test_every_cut_of_the_tail_leaves_the_whole_commits(
    fill: Fill, store: FileStore, tmp_path: Path, write: bool
) -> None:
    """Cut at any byte of the last segment, opening finds exactly the commits before the cut."""
    whole = list(fill(5).scan())
    segment = "journal/000002.jsonl"
    data = store.get(segment)
    copy = tmp_path / "copy"
    shutil.copytree(store.root, copy)
    for cut in range(len(data) + 1):
        (copy / segment).write_bytes(data[:cut])
        after = FileStore(copy, durable=False)
        seen: list[Commit] = []
        journal = Journal.open(after, write=write, each=seen.append)
        kept = data[:cut].rpartition(b"\n")
        assert seen == whole[: 3 + kept[0].count(b"\n") + len(kept[1])] == list(journal.scan())
        assert journal.torn == len(kept[2])
        assert after.get(segment) == (kept[0] + kept[1] if write else data[:cut])
        if write:
            assert journal.commit(b'["after"]', [], 9) == len(seen) + 1
            assert Journal.open(after, write=False).torn == 0
        after.close()


@all_cases("tail", [b"\0" * 50, b"\0" * 49 + b"\n", b'{"crc":"', b"{}\n", b"\n"])
def test_a_tail_of_other_bytes_is_torn(fill: Fill, store: FileStore, tail: bytes) -> None:
    """A last line that is no commit is cut off, whatever it is made of."""
    fill(4)
    store.append("journal/000002.jsonl", tail)
    before = contents(store)
    reader = Journal.open(store, write=False)
    assert (reader.last, reader.torn, contents(store)) == (4, len(tail), before)
    assert Journal.open(store, write=True).torn == len(tail)
    assert Journal.open(store, write=True).torn == 0


def test_every_flipped_byte_before_the_tail_is_damage(fill: Fill, store: FileStore) -> None:
    """Whatever bit pattern replaces a byte of a middle line, opening names it and cuts nothing."""
    fill(5)
    held = contents(store)
    for segment, line, lines_before in (("000001", 2, 1), ("000001", 3, 2), ("000002", 1, 0)):
        name = f"journal/{segment}.jsonl"
        parts = held[name].splitlines(keepends=True)
        start = sum(map(len, parts[:lines_before]))
        for offset in range(start, start + len(parts[line - 1])):
            for flip in (0x01, 0x80, 0xFF):
                damaged = bytearray(held[name])
                damaged[offset] ^= flip
                after = memory({**held, name: bytes(damaged)})
                with pytest.raises(CorruptJournal) as caught:
                    Journal.open(after, write=True)
                assert (caught.value.path, caught.value.line) == (name, line)
                assert after.get(name) == damaged


def test_a_flipped_byte_in_the_last_line_loses_that_commit_alone(
    fill: Fill, store: FileStore
) -> None:
    """Damage in the last line cannot be told from a torn write; nothing before it is lost."""
    fill(5)
    held = contents(store)
    name = "journal/000002.jsonl"
    last = held[name].splitlines(keepends=True)[-1]
    for offset in range(len(held[name]) - len(last), len(held[name])):
        damaged = bytearray(held[name])
        damaged[offset] ^= 0x01
        journal = Journal.open(memory({**held, name: bytes(damaged)}), write=True)
        assert (journal.last, journal.torn) == (4, len(last))


def drop(line: int) -> Callable[[list[bytes]], list[bytes]]:
    """Leave one line out."""
    return lambda lines: lines[: line - 1] + lines[line:]


@all_cases(
    ("change", "line"),
    [
        (drop(1), 1),
        (drop(2), 2),
        (lambda lines: [*lines, lines[-1]], 4),
        (lambda lines: [lines[1], lines[0], lines[2]], 1),
        (lambda lines: [*lines[:2], b"torn\n", b"torn"], 3),
        (lambda lines: [*lines[:2], b"\n", lines[2]], 3),
    ],
    ids=["first lost", "second lost", "last twice", "swapped", "two bad lines", "blank line"],
)
def test_lines_out_of_order_are_damage(
    store: FileStore, change: Callable[[list[bytes]], list[bytes]], line: int
) -> None:
    """Lines lost, doubled, swapped or put in are named, and the segment is left as it is."""
    journal = Journal.open(store, write=True)
    for _ in range(3):
        journal.commit(b"[]", [], 0)
    path = store.root / "journal/000001.jsonl"
    changed = b"".join(change(path.read_bytes().splitlines(keepends=True)))
    path.write_bytes(changed)
    with pytest.raises(CorruptJournal) as caught:
        Journal.open(store, write=True)
    assert (caught.value.path, caught.value.line) == ("journal/000001.jsonl", line)
    assert path.read_bytes() == changed


@pytest.mark.parametrize("number", [1, 2])
def test_a_missing_segment_is_damage(fill: Fill, store: FileStore, number: int) -> None:
    """A gap in the segments is named."""
    fill(7)
    store.delete(f"journal/00000{number}.jsonl")
    with pytest.raises(CorruptJournal) as caught:
        Journal.open(store, write=True)
    assert (caught.value.path, caught.value.line) == (f"journal/00000{number}.jsonl", 0)


def test_a_torn_line_in_a_sealed_segment_is_damage(fill: Fill, store: FileStore) -> None:
    """Only the last segment can be torn: an earlier one was whole when it was sealed."""
    fill(4)
    path = store.root / "journal/000001.jsonl"
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(CorruptJournal) as caught:
        Journal.open(store, write=True)
    assert (caught.value.path, caught.value.line) == ("journal/000001.jsonl", 3)


def test_other_files_in_the_journal_folder_are_let_be(fill: Fill, store: FileStore) -> None:
    """A name that is no segment is not read and not removed."""
    fill(2)
    store.append("journal/notes.txt", b"mine")
    assert Journal.open(store, write=True).last == 2
    assert store.get("journal/notes.txt") == b"mine"
