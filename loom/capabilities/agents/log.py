"""The events of one store, in their order: looked for, read, added. For any thread.

Theory of operation
-------------------
An event is `bus/000000000012.json`. A writer offers its bytes under the number after the last it
knows. `Store.put` is put-if-absent, so of all who want a number one has it, and the others offer
again under a later one; the numbers are the order, the same for every reader, with no lock and no
clock. What has a name is whole and is never replaced.

No holes. A number is offered only by who saw the one before it taken. A hole is damage: a file that
someone removed, or something under a name that is no file. The end is therefore the first number
from which *two* in a row are free, so that one such hole never hides what comes after it. It is
found by steps that double until one falls past the end, then halving: two probes when nothing is
new. A bus that was mended may begin later than with 1: only then its names are listed, once.

Durable before shown. A writer that dies between naming an event and syncing the folder leaves an
event that others see and a power cut could undo. So a reader syncs the last one of what it read
anew; one sync of the folder holds for all before it.
"""

from __future__ import annotations

from bisect import bisect_left
from contextlib import suppress
from threading import Lock, RLock

from loom.capabilities.agents.event import DAMAGED, FILE_BYTES, BusEvent, decode, encoded
from loom.errors import BadInput, LoomError
from loom.lazy import lazy_re
from loom_paging import MissingPage, OutsideStore, PageExists, PagingError, Store

FOLDER = "bus"
BATCH = 64  # events read at a time
RECENT = 256  # events whose bytes stay in memory, so that who emits need not read
TRIES = 100  # of a write whose temporary file, or folder, someone swept away meanwhile
LARGEST = 10**12 - 1
_EVENT = lazy_re(rf"{FOLDER}/([0-9]{{12}})\.json")


def put(store: Store, name: str, data: bytes) -> None:
    """Put a page where others may sweep or empty the folder at that moment; raises as Store."""
    for _ in range(TRIES - 1):
        with suppress(FileNotFoundError):
            return store.put(name, data)
    return store.put(name, data)


def name_of(number: int) -> str:
    """The name of the event of a number."""
    return f"{FOLDER}/{number:012d}.json"


class EventLog:
    """The events of a store after `begin`, up to `end`, which rises as more become known."""

    def __init__(self, store: Store) -> None:
        self._store, self.begin, self.end = store, 0, 0
        self._recent: dict[int, bytes] = {}
        self._lock, self._taking = RLock(), Lock()
        store.has(name_of(1))  # a bus that leads out of its store is refused here
        if not self._reaches(1):
            found = [int(one[1]) for one in map(_EVENT.fullmatch, store.names(f"{FOLDER}/")) if one]
            self.begin, self.end = min(found, default=1) - 1, max(found, default=0)
        self.look()

    def look(self) -> int:
        """The number of the last event; 0 when there is none."""
        with self._lock:
            low, step = self.end, 1
            while low + step <= LARGEST and self._reaches(low + step):
                low, step = low + step, step * 2
            gap = range(low + 1, low + step)
            self.end = low + bisect_left(gap, True, key=lambda one: not self._reaches(one))
            return self.end

    def event(self, number: int) -> BusEvent:
        """The event of a number up to `end`, or a note that it is damaged."""
        with self._lock:
            if number not in self._recent:
                self._fetch(number)
            data = self._recent[number]
        try:
            return decode(data, number)
        except BadInput as bad:
            return BusEvent(number, DAMAGED, "", f"{name_of(number)}: {bad}", 0)

    def append(self, event: BusEvent, payload: bytes) -> BusEvent:
        """Give an event its number, durably, and return it as every reader sees it."""
        if event.page:
            put(self._store, event.page, payload)
        with self._taking:
            while True:
                number = self.end + 1
                data = encoded(event, number)
                won = True
                try:
                    put(self._store, name_of(number), data)
                except (PageExists, OutsideStore):
                    won = False
                    if self._store.has(FOLDER):
                        why = f"{FOLDER!r} is a file where the bus has a folder: move it away"
                        raise LoomError(why) from None
                with self._lock:
                    self.end = max(self.end, number)
                    if won:
                        self._keep(number, data)
                        return decode(data, number)
                    self.look()

    def _reaches(self, number: int) -> bool:
        return self._taken(number) or self._taken(number + 1)

    def _taken(self, number: int) -> bool:
        """True when something has this number; what leads out of the store takes it too."""
        try:
            return self._store.has(name_of(number))
        except OutsideStore:
            return True

    def _fetch(self, number: int) -> None:
        """Read a number and those after it that are not in memory."""
        last = 0
        for each in range(number, min(number + BATCH - 1, self.end) + 1):
            if each not in self._recent:
                data = b""
                with suppress(MissingPage, OutsideStore, PermissionError):
                    data = self._store.read(name_of(each), 0, FILE_BYTES + 1)
                last = each if 0 < len(data) <= FILE_BYTES else last
                self._keep(each, data)
        if last:  # an equal `put` syncs; a reader without leave to write changes nothing
            with suppress(PagingError, OSError):
                self._store.put(name_of(last), self._recent[last])

    def _keep(self, number: int, data: bytes) -> None:
        self._recent[number] = data
        while len(self._recent) > RECENT:
            del self._recent[next(iter(self._recent))]
