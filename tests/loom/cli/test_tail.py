import shutil
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.cli.tail import Replaced, Tail
from loom_paging import CorruptJournal, FileStore, Journal
from tests.kit.cases import all_cases

Disturb = Callable[[Path], object]


def journal(folder: Path) -> Journal:
    """The journal of a store in this folder, open for writing; commits need no lock here."""
    return Journal.open(FileStore(folder, durable=False), write=True)


def put(held: Journal, times: int = 1, at: int = 7) -> None:
    """Commit so many times."""
    for _ in range(times):
        held.commit(b'[{"some":"record"}]', [], at)


def numbers(tail: Tail) -> list[int]:
    """The commits of one look."""
    return [commit.number for commit in tail.news()]


@given(st.lists(st.sampled_from(["commit", "seal", "look"]), max_size=30))
def test_every_commit_is_seen_once_whenever_one_looks(steps: list[str]) -> None:
    """However commits, seals and looks follow each other: all commits, in order, each byte once."""
    with TemporaryDirectory() as folder:
        held, tail = journal(Path(folder)), Tail(Path(folder))
        seen: list[int] = []
        for step in steps:
            if step == "look":
                seen += numbers(tail)
            else:
                put(held) if step == "commit" else held.seal()
        seen += numbers(tail)
        assert seen == list(range(1, steps.count("commit") + 1))
        root = Path(folder, "journal")
        sizes = [file.stat().st_size for file in root.iterdir()] if root.is_dir() else []
        assert tail.read == sum(sizes)


def test_a_torn_tail_waits_until_it_is_whole(tmp_path: Path) -> None:
    """Half a line is passed over and counted; the rest of it makes it a commit."""
    put(journal(tmp_path), 3)
    segment = tmp_path / "journal" / "000001.jsonl"
    data = segment.read_bytes()
    cut = data.rindex(b"\n", 0, -1) + 20
    segment.write_bytes(data[:cut])
    tail = Tail(tmp_path)
    assert numbers(tail) == [1, 2] and tail.torn == 19
    assert numbers(tail) == [] and tail.torn == 19
    segment.write_bytes(data)
    assert numbers(tail) == [3] and tail.torn == 0


def renew(folder: Path) -> None:
    """Another journal, longer than the first, in the same place."""
    shutil.rmtree(folder / "journal")
    put(journal(folder), 9, at=8)


@all_cases(
    "disturb",
    [
        renew,
        lambda folder: shutil.rmtree(folder),
        lambda folder: shutil.rmtree(folder / "journal"),
        lambda folder: (folder / "journal" / "000001.jsonl").write_bytes(b""),
    ],
)
def test_another_journal_is_noticed(tmp_path: Path, disturb: Disturb) -> None:
    """When what was read is gone, the tail says so instead of mixing two journals."""
    put(journal(tmp_path / "w"), 3)
    tail = Tail(tmp_path / "w")
    assert numbers(tail) == [1, 2, 3]
    disturb(tmp_path / "w")
    with pytest.raises(Replaced):
        numbers(tail)


def flip(folder: Path) -> None:
    """One altered byte in the second of three lines."""
    segment = folder / "journal" / "000001.jsonl"
    lines = segment.read_bytes().splitlines(keepends=True)
    lines[1] = lines[1].replace(b"some", b"sane")
    segment.write_bytes(b"".join(lines))


def swap(folder: Path) -> None:
    """The second line is the third."""
    segment = folder / "journal" / "000001.jsonl"
    lines = segment.read_bytes().splitlines(keepends=True)
    segment.write_bytes(lines[0] + lines[2])


def tear_sealed(folder: Path) -> None:
    """A sealed segment ends in half a line."""
    segment = folder / "journal" / "000001.jsonl"
    segment.write_bytes(segment.read_bytes()[:-5])
    (folder / "journal" / "000002.jsonl").touch()


@all_cases(
    ("disturb", "line"),
    [
        (flip, 2),
        (swap, 2),
        (tear_sealed, 3),
        (
            lambda folder: (folder / "journal" / "000001.jsonl").rename(
                folder / "journal/000002.jsonl"
            ),
            0,
        ),
    ],
)
def test_damage_is_told_with_its_place(tmp_path: Path, disturb: Disturb, line: int) -> None:
    """What is wrong before the tail is damage, as it is for every other reader."""
    put(journal(tmp_path), 3)
    disturb(tmp_path)
    with pytest.raises(CorruptJournal) as found:
        numbers(Tail(tmp_path))
    assert found.value.line == line
    with pytest.raises(CorruptJournal):
        Journal.open(FileStore(tmp_path), write=False)
