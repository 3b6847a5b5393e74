"""Values made lately, by the very objects they were made of.

The tries of one cut, and the page of its digest, ask for the same run of entries. Entries are
immutable, so the same objects always give the same value; an undo brings other objects.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Sequence
from operator import is_
from typing import Generic, TypeVar

Made = TypeVar("Made")
KEPT = 4  # values that are remembered: those of the tries of one cut


class Lately(Generic[Made]):
    """The last few values made; `made` counts how many had to be."""

    def __init__(self) -> None:
        self.made = 0
        self._kept: deque[tuple[tuple[object, ...], Hashable, Made]] = deque(maxlen=KEPT)

    def of(
        self, objects: Sequence[object], make: Callable[[], Made], beside: Hashable = None
    ) -> Made:
        """The value that `make` gives for these immutable objects, and for what is equal `beside`
        them; made anew where it is not known."""
        for key, also, value in reversed(tuple(self._kept)):
            if len(key) == len(objects) and also == beside and all(map(is_, key, objects)):
                return value
        value = make()
        self.made += 1
        self._kept.append((tuple(objects), beside, value))
        return value
