"""Delivery: a subscriber is called with every event it asked for, once, in the order of numbers.

Theory of operation
-------------------
Each subscription has a cursor, the number through which it was served. To deliver through a number
is to take the subscription that is furthest behind, serve the next number to all that stand there,
and go on until none is behind. One thread delivers at a time. Who comes meanwhile, another thread
or a subscriber that emits, leaves its number and goes: the one who delivers takes it along. So a
subscriber never runs twice at once, nor inside itself, and nobody waits for a subscriber.

A cursor moves when the call has returned, or has raised an Exception, which is kept as a fault.
What is no Exception (KeyboardInterrupt) ends the delivery before the cursor moves: that subscriber
and those after it get the event again.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

from msgspec import Struct

from loom.capabilities.agents.event import BusEvent, matches
from loom.text import one_line

WHY_CHARS = 200


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


class Delivery:
    """The subscriptions of one bus; `event` reads a number, `mine` says whom it is for."""

    def __init__(
        self,
        event: Callable[[int], BusEvent],
        mine: Callable[[BusEvent], bool],
        told: Callable[[DeliveryFault], None],
        cursor: int,
    ) -> None:
        self._event, self._mine, self._told = event, mine, told
        # The bus's own place, so that it has a cursor when nobody listens.
        self._subscriptions = [Subscription("", lambda event: None, cursor)]
        self._through = cursor
        self._busy = False
        self._lock = Lock()

    @property
    def cursor(self) -> int:
        """The number through which every subscriber was served."""
        with self._lock:
            return min(each.cursor for each in self._open())

    @property
    def listening(self) -> bool:
        """True when anyone subscribed."""
        with self._lock:
            return len(self._open()) > 1

    def add(self, subscription: Subscription) -> Subscription:
        """Serve it from now on."""
        with self._lock:
            self._subscriptions = [*self._open(), subscription]
        return subscription

    def reach(self, through: int) -> int:
        """Deliver through a number; how many events were for this agent.

        0 when another thread, or a subscriber's caller, is at it and will.
        """
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

    def _serve(self, number: int) -> int:
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
                self._told(DeliveryFault(event.number, each.topic, why, error))
            each.cursor = event.number
        return int(mine)
