"""The events of one store, in their order: looked for, read, added, trimmed. For any thread.

Theory of operation
-------------------
`bus/` is a `Sequence` of events, `bus/trims/` one of marks: each says which event is the first
that is kept. A trim puts its mark first and removes events after, so a number below the newest
mark is gone, whatever may still lie there, and a missing file above it is damage.

The mark also guards against who slept. A writer that knows an end long past finds its next number
free again, because what had it was trimmed, and wins it. So after each win the marks are looked
at. Below them lies either such a number, which is none, and the event is taken away and offered at
the real end; or an event that was rightly there, perhaps was read, and was trimmed since, which
must not come twice. The mark tells one from the other: it names, for every writer, the last of its
events among those trimmed, and was put before any number was free again. A reader looks at the
marks after it has read, and gives out nothing below them, so it never shows what a sleeper left.

Durable before shown. A writer that dies between naming an event and syncing the folder leaves an
event that others see and a power cut could undo. So a reader syncs the last one of what it read
anew; one sync of the folder holds for all before it.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from threading import Lock, RLock

from msgspec import MsgspecError, Struct, json

from loom.capabilities.agents.event import (
    DAMAGED,
    FILE_BYTES,
    TRIMMED,
    BadEvent,
    BusEvent,
    PendingEvent,
    decode,
)
from loom.capabilities.agents.sequence import Sequence, put
from loom.errors import LoomError
from loom.lazy import lazy_re
from loom_paging import PagingError, Store

FOLDER, TRIMS = "bus", "bus/trims"
BATCH = 64  # events read between two looks at the marks
MARK_BYTES = 1 << 24  # about half a million writers
RECENT = 256  # events whose bytes stay in memory, so that who emits need not read
_EVENT = lazy_re(rf"{FOLDER}/([0-9]{{12}})\.json")


class Missed(LoomError):
    """Events after `cursor` were trimmed before they were read; `first` is the first still kept."""

    def __init__(self, cursor: int, first: int) -> None:
        self.cursor = cursor
        self.first = first
        super().__init__(
            f"{first - 1 - cursor:,} events after cursor {cursor} were trimmed; the first kept is"
            f" {first}: read on from cursor {first - 1}, and learn what was missed from its sources"
        )

    def note(self) -> BusEvent:
        """An event that says so, under the last number missed."""
        body = {"first": self.first, "missed": self.first - 1 - self.cursor}
        return BusEvent(self.first - 1, TRIMMED, "", body, 0)


class TrimMark(Struct, frozen=True):
    """One trim: of the events from `start`, `first` is the first kept.

    `writers` has the count of the last one trimmed of each; `source` trimmed, at `at` (ms); the
    nonce makes the bytes unique.
    """

    start: int
    first: int
    writers: dict[str, int]
    source: str
    at: int
    nonce: str


class EventLog:
    """Events `first` to `end` of a store; both rise only, as they become known."""

    def __init__(self, store: Store) -> None:
        self.first, self.end = 1, 0
        self._store = store
        self._events, self._trims = Sequence(store, FOLDER), Sequence(store, TRIMS)
        self._mark = 0  # the newest mark known
        self._recent: dict[int, bytes] = {}
        self._writer, self._process, self._count = secrets.token_hex(8), os.getpid(), 0
        self._lock, self._taking = RLock(), Lock()
        store.has(self._events.name(1))  # a bus that leads out of its store is refused here
        self.look()
        self.look()  # a trim may have overtaken the first look

    def look(self) -> int:
        """The number of the last event; 0 when there is none."""
        with self._lock:
            self._look_at_marks()
            self.end = self._events.end(max(self.end, self.first - 1))
            return self.end

    def event(self, number: int) -> BusEvent:
        """The event of a number up to `end`, or a note that it is damaged. Raises Missed."""
        with self._lock:
            if number >= self.first and number not in self._recent:
                self._fetch(number)
            if number < self.first:
                raise Missed(number - 1, self.first)
            data = self._recent.get(number, b"")
        try:
            return decode(data, number).event
        except BadEvent as bad:
            return BusEvent(number, DAMAGED, "", f"{self._events.name(number)}: {bad}", 0)

    def append(self, draft: PendingEvent) -> BusEvent:
        """Give a draft its number, durably, and return the event as every reader sees it."""
        if draft.event.page:
            put(self._store, draft.event.page, draft.payload)
        with self._taking:
            self._count += 1
            if self._process != os.getpid():  # a fork is a writer of its own
                self._writer, self._process = secrets.token_hex(8), os.getpid()
            while True:
                number = self.end + 1
                data = draft.encode(number, self._writer, self._count)
                won = self._events.offer(number, data)
                with self._lock:
                    self.end = max(self.end, number)
                    self._look_at_marks()
                    if won and (number >= self.first or self._was_trimmed(number)):
                        self._keep(number, data)
                        return decode(data, number).event
                    if won:
                        self._events.remove(number)
                    self.look()

    def _was_trimmed(self, number: int) -> bool:
        """True when the newest event of this writer had that number when it was trimmed."""
        for newest in range(self._mark, 0, -1):
            mark = self._mark_of(newest)
            if mark and mark.start <= number < mark.first:
                return mark.writers.get(self._writer, 0) >= self._count
        return False

    def trim(self, before: int, source: str, at: int) -> int:
        """Forget the events below `before`, but never the last one; how many that were."""
        while True:
            with self._lock:
                before, start, newest = min(before, self.look()), self.first, self._mark + 1
            if before <= start:
                return 0
            writers, pages = self._survey(range(start, before))
            mark = TrimMark(start, before, writers, source, at, secrets.token_hex(8))
            won = self._trims.offer(newest, json.encode(mark))
            with self._lock:
                if not self._look_at_marks() and self._mark < newest:
                    self._mark = newest  # taken by what is no file
            if won:
                break
        rest = start
        while rest > 1 and self._events.taken(rest - 1):  # what a killed trim left
            rest -= 1
        for page in pages + self._survey(range(rest, start))[1]:
            with suppress(PagingError, FileNotFoundError):
                self._store.delete(page)
        for number in range(rest, before):  # after their pages, so that what is left leads to all
            self._events.remove(number)
        return before - start

    def _survey(self, numbers: range) -> tuple[dict[str, int], list[str]]:
        """The last count of each writer among these events, and their pages."""
        writers: dict[str, int] = {}
        pages: list[str] = []
        for number in numbers:
            with suppress(BadEvent):
                found = decode(self._events.read(number, FILE_BYTES + 1), number)
                writers[found.writer] = max(found.count, writers.get(found.writer, 0))
                pages += filter(None, [found.event.page])
        return writers, pages

    def _look_at_marks(self) -> bool:
        """Learn of the trims since the last look; whether there were any."""
        newest = self._trims.end(self._mark)
        if newest == self._mark:
            return False
        self._mark, self.first = newest, max(self.first, self._first_by(newest))
        for number in [number for number in self._recent if number < self.first]:
            del self._recent[number]
        return True

    def _first_by(self, mark: int) -> int:
        """The first event a mark keeps; of a damaged mark, the first there is, by listing once."""
        found = self._mark_of(mark)
        if found:
            return found.first
        numbers = map(_EVENT.fullmatch, self._store.names(f"{FOLDER}/"))
        return min((int(each[1]) for each in numbers if each), default=1)

    def _mark_of(self, number: int) -> TrimMark | None:
        """A mark; None when it is damaged."""
        try:
            return json.decode(self._trims.read(number, MARK_BYTES), type=TrimMark)
        except (MsgspecError, UnicodeDecodeError, RecursionError):
            return None

    def _fetch(self, number: int) -> None:
        """Read a number and those after it that are not in memory."""
        span = range(number, min(number + BATCH - 1, self.end) + 1)
        found = {
            each: self._events.read(each, FILE_BYTES + 1)
            for each in span
            if each not in self._recent
        }
        self._look_at_marks()
        last = max((n for n, data in found.items() if 0 < len(data) <= FILE_BYTES), default=0)
        if last >= self.first:
            self._events.secure(last, found[last])
        for each, data in found.items():
            self._keep(each, data)

    def _keep(self, number: int, data: bytes) -> None:
        if number >= self.first:
            self._recent[number] = data
        while len(self._recent) > RECENT:
            del self._recent[next(iter(self._recent))]
