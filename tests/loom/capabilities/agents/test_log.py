"""The log of a bus: a file that is no event is told, and stops nobody; its work, counted, depends
on what is new, not on what there is."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from loom.capabilities.agents.bus import EventBus
from loom.capabilities.agents.event import FILE_BYTES, BusEvent, encoded
from loom_paging import FileStore, MemoryStore
from tests.kit.cases import all_cases

Spoil = Callable[[Path], object]


def replace(path: Path, data: bytes) -> None:
    """Write other bytes."""
    path.write_bytes(data)


SPOILS: dict[str, Spoil] = {
    "empty": lambda path: replace(path, b""),
    "torn": lambda path: replace(path, path.read_bytes()[:-20]),
    "no JSON": lambda path: replace(path, b"\xff\x00 hello"),
    "other JSON": lambda path: replace(path, b"[1, 2]"),
    "a letter": lambda path: replace(path, path.read_bytes().replace(b"five", b"fiwe")),
    "of another number": lambda path: replace(path, path.with_stem("0" * 11 + "4").read_bytes()),
    "deep": lambda path: replace(path, b"[" * (FILE_BYTES - 1)),
    "huge": lambda path: os.truncate(path, 1 << 33),
    "gone": lambda path: path.unlink(),
    "a folder": lambda path: (path.unlink(), path.mkdir()),
    "a link that leads out": lambda path: (path.unlink(), path.symlink_to("/etc/hostname")),
    "a link to nothing": lambda path: (path.unlink(), path.symlink_to("nothing")),
}


def filled(root: Path) -> None:
    """A bus of nine events, the fifth of which says so."""
    bus = EventBus(FileStore(root, durable=False), "root")
    for number in ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine"):
        bus.emit("agent.event", number)


@all_cases("name", SPOILS)
def test_a_damaged_event_is_told_and_passed(tmp_path: Path, name: str) -> None:
    """Readers get a note in its place, and all the other events; emitting goes on."""
    filled(tmp_path)
    SPOILS[name](tmp_path / "bus" / "000000000005.json")
    bus, heard, all_heard = EventBus(FileStore(tmp_path, durable=False), "x"), [], list[BusEvent]()
    bus.subscribe("agent.", lambda event: heard.append(event.number), cursor=0)
    bus.subscribe("", all_heard.append, cursor=0)
    assert bus.emit("agent.event").number == 10
    assert heard == [1, 2, 3, 4, 6, 7, 8, 9, 10]
    assert [event.number for event in all_heard] == list(range(1, 11)) and all_heard == bus.since()
    assert all_heard[4].topic == "bus.damaged" and "000000000005" in all_heard[4].body
    assert [event.number for event in bus.since(topics=["bus."])] == [5]


@pytest.mark.parametrize("name", ["a folder", "a link that leads out", "a link to nothing"])
def test_what_blocks_the_next_number_is_passed(tmp_path: Path, name: str) -> None:
    """Something that is no file has the next number: the one after it is taken, and found."""
    filled(tmp_path)
    path = tmp_path / "bus" / "000000000010.json"
    path.touch()
    SPOILS[name](path)
    reader = EventBus(FileStore(tmp_path, durable=False), "reader")
    bus = EventBus(FileStore(tmp_path, durable=False), "root")
    assert [bus.emit("agent.event").number for _ in range(2)] == [11, 12]
    numbers = [event.number for event in reader.since(9, topics=["agent."])]
    assert numbers == [11, 12] and reader.pump() >= 2


def test_a_bus_that_begins_later_is_read_from_there() -> None:
    """As one that was mended does: a cursor before its first event misses nothing that is there."""
    store, bus = MemoryStore(), EventBus(whole := MemoryStore(), "root")
    for number in range(9):
        bus.emit("agent.event", number)
    for name in whole.names("bus/")[4:]:
        store.put(name, whole.get(name))
    other, heard = EventBus(store, "other"), list[int]()
    other.subscribe("", lambda event: heard.append(event.number), cursor=0)
    assert [event.number for event in other.since()] == [5, 6, 7, 8, 9]
    assert other.emit("agent.event").number == 10 and heard == [5, 6, 7, 8, 9, 10]


def fill(store: Any, events: int) -> None:
    """Put that many events straight into a store."""
    made = BusEvent(0, "agent.event", "child", "x", 0)
    for number in range(1, events + 1):
        store.put(f"bus/{number:012d}.json", encoded(made, number))


def test_each_move_costs_what_is_new(counting: Any) -> None:
    """At 100,000 events: an opening lists them once and reads none; a pump, an emit and the reading
    of ten."""
    fill(counting, 100_000)
    counting.calls.clear()
    bus, other = EventBus(counting, "root"), EventBus(counting, "other")
    assert bus.cursor == 100_000 and counting.calls == Counter(has=6, names=2)
    heard = list[int]()
    bus.subscribe("", lambda event: heard.append(event.number))
    counting.calls.clear()
    assert bus.pump() == 0 and counting.calls == Counter(has=2)
    counting.calls.clear()
    other.emit("agent.event")
    assert counting.calls == Counter(put=1)
    for _ in range(9):
        other.emit("agent.event")
    counting.calls.clear()
    assert bus.pump() == 10 == len(heard)
    assert counting.calls == Counter(has=12, read=11, put=1)  # one sync for all ten
