"""The event bus: what the agents of one workspace tell each other, in one order, on any machine.

    emit → page of a large body → the next number in the store → subscribers here
    pump → what others emitted since → subscribers here

An event is durable when `emit` returns, and nobody sees one that is not whole. All that agents
share is the `Store`: no process runs for them, no lock is held between them.

Each subscription has a cursor, the number through which it was served. To deliver is to take the
subscription that is furthest behind, serve the next number to all that stand there, and go on until
none is behind. One thread delivers at a time. Who comes meanwhile, another thread or a subscriber
that emits, goes: the one who delivers looks again after it let go. So a subscriber never runs twice
at once, nor inside itself, and nobody waits for a subscriber. A cursor moves when the call has
returned, or has raised an Exception; what is none (KeyboardInterrupt) ends the delivery before.
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
    as_json,
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
from loom_paging import CorruptPage, PageExists, PagingError, Store

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
        self.topic, self.call, self.cursor, self.closed = topic, call, cursor, False

    def close(self) -> None:
        """Be called no more; closing again does nothing."""
        self.closed = True


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
        self._store, self._log = store, EventLog(store)
        self._faults: deque[DeliveryFault] = deque(maxlen=FAULTS)
        self._damaged: set[int] = set()  # numbers that were told
        # The bus's own place, so that it has a cursor when nobody listens.
        self._subscriptions = [Subscription("", lambda event: None, self._log.end)]
        self._adding, self._delivering = Lock(), Lock()

    @property
    def cursor(self) -> int:
        """The number through which every subscriber of this bus was served.

        At opening it is the number of the last event. An agent that keeps it, and subscribes with
        it after a restart, misses nothing. With no subscriber it moves at `pump`.
        """
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
        return self._added(*draft(topic, self.agent, body, _now(), to, self._redact))

    def announce(
        self,
        topic: str,
        source: str,
        folder: str,
        readers: tuple[str, ...],
        body: Mapping[str, Any],
        private: Mapping[str, Any],
    ) -> None:
        """Tell that an agent was spawned or has a result, once.

        `folder` is the agent's own, within the store of the bus; `source` the agent that tells it,
        `body` for everybody, `private` for the `readers`, by address.
        """
        here = f"{folder}/" if folder else ""
        mark = f"{here}bus/{topic}.json"
        if not self._store.has(mark):
            event, _ = draft(topic, source, dict(body), _now(), "", self._redact)
            data = as_json({**body, **private}, self._redact)
            page = page_for(data, folder=here)
            told = self._added(replace(event, page=page, readers=readers), data)
            with suppress(PageExists):
                put(self._store, mark, str(told.number).encode())

    def _added(self, draft: BusEvent, payload: bytes) -> BusEvent:
        event = self._log.append(draft, payload)
        if len(self._open()) > 1 or event.number == self.cursor + 1:
            try:
                self._deliver()
            except Exception as error:  # the event stands; the next pump delivers it
                self._fault(event, event.topic, f"not delivered yet: {error!r}", error)
        return event

    def since(self, cursor: int = 0, *, topics: Iterable[str] = ()) -> list[BusEvent]:
        """The events after `cursor` for this agent, in order.

        `topics` are topics, or prefixes that end with a dot; none is all. A file that is no event
        comes as a note of topic "bus.damaged", for those who ask for all topics or for "bus.".
        Raises BadInput for a cursor past the end.
        """
        asked = checked_filter(topics)
        numbers = range(max(cursor, self._log.begin) + 1, self._end_after(cursor) + 1)
        found = map(self._event, numbers)
        return [one for one in found if self._mine(one) and matches(one.topic, asked)]

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
        end = self._end_after(cursor or 0)
        made = Subscription(asked, call, end if cursor is None else max(cursor, self._log.begin))
        with self._adding:
            self._subscriptions = [*self._open(), made]
        return made

    def pump(self) -> int:
        """Look for what others emitted and deliver it, in order; how many events came for us."""
        self._log.look()
        return self._deliver()

    def _deliver(self) -> int:
        """Deliver through the end; how many events were for this agent: 0 where another does."""
        served = 0
        while self.cursor < self._log.end and self._delivering.acquire(blocking=False):
            try:
                while (behind := self.cursor) < self._log.end:
                    served += self._serve(behind + 1)
            finally:
                self._delivering.release()
        return served

    def _open(self) -> list[Subscription]:
        return [each for each in self._subscriptions if not each.closed]

    def _serve(self, number: int) -> bool:
        waiting = [each for each in self._open() if each.cursor == number - 1]
        event = self._event(number)
        mine = self._mine(event)
        for each in waiting:
            try:
                if mine and not each.closed and matches(event.topic, (each.topic,)):
                    each.call(event)
            except Exception as error:
                self._fault(event, each.topic, f"{type(error).__name__}: {error}", error)
            each.cursor = number
        return mine

    def _fault(self, event: BusEvent, topic: str, why: str, error: Exception | None = None) -> None:
        self._faults.append(DeliveryFault(event.number, topic, one_line(why, WHY_CHARS), error))

    def _end_after(self, cursor: int) -> int:
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
            data = b""
            if self.agent in event.readers:
                with suppress(PagingError, OSError):
                    data = self._store.get(event.page)
            return shown(event, self.agent, data)
        if event.topic == DAMAGED and number not in self._damaged:
            self._damaged.add(number)
            self._fault(event, DAMAGED, event.body)
        return event


def _now() -> int:
    """Milliseconds since the epoch."""
    return time.time_ns() // 1_000_000
