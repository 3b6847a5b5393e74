"""Which terms of a query say where to look, and what each weighs."""

from __future__ import annotations

from loom.search.index import NEWEST, Passage, SearchIndex
from loom.search.query import SCORED, Counted, match
from loom.search.terms import asked

MANY = 4 * SCORED  # units


def test_a_query_without_terms_has_none() -> None:
    """Nothing is told apart, and nothing asked for."""
    assert Counted(9, {}).told_apart() == ([], []) and match([]) == ""
    assert Counted(9, {("words", "xyzzy"): 0}).told_apart() == ([], [])


def test_few_units_are_all_scored() -> None:
    """Where no more hold the terms than are scored anyway, each of them counts."""
    counted = Counted(10, {("words", "error"): 9, ("names", "ord1"): 1})
    assert counted.told_apart() == ([("names", "ord1"), ("words", "error")], [])
    rarity = counted.rarity()
    assert rarity["names", "ord1"] > rarity["words", "error"] > 0


def test_common_terms_are_scored_beside_rarer_ones_alone() -> None:
    """And those that nearly every unit holds not at all; without a rarer one the newest units."""
    with SearchIndex.in_memory() as index:
        old = MANY - NEWEST  # their texts are shorter, so they would lead
        texts = (
            "error "
            + "status " * (n % 3 == 0)
            + "kraken " * (n % 2_000 == 0)
            + "wind " * (n >= old)
            for n in range(MANY)
        )
        index.add(((Passage("p", "page", n, 0, 1, 1, 1), t) for n, t in enumerate(texts, 1)), 1, "")
        found = index.scores(index.counted(asked("kraken error status")), 99)
        assert sorted(found) == [1 + 2_000 * n for n in range(MANY // 2_000)]
        assert index.weighed == len(found)
        index.weighed = 0
        found = index.scores(index.counted(asked("error")), 99)
        assert min(found) > old and index.weighed <= NEWEST
