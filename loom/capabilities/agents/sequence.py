"""Numbered objects in a store, `<folder>/000000000001.json` and on: the order of many writers.

Theory of operation
-------------------
A writer offers its bytes under the number after the last it knows. `Store.put` is put-if-absent,
so of all who want a number one has it, and the others offer again under a later one; the numbers
are the order, the same for every reader, with no lock and no clock. What has a name is whole and
is never replaced.

No holes. A number is offered only by who saw the one before it taken, so numbers are taken one
after the other, and nothing but a trim may remove an event. A hole is damage: a file that someone
removed, or something under a name that is no file. The end is therefore the first number from
which *two* in a row are free, so that one such hole never hides what comes after it.

Finding the end from a number that is known: steps that double until one falls past the end, then
halving; about 2·log2(distance) numbers are probed, and two when nothing is new. Nothing is listed.
"""

from __future__ import annotations

from contextlib import suppress

from loom.errors import LoomError
from loom_paging import MissingPage, OutsideStore, PageExists, PagingError, Store
from loom_paging.names import parents

TRIES = 100  # of a write whose temporary file, or folder, someone swept away meanwhile
LARGEST = 10**12 - 1


def put(store: Store, name: str, data: bytes) -> None:
    """Put a page where others may sweep or empty the folder at that moment; raises as Store."""
    for _ in range(TRIES - 1):
        with suppress(FileNotFoundError):
            return store.put(name, data)
    return store.put(name, data)


class Sequence:
    """The numbered objects in one folder of a store. Holds nothing; for any thread."""

    def __init__(self, store: Store, folder: str) -> None:
        self._store = store
        self._folder = folder

    def name(self, number: int) -> str:
        """The name of what has this number."""
        return f"{self._folder}/{number:012d}.json"

    def taken(self, number: int) -> bool:
        """True when something has this number; what leads out of the store takes it too."""
        try:
            return self._store.has(self.name(number))
        except OutsideStore:
            return True

    def offer(self, number: int, data: bytes) -> bool:
        """Take `number`, durably; False when it is taken. Bytes must be unique to their writer.

        Raises LoomError where no number can be taken, since the folder is a file.
        """
        name = self.name(number)
        try:
            put(self._store, name, data)
        except (PageExists, OutsideStore):
            blocks = [] if self.taken(number) else [*filter(self._store.has, parents(name))]
            if blocks:
                raise LoomError(
                    f"{blocks[0]!r} is a file where the bus has a folder: move it away"
                ) from None
            return False
        return True

    def end(self, known: int) -> int:
        """The last number taken, `known` or later; `known` is taken, or 0."""
        low, step = known, 1
        while low + step <= LARGEST and self._reaches(low + step):
            low, step = low + step, step * 2
        high = low + step
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._reaches(middle) else (low, middle)
        return low

    def _reaches(self, number: int) -> bool:
        return self.taken(number) or self.taken(number + 1)

    def read(self, number: int, limit: int) -> bytes:
        """Up to `limit` bytes of what has this number; none where nothing can be read."""
        try:
            return self._store.read(self.name(number), 0, limit)
        except (MissingPage, OutsideStore, PermissionError):
            return b""

    def remove(self, number: int) -> None:
        """Forget what has this number; nothing there: no-op."""
        with suppress(MissingPage, OutsideStore, FileNotFoundError):
            self._store.delete(self.name(number))

    def secure(self, number: int, data: bytes) -> None:
        """Make a name that another writer may not have synced yet outlive a crash, if it can be.

        An equal `put` syncs; a reader without leave to write, or one too late, changes nothing.
        """
        with suppress(PagingError, OSError):
            self._store.put(self.name(number), data)
