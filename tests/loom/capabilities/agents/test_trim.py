"""What is trimmed is gone, is told to whoever had not read it, and comes back for nobody."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from loom.capabilities.agents import BusEvent, EventBus, Missed
from loom.capabilities.agents.event import draft
from loom.capabilities.agents.log import EventLog
from loom.capabilities.agents.sequence import Sequence
from loom_paging import FileStore, MemoryStore, MissingPage, Store
from tests.kit.cases import all_cases


def filled(store: Store, events: int = 10) -> EventBus:
    """A bus with that many events."""
    bus = EventBus(store, "root")
    for number in range(1, events + 1):
        bus.emit("agent.event", number)
    return bus


@all_cases("before", [-3, 0, 1])
def test_nothing_to_trim(store: Store, before: int) -> None:
    """No event lies below the first."""
    bus = filled(store)
    names = store.names()
    assert bus.trim(before) == 0 and store.names() == names


def test_a_page_goes_with_its_event(store: Store) -> None:
    """And only with its own, though another event has an equal payload."""
    bus = EventBus(store, "root")
    first, second = (bus.emit("agent.event", "x" * 3_000) for _ in range(2))
    bus.trim(2)
    assert bus.payload(second) == "x" * 3_000
    with pytest.raises(MissingPage):
        bus.payload(first)
    assert len(store.names("bus/pages/")) == 1


def test_a_subscriber_learns_what_it_missed(store: Store) -> None:
    """Each late one hears of it if it asked for notes; the fault is there in any case."""
    filled(store).trim(7)
    bus, all_heard, some = EventBus(store, "late"), list[BusEvent](), list[int]()
    bus.subscribe("", all_heard.append, cursor=2)
    bus.subscribe("agent.", lambda event: some.append(event.number), cursor=4)
    assert bus.pump() > 0
    note, *rest = all_heard
    assert (note.number, note.topic, note.body) == (6, "bus.trimmed", {"first": 7, "missed": 4})
    assert [event.number for event in rest] == some == [7, 8, 9, 10]
    assert [fault.topic for fault in bus.faults] == ["bus.trimmed"] * 2 and bus.cursor == 10


def test_who_slept_through_a_trim_emits_at_the_end(store: Store) -> None:
    """The number it believes to be free was trimmed: it is won, given back, and nobody saw it."""
    sleeper, reader = EventBus(store, "sleeper"), EventBus(store, "reader")
    bus = filled(store, 300)
    bus.trim(200)
    assert sleeper.emit("agent.event", "late").number == 301
    assert reader.pump() > 0 and reader.cursor == 301
    assert EventBus(store, "new").since(300)[0].body == "late"
    assert bus.pump() == 1 and not store.has("bus/000000000001.json")


class Overtaken(MemoryStore):
    """A store in which another trims all there is while a writer waits for `put` to return."""

    trims = False

    def put(self, name: str, data: bytes) -> None:
        """Put; then let the reader read, others emit, and trim."""
        super().put(name, data)
        if self.trims:
            self.trims = False
            other = EventBus(self, "other")
            other.emit("agent.event", "after")
            other.trim(other.cursor)


def test_an_event_trimmed_before_its_writer_returns_comes_once() -> None:
    """It was there, and may have been read: it keeps its number and is not offered again."""
    store = Overtaken()
    bus = EventBus(store, "root")
    bus.emit("agent.event", "before")
    store.trims = True
    assert bus.emit("agent.event", "overtaken").number == 2
    assert [event.body for event in bus.since(2)] == ["after"]
    assert bus.emit("agent.event", "next").number == 4 and EventBus(store, "x").cursor == 4


def test_what_lies_below_the_mark_is_not_shown(store: Store) -> None:
    """An event a sleeper left there, dead before it took it away, is no event."""
    reader, bus = EventBus(store, "reader"), filled(store, 30)
    bus.trim(20)
    assert Sequence(store, "bus").offer(1, draft("agent.event", "x", 0, 0, "").encode(1, "w", 1))
    with pytest.raises(Missed):
        reader.since()
    assert len(reader.since(19)) == 11 and EventBus(store, "new").cursor == 30


class Killed(MemoryStore):
    """A store whose process dies at the third removal."""

    left = 3

    def delete(self, name: str) -> None:
        """Die, or delete."""
        self.left -= 1
        if not self.left:
            raise SystemExit
        super().delete(name)


def test_the_next_trim_ends_one_that_was_killed() -> None:
    """Its mark was put first, so nobody sees what it left."""
    store = Killed()
    bus = filled(store)
    with pytest.raises(SystemExit):
        bus.trim(8)
    new = EventBus(store, "new")
    with pytest.raises(Missed):
        new.since()
    assert [event.number for event in new.since(7)] == [8, 9, 10]
    assert new.trim(9) == 1 and store.names("bus/0") == [
        "bus/000000000009.json",
        "bus/000000000010.json",
    ]


@pytest.mark.parametrize("spoil", [lambda path: path.write_bytes(b"{"), lambda path: path.unlink()])
def test_a_damaged_mark_costs_a_listing(tmp_path: Path, spoil: Callable[[Path], object]) -> None:
    """The first event is then found among the names, and the bus goes on."""
    store = FileStore(tmp_path, durable=False)
    bus = filled(store)
    bus.trim(4)
    bus.trim(7)
    marks = sorted((tmp_path / "bus" / "trims").iterdir())
    spoil(marks[0])
    assert EventLog(store).first == 7
    marks[1].write_bytes(b"[" * 9_000)
    assert EventLog(store).first == 7 and EventLog(store).end == 10
    assert EventBus(store, "new").emit("agent.event").number == 11
