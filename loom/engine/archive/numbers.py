"""Numbers by number, kept in arrays: a session of weeks has a hundred thousand of each.

Entries, requests and commits are counted up, so nearly every number of a range is a key. A value in
an array takes eight bytes; in a dict it takes more than a hundred.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat


class Numbers(Mapping[int, int]):
    """Positive numbers by number, in the order of the keys."""

    def __init__(self) -> None:
        self._first = 0  # the key of the first
        self._held = array("q")  # 0 for none
        self._count = 0

    def put(self, key: int, value: int) -> None:
        """Let this be the value of a key."""
        if not self._held:
            self._first = key
        at = key - self._first
        if at < 0:
            self._held = array("q", repeat(0, -at)) + self._held
            self._first, at = key, 0
        self._held.extend(repeat(0, at + 1 - len(self._held)))
        self._count += not self._held[at]
        self._held[at] = value

    def __getitem__(self, key: int) -> int:
        at = key - self._first
        value = self._held[at] if 0 <= at < len(self._held) else 0
        if not value:
            raise KeyError(key)
        return value

    def __iter__(self) -> Iterator[int]:
        return (key for key, value in enumerate(self._held, self._first) if value)

    def __reversed__(self) -> Iterator[int]:
        held, first = self._held, self._first
        return (first + at for at in range(len(held) - 1, -1, -1) if held[at])

    def __len__(self) -> int:
        return self._count


class EntryCommits(Mapping[int, Sequence[int]]):
    """By entry the commits that tell of it, oldest first: nearly always one right after another."""

    def __init__(self) -> None:
        self._first = Numbers()
        self._last = Numbers()
        self._apart: dict[int, list[int]] = {}  # all commits of those that came in several runs

    def add(self, entry: int, number: int) -> None:
        """Say that a commit tells of an entry; the same commit again is a no-op."""
        last = self._last.get(entry, 0)
        if last == number:
            return
        if not last:
            self._first.put(entry, number)
        elif entry in self._apart or number != last + 1:
            self._apart.setdefault(entry, [*self[entry]]).append(number)
        self._last.put(entry, number)

    def __getitem__(self, entry: int) -> Sequence[int]:
        return self._apart.get(entry) or range(self._first[entry], self._last[entry] + 1)

    def __iter__(self) -> Iterator[int]:
        return iter(self._first)

    def __reversed__(self) -> Iterator[int]:
        return reversed(self._first)

    def __len__(self) -> int:
        return len(self._first)
