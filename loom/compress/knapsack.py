"""The multiple-choice knapsack of `auto`: which option each entry takes under a token target.

Every entry starts at its cheapest option. The options on the upper convex hull of (tokens, worth)
are steps of falling gain per token; the best next step over all entries is taken while it fits.
That is within one step of the optimum. Ties go to the newest entry.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise
from math import inf
from typing import NamedTuple


class Rise(NamedTuple):
    """A step up to an `option` (its number): the worth it gains a token, and its tokens."""

    gain: float
    tokens: int
    option: int


Ascent = list[Rise]  # of an entry: its cheapest option, and the steps up its hull


def choose(ascents: Sequence[Ascent], room: int) -> list[int]:
    """The number of the option taken for each entry; their tokens together fit `room`.

    When even the cheapest options do not fit, they are what is taken.
    """
    chosen = [steps[0].option for steps in ascents]
    spent = sum(steps[0].tokens for steps in ascents)
    heap = [(-steps[1].gain, -at, 1) for at, steps in enumerate(ascents) if len(steps) > 1]
    heapify(heap)
    while heap:
        _, back, number = heappop(heap)
        steps = ascents[-back]
        if spent + steps[number].tokens > room:
            continue
        chosen[-back] = steps[number].option
        spent += steps[number].tokens
        if number + 1 < len(steps):
            heappush(heap, (-steps[number + 1].gain, back, number + 1))
    return chosen


def ascent(sizes: Sequence[int], worths: Sequence[float]) -> Ascent:
    """The way up the convex hull of one entry's options, which are given dear to cheap."""

    def slope(low: int, high: int) -> float:
        return (worths[high] - worths[low]) / (sizes[high] - sizes[low])

    kept: list[int] = []
    for at in range(len(sizes) - 1, -1, -1):
        if kept and worths[at] <= worths[kept[-1]]:
            continue
        while len(kept) >= 2 and slope(kept[-2], kept[-1]) <= slope(kept[-1], at):
            kept.pop()
        kept.append(at)
    steps = (Rise(slope(low, high), sizes[high] - sizes[low], high) for low, high in pairwise(kept))
    return [Rise(inf, sizes[kept[0]], kept[0]), *steps]
