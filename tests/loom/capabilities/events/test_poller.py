import random
import threading
from collections.abc import Iterable
from itertools import count
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from loom.capabilities.events.poller import THREAD, WAITING_MAX, Poller, Signal


def signal(id: str, urgency: str = "normal") -> Signal:
    """A signal of some source."""
    return Signal(id, "timer", f"{id} is due", urgency)


class Flaky:
    """A sink that fails when `fails` says so, and keeps what it took."""

    def __init__(self, fails: Any = lambda: False) -> None:
        self.fails = fails
        self.taken: list[str] = []
        self.kinds: list[str] = []

    def __call__(self, signal: Signal) -> None:
        """Take it, or fail."""
        if self.fails():
            raise ConnectionError("the host is away")
        self.taken.append(signal.id)
        self.kinds.append(signal.kind)


class Told:
    """A source that tells what it was given, once, or raises what it was given."""

    def __init__(self, name: str = "told") -> None:
        self.name = name
        self.next: list[object] = []
        self.looks = 0

    def look(self) -> Iterable[Signal]:
        """What was given, up to an error, which is raised."""
        self.looks += 1
        while self.next:
            given = self.next.pop(0)
            if isinstance(given, Exception):
                raise given
            yield given  # type: ignore[misc]


class Endless:
    """A source that tells `width` new signals a look, and each of them twice."""

    name = "endless"

    def __init__(self, width: int) -> None:
        self.width = width
        self.numbers = count()
        self.told = 0

    def look(self) -> list[Signal]:
        """New signals, doubled."""
        made = [signal(f"n{next(self.numbers)}") for _ in range(self.width)]
        self.told += self.width
        return [*made, *made]


def test_a_fault_is_told_once_and_tried_again() -> None:
    """At every beat; another kind of fault is told by itself."""
    told = Told()
    heart = Poller(sink := Flaky(), [told])
    for _ in range(40):
        told.next = [OSError("the disk\nis gone")]
        heart.beat()
    assert told.looks == 40 and sink.kinds == ["heartbeat"]
    told.next = [KeyError("name")]
    heart.beat()
    assert sink.kinds == ["heartbeat", "heartbeat"] and len(set(sink.taken)) == 2


def test_a_sink_that_beats_does_not_recurse() -> None:
    """A beat within a beat does nothing, and no signal is sent twice."""
    told = Told()
    taken: list[str] = []

    def sink(signal: Signal) -> None:
        taken.append(signal.id)
        heart.beat()

    heart = Poller(sink, [told])
    told.next = [signal("a"), signal("b")]
    heart.beat()
    assert taken == ["a", "b"] and told.looks == 1


@given(st.integers(0, 2**32), st.integers(1, 40), st.floats(0, 0.95))
def test_none_is_lost_and_none_comes_twice(seed: int, width: int, rate: float) -> None:
    """Under a sink that fails at random every signal arrives exactly once in the end."""
    chance = random.Random(seed)
    sink = Flaky(lambda: chance.random() < rate)
    source = Endless(width)
    heart = Poller(sink, [source])
    for _ in range(20):
        heart.beat()
    source.width, sink.fails = 0, lambda: False
    heart.beat()
    heart.beat()
    assert len(sink.taken) == len(set(sink.taken))
    named = {id for id in sink.taken if not id.startswith("heartbeat")}
    assert named == {f"n{number}" for number in range(source.told)}


def test_no_source_is_looked_at_while_too_much_waits() -> None:
    """Before a sink that stays away the waiting stops growing; then everything comes."""
    told = Told()
    away = True
    sink = Flaky(lambda: away)
    source = Endless(100)
    heart = Poller(sink, [source, told])
    for _ in range(50):
        heart.beat()
    assert WAITING_MAX <= source.told < WAITING_MAX + 100 and len(heart._waiting) < 1_200
    away = False
    heart.beat()
    assert set(sink.taken) >= {f"n{number}" for number in range(source.told)}


def test_the_thread_beats_stops_and_begins_again() -> None:
    """One daemon thread with a name; it ends in the middle of a wait."""
    told = Told()
    arrived, again = threading.Event(), threading.Event()
    events = {"a": arrived, "b": again}
    told.next = [signal("a")]
    heart = Poller(lambda signal: events[signal.id].set(), [told], period=3_600)
    heart.start()
    heart.start()
    assert arrived.wait(60) and heart.running
    named = [thread for thread in threading.enumerate() if thread.name == THREAD]
    assert len(named) == 1 and named[0].daemon
    heart.stop(timeout=240)
    assert not heart.running and not named[0].is_alive()
    heart.stop()
    told.next = [signal("b")]
    heart.start()
    assert again.wait(60)
    heart.stop(timeout=240)
    assert not heart.running


def test_stop_does_not_wait_for_a_sink_that_hangs() -> None:
    """It returns at its timeout; the thread then sends nothing more."""
    told = Told()
    entered, release = threading.Event(), threading.Event()
    taken: list[str] = []

    def sink(signal: Signal) -> None:
        entered.set()
        release.wait(60)
        taken.append(signal.id)

    told.next = [signal("a"), signal("b")]
    heart = Poller(sink, [told])
    heart.start()
    assert entered.wait(60)
    heart.stop(timeout=0.01)
    assert heart.running
    release.set()
    heart._thread.join(60)  # type: ignore[union-attr]
    assert (taken, heart.running) == (["a"], False)
    heart.beat()
    assert taken == ["a", "b"]
