"""The heartbeat itself: one thread, one pass over the sources a period, one sink.

Theory of operation. A beat first looks at every source, then sends the signals
that wait: a signal *waits* until the sink has taken it, and no waiting signal is dropped. While
`WAITING_MAX` of them stand before a sink that fails, no source is looked at, and sources keep by
themselves what they have not told (a folder, a table, a due time).

No exception ends the thread. A source that raises is looked at again at the next beat. A sink that
raises is then tried again with every waiting signal, each by itself, so that one signal the sink
cannot take holds up no other. Either fault is a signal of its own, under an id made of its type and
place, and sent once for as long as it lasts.

The sink is called on this thread. A sink that takes a lock which its owner holds while stopping
would make `stop` wait its whole timeout: such a sink should only queue."""

from __future__ import annotations

import hashlib
import threading
import time
import traceback
from base64 import b32encode
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Protocol

from msgspec import Struct

from loom.errors import BadInput, Reentered
from loom.text import one_line
from loom_partitions.surfaces import URGENCIES

WAITING_MAX = 1_024  # signals before a failing sink at which no more are gathered
THREAD = "loom-heartbeat"
SUMMARY_CHARS = 200  # what the event surface shows of an event


class Signal(Struct, frozen=True):
    """Something that happened. A signal that is found again has the same `id`.

    `kind` is "files", "process", "disk", "timer", "inbox", "heartbeat" (watching itself failed) or
    a word of a host's own source. `summary` says what happened. `urgency` is low, normal, high or
    critical. `taken` is called after the poller's `sink` got the signal. Raises BadInput for a
    blank `id`, `kind` or `summary`, and for another urgency."""

    id: str
    kind: str
    summary: str
    urgency: str = "normal"
    taken: Callable[[], None] | None = None

    def __post_init__(self) -> None:
        for what in ("id", "kind", "summary"):
            if not one_line(getattr(self, what), 1):
                raise BadInput(f"the {what} of a signal has no letters: say what happened")
        if self.urgency not in URGENCIES:
            raise BadInput(f"{self.urgency!r:.80} is no urgency; one of {', '.join(URGENCIES)}")


class Source(Protocol):
    """Something that is watched. Hosts can write sources of their own.

    `look` returns what happened since its previous call, and must not block. Only one thread at a
    time calls `look`. An exception of `look` is reported by a signal."""

    name: str

    def look(self) -> Iterable[Signal]:
        """Return signals for what has happened since the previous call."""
        ...


def occurrence_id(kind: str, *marks: object) -> str:
    """Return an id such as "files-abcd2345": `kind` and a digest of `marks`. Equal marks give equal
    ids."""
    digest = hashlib.blake2b(digest_size=5)
    for mark in marks:
        data = str(mark).encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(data) + data)  # ("ab", "c") is not ("a", "bc")
    return f"{kind}-{b32encode(digest.digest()).decode().lower()}"


def make_signal(kind: str, summary: str, urgency: str, *marks: object) -> Signal:
    """Return a signal with an id made from `kind` and `marks`, the summary cut to SUMMARY_CHARS."""
    line = one_line(summary, SUMMARY_CHARS) or kind
    return Signal(occurrence_id(kind, *marks), kind, line, urgency)


class StopFlag:
    """A flag that tells a thread to end. An interrupt may leave a threading.Event locked, but not
    this flag."""

    def __init__(self) -> None:
        self._told: SimpleQueue[None] = SimpleQueue()
        self.told = False

    def set(self) -> None:
        """Set the flag. Setting it twice is allowed."""
        self.told = True
        self._told.put(None)

    def wait(self, seconds: float) -> None:
        """Return when the flag is set, or after `seconds`."""
        with suppress(Empty):
            self._told.get(timeout=0 if self.told else seconds)


class Poller:
    """Calls `look` of each of the `sources` every `period` seconds and passes the signals to
    `sink`. `last` is when the newest complete pass ended, in seconds since 1970; 0.0 before the
    first pass."""

    def __init__(
        self, sink: Callable[[Signal], None], sources: Iterable[Source] = (), period: float = 1.0
    ) -> None:
        self.period, self.last = period, 0.0
        self._sink = sink
        self._sources = list(sources)
        self._waiting: dict[str, Signal] = {}
        self._faults = set[str]()  # ids of those that were told
        self._beating = threading.Lock()
        # Held to add, start and stop; by a stop that was interrupted too, which is made again.
        self._guard = threading.RLock()
        self._stop = StopFlag()
        self._thread: threading.Thread | None = None

    def add(self, source: Source) -> None:
        """Watch one more source from the next pass on. Adding a source twice is allowed."""
        with self._guard:
            if not any(one is source for one in self._sources):
                self._sources.append(source)

    @property
    def running(self) -> bool:
        """Return True if the watching thread is alive."""
        return self._thread is not None and self._thread.is_alive()

    def start(self) -> None:
        """Start a thread that makes a pass at once and another every `period` seconds. Starting
        twice is allowed."""
        with self._guard:
            if self.running and not self._stop.told:
                return
            self._stop = StopFlag()
            given = (self._stop, self._thread)
            thread = threading.Thread(
                target=self._beat_until_stopped, args=given, name=THREAD, daemon=True
            )
            thread.start()
            self._thread = thread

    def stop(self, timeout: float = 2.0) -> None:
        """End the thread. A `look` in progress is awaited, the rest of the period is not. Stopping
        twice is allowed.

        After `timeout` seconds return anyway; the thread then sends no more signals and ends by
        itself. Undelivered signals are sent after the next `start` or `beat`."""
        with self._guard:
            self._stop.set()
            thread = self._thread
        # A sink may stop its own heartbeat: the thread ends when the sink returns.
        if thread is not None and thread is not threading.current_thread():
            thread.join(timeout)

    def beat(self) -> None:
        """Make one pass in this thread. Does nothing while another pass runs."""
        self._beat(StopFlag())

    def _beat_until_stopped(self, stop: StopFlag, before: threading.Thread | None) -> None:
        """Wait until the older thread `before` ends, then make passes until `stop` is set."""
        if before is not None:
            before.join()  # one that was left behind in a look
        while not stop.told:
            self._beat(stop)
            stop.wait(self.period)

    def _beat(self, stop: StopFlag) -> None:
        """Call every source, then send all undelivered signals. End early if `stop` is set."""
        if self._beating.locked():
            return
        with self._beating:
            for source in tuple(self._sources):
                if stop.told or len(self._waiting) >= WAITING_MAX:
                    break
                self._look_at(source)
            for signal in tuple(self._waiting.values()):
                if stop.told:
                    return
                self._send(signal)
            self.last = time.time()

    def _look_at(self, source: Source) -> None:
        """Queue the signals of a source, or a signal that reports the source's error."""
        try:
            for signal in source.look():
                if not isinstance(signal, Signal):
                    raise TypeError(f"a source tells signals, not {type(signal).__name__}")
                self._waiting.setdefault(signal.id, signal)
        except Exception as error:
            self._queue_fault(source.name, error)

    def _send(self, signal: Signal) -> None:
        """Pass a signal to the sink. If the sink raises, keep the signal for the next pass and
        queue a signal that reports the error."""
        what = "sink"
        try:
            self._sink(signal)
            del self._waiting[signal.id]
            what = signal.kind
            if signal.taken is not None:
                signal.taken()
        except Reentered:
            return  # no fault: it is sent at a later beat
        except Exception as error:
            self._queue_fault(what, error)

    def _queue_fault(self, name: str, error: Exception) -> None:
        """Queue a signal that the source or sink `name` raised `error`. An error of one type from
        one line of code is reported only once."""
        frames = traceback.extract_tb(error.__traceback__)
        place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}"
        marks = (name, type(error), place)
        id = occurrence_id("heartbeat", *marks)
        if id not in self._faults:
            self._faults.add(id)
            what = traceback.format_exception_only(error)[-1].strip()
            summary = f"{name} fails at {place}, and is tried again: {what}"
            self._waiting.setdefault(id, make_signal("heartbeat", summary, "high", *marks))
