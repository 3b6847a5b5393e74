"""Timers: something to be told at a time, once or again and again."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from itertools import count
from threading import Lock

from msgspec import Struct

from loom.capabilities.events.signal import (
    SUMMARY_CHARS,
    BadSignal,
    Signal,
    checked_id,
    checked_text,
    checked_urgency,
)
from loom.text import cut

SHORTEST = 0.001  # seconds between two firings
ID_ROOM = 64  # of an id's characters; the rest is for the number of the firing


class _Timer(Struct, frozen=True):
    """A summary, when it is due by the clock, and its interval in seconds (0: once)."""

    due: float
    every: float
    summary: str
    urgency: str


class Timers:
    """Signals at times of `clock` (seconds, monotonic). Every firing is `id#n`, a new number each.

    A beat that comes late tells a repeating timer once, with how often it was due.
    """

    name = "timers"

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        first: int = 1,
    ) -> None:
        self._clock = clock
        self._lock = Lock()
        self._timers: dict[str, _Timer] = {}
        self._firings = count(first)

    def at(
        self,
        seconds: float,
        id: str,
        summary: str,
        *,
        every: float = 0.0,
        urgency: str = "normal",
    ) -> None:
        """Tell `summary` in `seconds`, and then, when `every` is not 0, each `every` seconds.

        A timer of the same id is replaced. Raises BadSignal for a bad id, text or urgency, and for
        times that are negative, endless or no numbers.
        """
        if not (0 <= seconds < math.inf and (every == 0 or SHORTEST <= every < math.inf)):
            raise BadSignal(
                f"timer {id!r}: {seconds!r} seconds must be 0 or more, and every {every!r} 0 or at"
                f" least {SHORTEST}"
            )
        checked_id(id, ID_ROOM)
        made = _Timer(
            self._clock() + seconds, every, checked_text(summary), checked_urgency(urgency)
        )
        with self._lock:
            self._timers[id] = made

    def look(self) -> list[Signal]:
        """Return the timers that are due, in the order they were due."""
        now = self._clock()
        with self._lock:
            due = [(timer.due, id) for id, timer in self._timers.items() if timer.due <= now]
            return [self._fired(id, now) for _, id in sorted(due)]

    def close(self) -> None:
        """Nothing is held; the timers stay set."""

    def _fired(self, id: str, now: float) -> Signal:
        timer = self._timers.pop(id)
        summary, times = timer.summary, 1
        if timer.every:
            times += int((now - timer.due) / timer.every)
            due = timer.due + times * timer.every
            if due <= now:  # lost in rounding: no firing may come twice
                due = math.nextafter(now, math.inf)
            self._timers[id] = _Timer(due, timer.every, timer.summary, timer.urgency)
        if times > 1:
            more = f" (due {times:,} times)"
            summary = cut(summary, SUMMARY_CHARS - len(more)) + more
        return Signal(f"{id}#{next(self._firings)}", "timer", summary, timer.urgency)
