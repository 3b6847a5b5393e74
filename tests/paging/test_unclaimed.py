"""A torn end of a turn that was never synced, told from damage: by what later lines claim."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

import pytest

from loom_paging import Commit, CorruptJournal, FileStore, Journal, PageRef, check, seal
from loom_paging.line import decode, encode
from tests.kit.cases import all_cases

SEGMENT = "journal/000001.jsonl"


class ReadCounting(FileStore):
    """Real files, and how many pages were read."""

    pages = 0

    def read(self, name: str, offset: int, length: int) -> bytes:
        """Count a page, and read."""
        self.pages += name.startswith("outputs/")
        return super().read(name, offset, length)


def rested(store: FileStore, number: int) -> PageRef:
    """A page of its own for a commit."""
    data = b"page %d " % number * number
    ref = seal(f"outputs/read_{number:04d}.txt", data)
    store.put(ref.name, data)
    return ref


def turn(journal: Journal, store: FileStore, commits: int) -> None:
    """Commits of a page each."""
    for _ in range(commits):
        number = journal.last + 1
        journal.commit(b'["%d"]' % number, [rested(store, number)], number)


@pytest.fixture
def written(tmp_path: Path) -> Iterator[FileStore]:
    """Commits 1 to 3 of a turn that was acknowledged, and 4 to 6 of one that was not."""
    store = FileStore(tmp_path / "w", durable="turn")
    journal = Journal.open(store, write=True)
    turn(journal, store, 3)
    journal.make_durable()
    turn(journal, store, 3)
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


def test_lines_of_other_writers_are_as_they_were(tmp_path: Path) -> None:
    """Without the mode no line claims anything, and claims itself when it is read."""
    line = encode(7, 9, [], b'["x"]', 2)
    assert (
        line
        == b'{"crc":"%b","commit":7,"schema":2,"at":9,"pages":[],"records":["x"]}\n' % (line[8:16])
    )
    assert decode(line).durable is None
    store = FileStore(tmp_path / "w")
    turn(Journal.open(store, write=True), store, 3)
    assert b"durable" not in store.get(SEGMENT)


def test_lines_claim_what_was_durable(written: FileStore) -> None:
    """The first is synced by itself; from then on a claim rises with each acknowledgement."""
    claims = [decode(line).durable for line in written.get(SEGMENT).splitlines(keepends=True)]
    assert claims == [0, 1, 1, 3, 3, 3]


@all_cases("write", [True, False])
@all_cases(
    "ways",
    [*product([None, zeroed, half], repeat=3)],
    ids=lambda ways: "-".join(getattr(how, "__name__", "whole") for how in ways),
)
def test_any_part_of_a_turn_may_be_lost(
    written: FileStore, tmp_path: Path, ways: tuple[Callable[[bytes], bytes] | None], write: bool
) -> None:
    """Whichever of its lines came: those up to the first that did not stand, the rest is cut."""
    whole = written.get(SEGMENT)
    for number, how in reversed([*enumerate(ways, 4)]):  # a line of zeroes has no end
        if how is not None:
            spoil(written, number, how)
    before = written.get(SEGMENT)
    first = next((number for number, how in enumerate(ways, 4) if how is not None), 7)
    kept = b"".join(whole.splitlines(keepends=True)[: first - 1])
    seen: list[Commit] = []
    journal = Journal.open(written, write=write, each=seen.append)
    assert [commit.number for commit in seen] == [*range(1, first)]
    assert journal.torn == len(whole) - len(kept)
    assert written.get(SEGMENT) == (kept if write else before)
    report = check(written)
    assert report.problems == () and report.commits == first - 1
    if write:
        turn(journal, written, 2)
        assert Journal.open(written, write=False).last == first + 1


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


def test_a_note_and_a_segment_claim_too(written: FileStore, tmp_path: Path) -> None:
    """After a clean close, and in a segment that was sealed, a bad line is damage."""
    journal = Journal.open(written, write=True)
    turn(journal, written, 3)
    copy = tmp_path / "sealed"
    journal.make_durable()
    shutil.copytree(written.root, copy)
    journal.note_extent()
    sealed = FileStore(copy, durable="turn")
    Journal.open(sealed, write=True).seal()
    for store in (written, sealed):
        spoil(store, 8, zeroed)
        with pytest.raises(CorruptJournal):
            Journal.open(store, write=False)


@pytest.mark.parametrize("left", [b"", b"pag", None])
def test_a_page_that_did_not_come_cuts_its_commit(written: FileStore, left: bytes | None) -> None:
    """Missing, empty or torn: its commit and those after it go, and their pages are told."""
    path = written.root / "outputs/read_0005.txt"
    path.unlink()
    if left is not None:
        path.write_bytes(left)
    assert check(written).problems == ()
    assert Journal.open(written, write=False).last == 4
    journal = Journal.open(written, write=True)
    assert (journal.last, len(journal.cut)) == (4, 2)
    assert {ref.name for ref in journal.cut} == {f"outputs/read_000{n}.txt" for n in (5, 6)}


def test_a_page_that_is_claimed_cuts_nothing(written: FileStore) -> None:
    """One that was durable is damage of that page, as ever."""
    (written.root / "outputs/read_0002.txt").unlink()
    assert Journal.open(written, write=True).last == 6
    assert [found.where for found in check(written).problems] == ["outputs/read_0002.txt"]


def test_a_retired_page_need_not_be_there(written: FileStore) -> None:
    """Its file goes before a line claims the commit that named it; one that is cut retires none."""
    (written.root / "outputs/read_0005.txt").unlink()

    def told(commit: Commit) -> list[str]:
        return ["outputs/read_0005.txt"] if commit.number == 6 else []

    assert Journal.open(written, write=False, retired=told).last == 6
    (written.root / "outputs/read_0006.txt").unlink()
    assert Journal.open(written, write=False, retired=told).last == 4


def test_only_what_nothing_claims_is_read(written: FileStore) -> None:
    """Three pages after a kill; none after a clean close, and none in a journal of the default."""
    counting = ReadCounting(written.root, durable=False)
    Journal.open(counting, write=False)
    assert counting.pages == 3
    journal = Journal.open(written, write=True)
    turn(journal, written, 2)
    journal.make_durable()
    journal.note_extent()
    counting.pages = 0
    Journal.open(counting, write=False)
    assert counting.pages == 0


def test_the_next_writer_makes_it_durable(written: FileStore) -> None:
    """Whatever its mode, so that its first line may claim all of it."""
    after = FileStore(written.root)
    journal = Journal.open(after, write=True)
    turn(journal, after, 1)
    assert decode(after.get(SEGMENT).splitlines(keepends=True)[-1]).durable is None
    spoil(after, 5, zeroed)
    with pytest.raises(CorruptJournal):
        Journal.open(after, write=False)


def test_what_was_taken_back_is_not_claimed(written: FileStore) -> None:
    """Commits that are cut off by their writer give their numbers back, durable or not."""
    journal = Journal.open(written, write=True)
    end = journal.end
    turn(journal, written, 2)
    journal.make_durable()
    journal.back_to(end)
    journal.commit(b'["other"]', [], 9)
    assert decode(written.get(SEGMENT).splitlines(keepends=True)[-1]).durable == 6
