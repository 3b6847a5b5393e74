"""The event bus: what the agents of one workspace tell each other, in one order, on any machine.

    emit → page of a large body → the next number in the store → subscribers here
    pump → what others emitted since → subscribers here

Theory of operation. All that agents share is the `Store`: no process runs for
them, no lock is held between them. An event is `bus/000000000012.json`. A writer offers its bytes
under the number after the last number that it knows. `Store.put` is put-if-absent, so of all
writers that want a number one gets it, and the others offer again under a later number; the numbers
are the order, the same for every reader, with no clock. A stored event is whole and is never
replaced.

A number is offered only by a writer that saw the number before it taken. A hole is damage: a file
that someone removed, or something under a name that is no file. The end is therefore the first
number from which *two* in a row are free, so that one hole never hides what comes after it.

A writer that dies between naming an event and syncing the folder leaves an event that others see
and a power cut could undo. So a reader syncs the last event of those it did not read before: one
sync of the folder holds for all before it.

Each subscription has a cursor, the number through which it was served. To deliver is to serve the
next number to all subscriptions that are furthest behind, until none is behind. One thread delivers
at a time. Another thread, or a subscriber that emits, does not wait for it: the delivering thread
looks again after it let go. So a subscriber never runs twice at once, nor inside itself, and nobody
waits for a subscriber. A cursor moves when the call has returned, or has raised an Exception;
another BaseException (KeyboardInterrupt) ends the delivery before the cursor moves."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from threading import Lock
from typing import Any

from msgspec.structs import replace

from loom.capabilities.agents.event import (
    DAMAGED,
    FILE_BYTES,
    BusEvent,
    announcement_for_reader,
    body_as_json,
    checked_agent,
    checked_filter,
    decode_event,
    draft_event,
    encode_event,
    new_page_name,
    topic_matches,
    whole_body,
)
from loom.errors import BadInput, LoomError
from loom.lazy import lazy_re
from loom.redact import SECRETS, Redactor, Rules
from loom_paging import MissingPage, OutsideStore, PageExists, PagingError, Store

FOLDER = "bus"
OWN_TOPICS = ("agent.spawn", "agent.result")  # that Loom tells itself
LOG = logging.getLogger("loom")
_EVENT = lazy_re(rf"{FOLDER}/([0-9]{{12}})\.json")


def _event_name(number: int) -> str:
    return f"{FOLDER}/{number:012d}.json"


class Subscription:
    """A subscription to an event bus. `call` is called with each event of `topic`, until `close`.
    `cursor` is the number of the last event handled."""

    def __init__(self, topic: str, call: Callable[[BusEvent], object], cursor: int) -> None:
        self.topic, self.call, self.cursor, self.closed = topic, call, cursor, False

    def close(self) -> None:
        """End the subscription. Closing twice is allowed."""
        self.closed = True


class EventBus:
    """An event bus: agents send each other events through files in `store`. Thread-safe.

    Each agent makes its own EventBus over the same store; the bus of `agent` gives the events for
    `agent` and for all agents. Secrets are replaced by the rules `redact`. Raises BadInput for a
    bad name, OutsideStore if `bus/` leads out of the store."""

    def __init__(self, store: Store, agent: str, *, redact: Rules = SECRETS) -> None:
        self._redact = Redactor(redact)
        self.agent = checked_agent(self._redact(agent))
        self._store, self._durable = store, 0
        store.has(_event_name(1))  # a bus that leads out of its store is refused here
        named = map(_EVENT.fullmatch, sorted(store.names(f"{FOLDER}/")))
        found = [int(one[1]) for one in named if one]
        self._begin = self._end = found[0] - 1 if found and found[0] > 2 else 0  # if mended
        for number in found:  # a stray file further on is no event
            self._end = number if number <= self._end + 2 else self._end
        self._noting, self._emitting, self._delivering = Lock(), Lock(), Lock()
        self._find_end()
        self._own = Subscription("", lambda event: None, self._end)  # for when nobody listens
        self._subscriptions = [self._own]

    @property
    def cursor(self) -> int:
        """Return the number of the last event that all subscribers of this bus have handled.

        Pass this number to `subscribe` after a restart to miss no event. A new bus begins at the
        last event in the store; without subscribers, `pump` raises the number."""
        return min(each.cursor for each in self._subscribers())

    def emit(self, topic: str, body: object = None, *, to: str = "") -> BusEvent:
        """Store an event and return it. The event is for all agents, or only for the agent `to`.

        `topic` is a dotted name; agent.spawn and agent.result are refused. `body` is a JSON value
        or bytes; all bytes, and JSON over 1,024 bytes, are stored on a page. Raises BadInput, and
        errors of the store; after an error the event is stored whole or not at all.

        Before `emit` returns, subscribers of this bus get all events up to this one. If another
        thread is delivering events, that thread delivers this event too, and `emit` does not wait.
        """
        if topic in OWN_TOPICS:
            raise BadInput(f"{topic!r} is told by Loom itself: emit it under another topic")
        return self._append_event(*draft_event(topic, self.agent, body, to, self._redact))

    def announce(
        self,
        topic: str,
        source: str,
        folder: str,
        readers: tuple[str, ...],
        body: Mapping[str, Any],
        private: Mapping[str, Any],
    ) -> None:
        """Send Loom's own event that an agent was spawned or has a result, unless already sent.

        `source` is the sending agent, `folder` the store folder of the agent that the event is
        about. All agents see `body`; only agents with an address in `readers` see `private`."""
        here = f"{folder}/" if folder else ""
        mark = f"{here}bus/{topic}.json"
        if not self._store.has(mark):
            event, _ = draft_event(topic, source, dict(body), "", self._redact)
            data = body_as_json({**body, **private}, self._redact)
            page = new_page_name(data, folder=here)
            told = self._append_event(replace(event, page=page, readers=readers), data)
            with suppress(PageExists):
                self._store.put(mark, str(told.number).encode())

    def _append_event(self, event: BusEvent, payload: bytes) -> BusEvent:
        """Store `payload` and `event`, deliver the event, and return it with its number."""
        if event.page:
            self._store.put(event.page, payload)
        with self._emitting:
            while True:
                number = self._end + 1
                data = encode_event(event, number)
                try:
                    self._store.put(_event_name(number), data)
                    break
                except (PageExists, OutsideStore):
                    if self._store.has(FOLDER):
                        raise LoomError(f"{FOLDER!r} is a file: move it away") from None
                self._advance_end(number)
                self._find_end()
            self._durable = self._advance_end(number)
        try:
            if self._subscribers() == [self._own]:
                self._own.cursor += number == self._own.cursor + 1
            else:
                self._deliver()
        except Exception:  # the event stands; the next pump delivers it
            LOG.exception("event %d of the bus is not delivered yet", number)
        return decode_event(data, number)

    def _advance_end(self, number: int) -> int:
        """Raise the last known event number to `number`, never lower it. Return `number`."""
        with self._noting:
            self._end = max(self._end, number)
        return number

    def _find_end(self) -> int:
        """Return the number of the last event in the store; 0 when the store has no event."""
        end = self._end
        while self._is_taken(end + 1) or self._is_taken(end + 2):
            end += 1
        return self._advance_end(end)

    def _is_taken(self, number: int) -> bool:
        """Return True when a file of this event number exists, or is a link out of the store."""
        try:
            return self._store.has(_event_name(number))
        except OutsideStore:
            return True

    def _event_bytes(self, number: int) -> bytes:
        """Return the stored bytes of an event, at most FILE_BYTES + 1; b"" when unreadable."""
        with suppress(MissingPage, OutsideStore, PermissionError):
            return self._store.read(_event_name(number), 0, FILE_BYTES + 1)
        return b""

    def since(self, cursor: int = 0, *, topics: Iterable[str] = ()) -> list[BusEvent]:
        """Return the events for this agent whose number is above `cursor`, in order.

        `topics` are topics, or prefixes such as "build."; () means all. A damaged event file gives
        an event of topic "bus.damaged". Raises BadInput for a `cursor` above the last event's
        number."""
        asked = checked_filter(topics)
        numbers = range(max(cursor, self._begin) + 1, self._checked_end(cursor) + 1)
        found = map(self._event_or_note, numbers)
        return [one for one in found if self._is_for(one, asked)]

    def payload(self, event: BusEvent) -> Any:
        """Return an event's whole body: a JSON value or bytes. Raises CorruptPage, MissingPage."""
        return whole_body(event, self._store.get)

    def subscribe(
        self, topic: str, call: Callable[[BusEvent], object], *, cursor: int | None = None
    ) -> Subscription:
        """Call `call` with each event of `topic` for this agent whose number is above `cursor`;
        None means from now on.

        `topic` is a topic, a prefix such as "build.", or "" for all. `emit` and `pump` of this bus
        deliver events in the thread that calls `emit` or `pump`, one event at a time, in order. An
        Exception of `call` is logged, and the event counts as delivered. `call` must not change the
        body."""
        (asked,) = checked_filter(topic)
        end = self._checked_end(cursor or 0)
        made = Subscription(asked, call, end if cursor is None else max(cursor, self._begin))
        with self._noting:
            self._subscriptions = [*self._subscribers(), made]
        return made

    def pump(self) -> int:
        """Deliver all events not delivered yet, in order. Return how many were for this agent."""
        self._find_end()
        return self._deliver()

    def _deliver(self) -> int:
        """Deliver all events. Return how many were for this agent; 0 if another thread delivers."""
        served, held = 0, True
        while held and self.cursor < self._end:
            held = False
            try:  # an interrupt lets go of it too
                held = self._delivering.acquire(blocking=False)
                while held and (behind := self.cursor) < self._end:
                    served += self._serve_event(behind + 1)
            finally:
                if held:
                    self._delivering.release()
        return served

    def _subscribers(self) -> list[Subscription]:
        return [each for each in self._subscriptions if not each.closed]

    def _serve_event(self, number: int) -> bool:
        """Deliver event `number` to subscribers. Return True if the event is for this agent."""
        waiting = [each for each in self._subscribers() if each.cursor == number - 1]
        event = self._event_or_note(number)
        for each in waiting:
            try:
                if not each.closed and self._is_for(event, (each.topic,)):
                    each.call(event)
            except Exception:
                LOG.exception("a subscriber of %r failed at event %d", each.topic, number)
            each.cursor = number
        return self._is_for(event, ())

    def _is_for(self, event: BusEvent, topics: tuple[str, ...]) -> bool:
        return event.to in ("", self.agent) and topic_matches(event.topic, topics)

    def _checked_end(self, cursor: int) -> int:
        """Return the last event's number. Raises BadInput if `cursor` is below 0 or above it."""
        end = self._find_end()
        if not 0 <= cursor <= end:
            raise BadInput(
                f"cursor {cursor} is not on this bus, whose last event is {end}: a cursor is the"
                " number of an event of the same bus, or 0"
            )
        return end

    def _event_or_note(self, number: int) -> BusEvent:
        """Return event `number` as this agent may see it; for a damaged event file an event of
        topic "bus.damaged"."""
        end = self._end
        if number > self._durable and (data := self._event_bytes(end)):
            # An equal `put` syncs; a reader without leave to write changes nothing.
            with suppress(PagingError, OSError):
                self._store.put(_event_name(end), data)
        self._durable = max(self._durable, end)
        try:
            event = decode_event(self._event_bytes(number), number)
        except BadInput as bad:
            return BusEvent(number, DAMAGED, "", f"{_event_name(number)}: {bad}", 0)
        if self.agent not in event.readers:
            return replace(event, page="", readers=()) if event.readers else event
        with suppress(PagingError, OSError):
            return announcement_for_reader(event, self._store.get(event.page))
        return event
