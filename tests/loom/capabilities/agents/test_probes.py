"""The work of the bus, counted: it depends on what is new, not on what there is."""

from __future__ import annotations

from collections import Counter
from math import log2
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from loom.capabilities.agents import EventBus
from loom.capabilities.agents.event import draft
from loom.capabilities.agents.log import EventLog
from loom_paging import MemoryStore
from tests.kit.cases import all_cases


def fill(store: Any, events: int) -> None:
    """Put that many events straight into a store."""
    made = draft("agent.event", "child", "x", 0, "")
    for number in range(1, events + 1):
        store.put(f"bus/{number:012d}.json", made.encode(number, "w", number))


@all_cases("events", [0, 1, 1_000, 100_000])
def test_opening_probes_the_logarithm(counting: Any, events: int) -> None:
    """Opening reads no event, and lists nothing but where there are none."""
    fill(counting, events)
    counting.calls.clear()
    assert EventBus(counting, "root").cursor == events
    assert counting.calls == Counter(has=counting.calls["has"], names=not events)
    assert counting.calls["has"] <= 16 + 4 * log2(events + 1)


def test_each_move_costs_what_is_new(counting: Any) -> None:
    """At 100,000 events: a pump, an emit and the reading of ten."""
    fill(counting, 100_000)
    bus, other = EventBus(counting, "root"), EventBus(counting, "other")
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
    assert counting.calls["read"] == 10 and counting.calls["put"] == 1  # one sync for all ten
    assert counting.calls["has"] <= 24 and counting.calls["names"] == 0
    counting.calls.clear()
    assert len(bus.since(100_000)) == 10 and counting.calls["read"] == 0


@given(st.integers(0, 3_000), st.integers(0, 3_000), st.integers(1, 3_000))
def test_the_end_is_found_from_anywhere(events: int, known: int, hole: int) -> None:
    """From any number that is known, and past one hole."""
    store = MemoryStore()
    for number in range(1, events + 1):
        if number != hole or number == events:
            store.put(f"bus/{number:012d}.json", b"x")
    log = EventLog(store)
    log.end = min(known, events)
    assert log.look() == events
