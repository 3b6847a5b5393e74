"""Which memories are scored: those that scoring everything would put first."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.capabilities.memory.longterm.memory_item import MemoryItem
from loom.capabilities.memory.longterm.stores.backend import MemoryQuery
from loom.capabilities.memory.longterm.stores.candidates import ENOUGH, WIDE, Common, ranked, rounds
from loom.capabilities.memory.longterm.stores.words import Words
from loom.search.terms import Terms, asked

COUNT = 3 * WIDE


def said(id: int) -> str:
    """Every one holds `note`; two of five `red`, one of three `green`, one of 700 a `kraken`."""
    held = ["note", f"{id}"]
    held += ["red"] * (id % 5 < 2) + ["green"] * (id % 3 == 0) + ["kraken"] * (id % 700 == 0)
    return " ".join([*held, *["filler"] * (id % 4)])


@pytest.fixture(scope="module")
def words() -> Iterator[Words]:
    """Three times as many memories as a rare word may be in; the first is of another kind."""
    memories = (
        MemoryItem(
            id, said(id), kind="rule" if id == 6 else "fact", expires=9.0 if id == 5 else 0.0
        )
        for id in range(1, COUNT + 1)
    )
    made = Words.in_memory(memories)
    yield made
    made.close()


def wanted(text: str, limit: int = 5, kind: str = "", now: float = 1.0) -> MemoryQuery:
    """What a query of that text looks for."""
    return MemoryQuery(asked(text), now, limit, kind)


def first(words: Words, what: MemoryQuery) -> list[int]:
    """Ids of as many of the best as are asked for."""
    return [id for id, _ in islice(ranked(words, what), what.limit)]


def test_a_word_of_all_memories_gives_the_newest(words: Words) -> None:
    """Bounded, and an answer all the same; more are given where more are asked for."""
    found = dict(ranked(words, wanted("note")))
    assert len(found) == WIDE and min(found) == COUNT - WIDE + 1
    assert len(first(words, wanted("note", COUNT + 9))) == COUNT
    assert len(first(words, wanted("77 note", 9))) == 9
    assert first(words, wanted("77 note", 9))[0] == 77


def test_the_number_that_is_scored_is_bounded(words: Words) -> None:
    """Whatever is asked: rare ones, and a round more than is enough."""
    for text in ("red", "green", "red green", "note red green kraken 7 8"):
        assert len(list(ranked(words, wanted(text)))) <= 2 * WIDE + ENOUGH


def test_what_may_not_be_found_takes_no_place(words: Words) -> None:
    """The only one of a kind is found by any word; one that expired by none."""
    for text in ("red green", "note", "green", "6", "kraken green"):
        assert first(words, wanted(text, kind="rule")) == [6]
    assert first(words, wanted("5", now=8)) == [5]
    assert first(words, wanted("5", now=9)) == []
    assert 5 in first(words, wanted("red", COUNT, now=8))
    assert 5 not in first(words, wanted("red", COUNT, now=9))


@given(st.lists(st.floats(0.01, 0.5), max_size=5))
def test_rounds_leave_out_the_lightest_first(shares: list[float]) -> None:
    """Every set of terms comes once, and those that weigh more before those that weigh less."""
    terms = [Common(Terms((str(at),), ()), share) for at, share in enumerate(shares)]
    made = list(rounds(terms))
    assert len({tuple(sorted(one.terms.words for one in held)) for held in made}) == len(made)
    assert len(made) == 2 ** len(terms) - 1
    weights = [sum(one.weight for one in held) for held in made]
    assert all(one >= other - 1e-9 for one, other in pairwise(weights))
