"""The event bus: what the agents of one workspace tell each other, in one order, on any machine.

    emit → page of a large body → the next number in the store → subscribers here
    pump → what others emitted since → subscribers here

An event is durable when `emit` returns, and nobody sees one that is not whole. All that agents
share is the `Store`: no process runs for them, no lock is held between them.

Each subscription has a cursor, the number through which it was served. To deliver through a number
is to take the subscription that is furthest behind, serve the next number to all that stand there,
and go on until none is behind. One thread delivers at a time. Who comes meanwhile, another thread
or a subscriber that emits, leaves its number and goes: the one who delivers takes it along. So a
subscriber never runs twice at once, nor inside itself, and nobody waits for a subscriber. A cursor
moves when the call has returned, or has raised an Exception; what is none (KeyboardInterrupt) ends
the delivery before.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from hashlib import sha256
from threading import Lock
from typing import Any

from msgspec import Struct, json
from msgspec.structs import replace

from loom.capabilities.agents.event import (
    DAMAGED,
    BusEvent,
    PendingEvent,
    checked_agent,
    checked_filter,
    draft,
    matches,
    page_for,
    page_of,
    shown,
)
from loom.capabilities.agents.log import EventLog, put
from loom.errors import BadInput
from loom.redact import SECRETS, Redactor, Rules
from loom.text import one_line
from loom_paging import CorruptPage, PageExists, Store

FAULTS, WHY_CHARS = 64, 200  # kept, the newest; characters of one
OWN_TOPICS = ("agent.spawn", "agent.result")  # that Loom tells itself


class DeliveryFault(Struct, frozen=True):
    """A fault at event `number`: a subscriber raised, or the event is damaged.

    `topic` is what the subscriber asked for, or the topic of the bus's note; `why` is one line of
    at most 200 characters; `error` is what was raised, if anything was.
    """

    number: int
    topic: str
    why: str
    error: BaseException | None = None


class Subscription:
    """One subscriber: served through `cursor`, until `close`."""

    def __init__(self, topic: str, call: Callable[[BusEvent], object], cursor: int) -> None:
        self.topic, self.cursor, self.closed = topic, cursor, False
        self._call = call

    def close(self) -> None:
        """Be called no more; closing again does nothing."""
        self.closed = True

    def serve(self, event: BusEvent) -> None:
        """Be called with an event if it was asked for."""
        if not self.closed and matches(event.topic, (self.topic,)):
            self._call(event)


class EventBus:
    """The bus in `store` as `agent` sees it: events to all, and those addressed to it. Thread-safe.

    The store is shared by all the agents, each with an EventBus of its own. How durable an event
    is, the store decides. Secrets are replaced by the pairs of `redact`, as `loom.open` takes them,
    before anything is written. `faults` keeps the last 64. Raises BadInput for a bad name,
    OutsideStore when `bus/` leads out of the store.
    """

    def __init__(self, store: Store, agent: str, *, redact: Rules = SECRETS) -> None:
        self._redact = Redactor(redact)
        self.agent = checked_agent(self._redact(agent))
        self._store = store
        self._faults: deque[DeliveryFault] = deque(maxlen=FAULTS)
        self._damaged: set[int] = set()  # numbers that were told
        self._log = EventLog(store)
        # The bus's own place, so that it has a cursor when nobody listens.
        self._subscriptions = [Subscription("", lambda event: None, self._log.end)]
        self._through, self._busy, self._lock = self._log.end, False, Lock()

    @property
    def cursor(self) -> int:
        """The number through which every subscriber of this bus was served.

        At opening it is the number of the last event. An agent that keeps it, and subscribes with
        it after a restart, misses nothing. With no subscriber it moves at `pump`.
        """
        with self._lock:
            return min(each.cursor for each in self._open())

    @property
    def faults(self) -> tuple[DeliveryFault, ...]:
        """Errors of subscribers, and damaged events, oldest first."""
        return tuple(self._faults)

    def emit(self, topic: str, body: object = None, *, to: str = "") -> BusEvent:
        """Tell all agents, or the one named, and return the event as they see it: durable.

        `topic` is a dotted name, but agent.spawn and agent.result, which Loom tells itself; `body`
        is what JSON can hold, or bytes. A body over 1,024 bytes rests on a page, and so do bytes of
        any size. Raises BadInput, and what the store raises; the event may then be there or not,
        whole in either case.

        Subscribers of this bus are called before it returns, with what others emitted before it
        first, unless a delivery is under way: that one takes it along.
        """
        if topic in OWN_TOPICS:
            raise BadInput(f"{topic!r} is told by Loom itself: emit it under another topic")
        return self._added(draft(topic, self.agent, body, _now(), to, self._redact))

    def announce(
        self,
        topic: str,
        source: str,
        folder: str,
        readers: tuple[str, ...],
        body: Mapping[str, Any],
        private: Mapping[str, Any],
    ) -> BusEvent | None:
        """Tell that an agent was spawned or has a result, as `emit` does; None when it was told.

        `folder` is the agent's own, within the store of the bus; `source` the agent that tells it,
        `body` for everybody, `private` for the `readers`, by address.
        """
        here = f"{folder}/" if folder else ""
        mark = f"{here}bus/{topic}.json"
        if self._store.has(mark):
            return None
        made = draft(topic, source, dict(body), _now(), "", self._redact)
        whole = draft(topic, source, {**body, **private}, _now(), "", self._redact)
        data = whole.payload or json.encode(whole.event.body)
        event = replace(made.event, page=f"{here}{page_for(data)}", readers=readers)
        told = self._added(PendingEvent(event, data))
        with suppress(PageExists):
            put(self._store, mark, str(told.number).encode())
        return shown(self._store, told, self.agent)

    def _added(self, pending: PendingEvent) -> BusEvent:
        event = self._log.append(pending)
        if len(self._open()) > 1 or event.number == self.cursor + 1:
            try:
                self._reach(event.number)
            except Exception as error:  # the event stands; the next pump delivers it
                why = one_line(f"not delivered yet: {error!r}", WHY_CHARS)
                self._faults.append(DeliveryFault(event.number, event.topic, why, error))
        return event

    def since(
        self, cursor: int = 0, *, topics: Iterable[str] = (), limit: int = 0
    ) -> list[BusEvent]:
        """The events after `cursor` for this agent, in order, the first `limit` of them if given.

        `topics` are topics, or prefixes that end with a dot; none is all. A file that is no event
        comes as a note of topic "bus.damaged", for those who ask for all topics or for "bus.".
        Raises BadInput for a cursor past the end.
        """
        return self.read(cursor, topics=topics, limit=limit)[0]

    def read(
        self, cursor: int = 0, *, topics: Iterable[str] = (), limit: int = 0
    ) -> tuple[list[BusEvent], int]:
        """As `since`, and the cursor to read on from, past what was not asked for."""
        asked = checked_filter(topics)
        end, cursor = self._checked_cursor(cursor), self._log.begin(cursor)
        found: list[BusEvent] = []
        while cursor < end and not (limit and len(found) >= limit):
            event = self._event(cursor + 1)
            cursor = event.number
            if self._mine(event) and matches(event.topic, asked):
                found.append(event)
        return found, cursor

    def payload(self, event: BusEvent) -> Any:
        """The whole body of an event: the JSON value, or bytes where bytes were emitted.

        Raises CorruptPage when its page is not what was written, MissingPage when it is gone.
        """
        if not event.page:
            return event.body
        expected, binary = page_of(event)
        data = self._store.get(event.page)
        found = sha256(data).hexdigest()
        if found != expected:
            raise CorruptPage(event.page, expected, found)
        return data if binary else json.decode(data)

    def subscribe(
        self, topic: str, call: Callable[[BusEvent], object], *, cursor: int | None = None
    ) -> Subscription:
        """Call `call` with each event of `topic` for this agent: from now on, or after `cursor`.

        `topic` is a topic, a prefix that ends with a dot, or "" for all. It is called by whoever
        emits or pumps here, one call at a time, in order; the first time at the next of either.
        An Exception it raises becomes a fault, and the event counts as delivered.
        All that are called share the event's body: it is theirs to read, not to change.
        """
        (asked,) = checked_filter(topic)
        end = self._checked_cursor(cursor or 0)
        start = end if cursor is None else self._log.begin(cursor)
        made = Subscription(asked, call, start)
        with self._lock:
            self._subscriptions = [*self._open(), made]
        return made

    def pump(self) -> int:
        """Look for what others emitted and deliver it, in order; how many events came for us."""
        return self._reach(self._log.look())

    def _reach(self, through: int) -> int:
        """Deliver through a number; how many events were for this agent: 0 where another does."""
        with self._lock:
            self._through = max(self._through, through)
            if self._busy:
                return 0
            self._busy = True
        served = 0
        try:
            while number := self._next():
                served += self._serve(number)
        except BaseException:
            with self._lock:
                self._busy = False
            raise
        return served

    def _open(self) -> list[Subscription]:
        return [each for each in self._subscriptions if not each.closed]

    def _next(self) -> int:
        """The number to serve next; 0 when all is done, and then this thread no longer delivers."""
        with self._lock:
            behind = min(each.cursor for each in self._open())
            self._busy = behind < self._through
            return behind + 1 if self._busy else 0

    def _serve(self, number: int) -> bool:
        with self._lock:
            waiting = [each for each in self._open() if each.cursor == number - 1]
        event = self._event(number)
        mine = self._mine(event)
        for each in waiting:
            try:
                if mine:
                    each.serve(event)
            except Exception as error:
                why = one_line(f"{type(error).__name__}: {error}", WHY_CHARS)
                self._faults.append(DeliveryFault(event.number, each.topic, why, error))
            each.cursor = event.number
        return mine

    def _checked_cursor(self, cursor: int) -> int:
        """The end of the bus; BadInput when `cursor` lies outside of it."""
        end = self._log.look()
        if not 0 <= cursor <= end:
            raise BadInput(
                f"cursor {cursor} is not on this bus, whose last event is {end}: a cursor is the"
                " number of an event of the same bus, or 0"
            )
        return end

    def _mine(self, event: BusEvent) -> bool:
        return event.to in ("", self.agent)

    def _event(self, number: int) -> BusEvent:
        event = self._log.event(number)
        if event.readers:
            return shown(self._store, event, self.agent)
        if event.topic == DAMAGED and number not in self._damaged:
            self._damaged.add(number)
            self._faults.append(DeliveryFault(number, DAMAGED, one_line(event.body, WHY_CHARS)))
        return event


def _now() -> int:
    """Milliseconds since the epoch."""
    return time.time_ns() // 1_000_000
