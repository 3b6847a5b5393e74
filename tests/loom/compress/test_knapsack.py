"""The knapsack of auto against every possible choice."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from loom.compress.knapsack import ascent, choose
from tests.kit.cases import all_cases


def chosen_of(sizes: list[list[int]], worths: list[list[float]], room: int) -> list[int]:
    """The options chosen of entries with these sizes and worths."""
    return choose([ascent(*one) for one in zip(sizes, worths, strict=True)], room)


TABLE = [
    ([], [], 10, []),
    ([[5]], [[1.0]], 0, [0]),
    ([[10, 2]], [[1.0, 0.1]], 10, [0]),
    ([[10, 2]], [[1.0, 0.1]], 9, [1]),
    ([[10, 2], [10, 2]], [[1.0, 0.0], [2.0, 0.0]], 12, [1, 0]),
    ([[10, 2], [10, 2]], [[1.0, 0.0], [1.0, 0.0]], 12, [1, 0]),
    ([[10, 5, 2]], [[1.0, 0.9, 0.1]], 6, [1]),
    ([[10, 5, 2]], [[1.0, 0.2, 0.1]], 10, [0]),
]


@all_cases(("sizes", "worths", "room", "chosen"), TABLE)
def test_table(
    sizes: list[list[int]], worths: list[list[float]], room: int, chosen: list[int]
) -> None:
    """The best options that fit; of equals the newest entry gets its step."""
    assert chosen_of(sizes, worths, room) == chosen


# Thousandths: the smallest floats underflow to no gain at all when divided by tokens.
WORTH = st.integers(0, 1_000).map(lambda number: number / 1_000)
options = st.lists(st.integers(1, 40), min_size=1, max_size=4, unique=True).map(
    lambda sizes: sorted(sizes, reverse=True)
)


@st.composite
def problems(draw: st.DrawFn) -> tuple[list[list[int]], list[list[float]], int]:
    """Entries with options dear to cheap, worths that fall with size, and some room."""
    sizes = draw(st.lists(options, min_size=1, max_size=5))
    worths = [
        sorted(draw(st.lists(WORTH, min_size=len(e), max_size=len(e))), reverse=True) for e in sizes
    ]
    return sizes, worths, draw(st.integers(0, sum(each[0] for each in sizes)))


@given(problems())
def test_what_is_taken_fits(problem: tuple[list[list[int]], list[list[float]], int]) -> None:
    """The options together fit the room, or are the cheapest of each."""
    sizes, worths, room = problem
    chosen = chosen_of(sizes, worths, room)
    spent = sum(each[at] for each, at in zip(sizes, chosen, strict=True))
    assert spent <= max(room, sum(each[-1] for each in sizes))


@given(problems())
def test_within_one_step_of_the_optimum(
    problem: tuple[list[list[int]], list[list[float]], int],
) -> None:
    """The greedy choice is worth at most one step less than the best there is."""
    sizes, worths, room = problem
    if sum(each[-1] for each in sizes) > room:
        return
    chosen = chosen_of(sizes, worths, room)
    got = sum(each[at] for each, at in zip(worths, chosen, strict=True))
    best = max(
        sum(worths[e][at] for e, at in enumerate(combination))
        for combination in product(*(range(len(each)) for each in sizes))
        if sum(sizes[e][at] for e, at in enumerate(combination)) <= room
    )
    steps = [
        rise.gain * rise.tokens
        for size, worth in zip(sizes, worths, strict=True)
        for rise in ascent(size, worth)[1:]
    ]
    assert best - got <= max(steps, default=0.0) + 1e-9


@given(problems())
def test_gains_fall_along_a_hull(problem: tuple[list[list[int]], list[list[float]], int]) -> None:
    """Each step of a hull gains less per token than the one before it, and something."""
    for size, worth in zip(problem[0], problem[1], strict=True):
        slopes = [rise.gain for rise in ascent(size, worth)[1:]]
        assert all(slope > 0 for slope in slopes)
        assert slopes == sorted(slopes, reverse=True)
