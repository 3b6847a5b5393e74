"""From scores to the memories that are shown: live ones, best first, recency among near equals.

A score is brought to hundredths of the best one (GRADES); within a grade the newest stands first.
So a newer memory passes an older one only where the scores hardly tell them apart. Memories are
read as they are needed: how many of a hundred thousand hits are dead does not matter, only how
many of them stand before the last one shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice

from loom.capabilities.memory.longterm.memory_item import MemoryItem, Scored

GRADES = 100
POOL = 64  # live hits that are graded, when fewer are asked for
BATCH = 64  # memories read at once

Read = Callable[[Iterable[int]], Mapping[int, MemoryItem]]


def best(
    ranked: Iterable[tuple[int, float]], read: Read, fits: Callable[[MemoryItem], bool], limit: int
) -> list[Scored]:
    """The `limit` best memories that fit. `ranked` is (id, score), best first."""
    found = (one for one in _scored(iter(ranked), read) if fits(one.memory))
    pool = list(islice(found, max(limit, POOL)))
    top = pool[0].score if pool else 0.0

    def order(one: Scored) -> tuple[int, float, int]:
        grade = round(one.score / top * GRADES) if top > 0 else 0
        return -grade, -one.memory.saved, -one.memory.id

    return sorted(pool, key=order)[:limit]


def _scored(ranked: Iterator[tuple[int, float]], read: Read) -> Iterator[Scored]:
    while batch := dict(islice(ranked, BATCH)):
        memories = read(batch)
        yield from (Scored(memories[id], batch[id]) for id in batch if id in memories)
