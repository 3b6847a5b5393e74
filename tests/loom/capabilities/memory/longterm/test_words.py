"""Which memories are scored: those that scoring everything would put first."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from loom.capabilities.memory.longterm.memory_item import MemoryItem
from loom.capabilities.memory.longterm.sqlite import WIDE, Sqlite
from loom.search.terms import asked

COUNT = 3 * WIDE


def said(id: int) -> str:
    """Every one holds `note`; two of five `red`, one of three `green`, one of 700 a `kraken`."""
    held = ["note", f"{id}"]
    held += ["red"] * (id % 5 < 2) + ["green"] * (id % 3 == 0) + ["kraken"] * (id % 700 == 0)
    return " ".join([*held, *["filler"] * (id % 4)])


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sqlite]:
    """Three times as many memories as a rare word may be in; the first is of another kind."""
    memories = (
        MemoryItem(
            id, said(id), kind="rule" if id == 6 else "fact", expires=9.0 if id == 5 else 0.0
        )
        for id in range(1, COUNT + 1)
    )
    made = Sqlite(Path(tmp_path_factory.mktemp("words")) / "m.sqlite", 1)
    with made.writing():
        for memory in memories:
            made.insert(memory)
    yield made
    made.close()


def first(words: Sqlite, text: str, limit: int = 5, kind: str = "", now: float = 1.0) -> list[int]:
    """Ids of as many of the best as are asked for."""
    return [id for id, _ in islice(words.ranked(asked(text), limit, now, kind), limit)]


def test_a_word_of_all_memories_gives_the_newest(words: Sqlite) -> None:
    """Bounded, and an answer all the same; more are given where more are asked for."""
    found = dict(words.ranked(asked("note"), 5, 1.0))
    assert len(found) == WIDE and min(found) == COUNT - WIDE + 1
    assert len(first(words, "note", COUNT + 9)) == COUNT
    assert len(first(words, "77 note", 9)) == 9
    assert first(words, "77 note", 9)[0] == 77


def test_the_number_that_is_scored_is_bounded(words: Sqlite) -> None:
    """Whatever is asked: rare ones, and those that hold all the others."""
    for text in ("red", "green", "red green", "note red green kraken 7 8"):
        assert len(list(words.ranked(asked(text), 5, 1.0))) <= 2 * WIDE


def test_what_may_not_be_found_takes_no_place(words: Sqlite) -> None:
    """The only one of a kind is found by any word; one that expired by none."""
    for text in ("red green", "note", "green", "6", "kraken green"):
        assert first(words, text, kind="rule") == [6]
    assert first(words, "5", now=8) == [5]
    assert first(words, "5", now=9) == []
    assert 5 in first(words, "red", COUNT, now=8)
    assert 5 not in first(words, "red", COUNT, now=9)
