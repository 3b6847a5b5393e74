"""The multiple-choice knapsack of `auto`: which option each entry takes under a token target.

Every entry starts at its cheapest option. The options on the upper convex hull of (tokens, worth)
are steps of falling gain per token; the best next step over all entries is taken while it fits.
That is within one step of the optimum. Ties go to the newest entry.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise

Sizes = Sequence[int]  # tokens of an entry's options, dear to cheap
Worths = Sequence[float]  # what each of them keeps, on the same scale for all entries

Hull = list[tuple[int, int]]  # steps (from, to) up the hull of an entry's options


def choose(
    sizes: Sequence[Sizes],
    worths: Sequence[Worths],
    room: int,
    hulls: Sequence[Hull] | None = None,
) -> list[int]:
    """The number of the option taken for each entry; their tokens together fit `room`.

    When even the cheapest options do not fit, they are what is taken. `hulls` are those of the
    entries, where they are known.
    """
    chosen = [len(each) - 1 for each in sizes]
    spent = sum(each[-1] for each in sizes)
    steps = hulls or [hull(size, worth) for size, worth in zip(sizes, worths, strict=True)]
    firsts = (_next(at, 0, sizes, worths, steps) for at in range(len(sizes)))
    heap = [first for first in firsts if first]
    heapify(heap)
    while heap:
        _, back, taken = heappop(heap)
        at = -back
        low, high = steps[at][taken]
        cost = sizes[at][high] - sizes[at][low]
        if spent + cost > room:
            continue
        chosen[at] = high
        spent += cost
        following = _next(at, taken + 1, sizes, worths, steps)
        if following:
            heappush(heap, following)
    return chosen


def _next(
    at: int,
    number: int,
    sizes: Sequence[Sizes],
    worths: Sequence[Worths],
    steps: Sequence[Hull],
) -> tuple[float, int, int] | None:
    """Step `number` of entry `at` as a heap item: the best gain first, then the newest entry."""
    if number >= len(steps[at]):
        return None
    low, high = steps[at][number]
    gain = worths[at][high] - worths[at][low]
    cost = sizes[at][high] - sizes[at][low]
    return (-gain / cost, -at, number)


def hull(sizes: Sizes, worths: Worths) -> Hull:
    """Steps (from, to) up the convex hull of one entry's options, cheapest first."""
    kept: list[int] = []
    for at in range(len(sizes) - 1, -1, -1):
        if kept and worths[at] <= worths[kept[-1]]:
            continue
        while len(kept) >= 2 and _slope(sizes, worths, kept[-2], kept[-1]) <= _slope(
            sizes, worths, kept[-1], at
        ):
            kept.pop()
        kept.append(at)
    return list(pairwise(kept))


def _slope(sizes: Sizes, worths: Worths, low: int, high: int) -> float:
    return (worths[high] - worths[low]) / (sizes[high] - sizes[low])
