"""From scores to an order."""

from __future__ import annotations

from loom.search.index import Passage
from loom.search.rank import MISSES, NEIGHBOUR, beside, newest_first, packed, runs, summed, worth
from tests.kit.cases import all_cases


def unit(id: int, entry: int = 1, start: int = 0, end: int = 10, name: str = "p") -> Passage:
    """A unit with that id."""
    return Passage(name, "page", entry, start, end, 1, 1, id)


SUMS: list[tuple[dict[int, float], dict[int, float], dict[int, float]]] = [
    ({}, {}, {}),
    ({1: 5.0}, {}, {1: 5.0}),
    ({}, {1: 0.2}, {1: 1.0}),
    ({1: 4.0, 2: 1.0}, {1: 0.5, 2: -0.5, 3: 0.0}, {1: 2.0, 2: 0.25, 3: 0.5}),
]


@all_cases(("lexical", "semantic", "both"), SUMS)
def test_summed(
    lexical: dict[int, float], semantic: dict[int, float], both: dict[int, float]
) -> None:
    """Both scores count alike, whatever their scales; without vectors bm25 stays as it is."""
    assert summed(lexical, semantic) == both


def test_newest_first() -> None:
    """By score; of equal ones the newest."""
    assert newest_first({}) == []
    assert newest_first({1: 1.0, 2: 2.0, 3: 1.0 + 1e-9}) == [2, 3, 1]


def test_a_neighbour_has_a_share() -> None:
    """What stands beside a hit scores too, by the best of the entries beside it; itself not."""
    units = [unit(1, 4), unit(2, 5), unit(3, 5), unit(4, 6), unit(5, 9)]
    found = beside({2: 4.0, 3: 2.0, 4: 1.0}, units)
    share = NEIGHBOUR * 4.0
    assert found == {1: share, 2: 4 + NEIGHBOUR, 3: 2 + NEIGHBOUR, 4: 1 + share, 5: 0.0}


def test_worth_is_score_for_room() -> None:
    """Of two equal scores the shorter first; a better one outweighs some length; none is out."""
    units = [unit(1, end=2_000), unit(2, end=100), unit(3, end=2_000), unit(4)]
    order = worth({1: 1.0, 2: 1.0, 3: 9.0, 4: 0.0}, units)
    assert [one.id for one in order] == [3, 2, 1]


def test_packed_passes_over_what_does_not_fit() -> None:
    """Units are taken in order while they fit, and the search ends after so many misses."""
    asked: list[int] = []

    def cost(one: Passage) -> int:
        asked.append(one.id)
        return one.end

    assert packed([], cost, 100) == []
    sizes = [60, 50, 30, 20, 10, 1]
    taken = packed([unit(at, end=size) for at, size in enumerate(sizes)], cost, 100)
    assert [one.end for one in taken] == [60, 30, 10]
    asked.clear()
    assert packed([unit(at, end=101) for at in range(999)], cost, 100) == []
    assert len(asked) == MISSES + 1


def test_runs() -> None:
    """Slices that follow on each other stand together, where the best of them would."""
    a, b, c = unit(1, start=0, end=5), unit(2, start=5, end=9), unit(3, start=12, end=15)
    other = unit(4, name="q", start=9, end=12)
    assert runs([]) == []
    assert runs([c, b, other, a]) == [[c], [a, b], [other]]
