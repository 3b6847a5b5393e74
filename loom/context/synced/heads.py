"""How much two lists have in common from the first item on."""

from __future__ import annotations

from typing import Any


def same_head(one: list[Any], other: list[Any]) -> int:
    """How many items at the head are equal.

    Lists are compared by the interpreter, whole where they are equal and by halves where not: for
    10,000 items that is a handful of comparisons and no loop over them.
    """
    low, high = 0, min(len(one), len(other))
    if _equal(one[:high], other[:high]):
        return high
    while low < high:
        middle = (low + high + 1) // 2
        if _equal(one[low:middle], other[low:middle]):
            low = middle
        else:
            high = middle - 1
    return low


def _equal(one: object, other: object) -> bool:
    try:
        return bool(one == other)
    except Exception:  # a class of the host's may compare as it likes
        return False
