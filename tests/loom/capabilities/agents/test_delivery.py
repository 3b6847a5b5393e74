"""Subscribers: every event asked for, once, in order, whoever else fails, emits or waits."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event as Signal

import pytest

from loom.capabilities.agents.bus import EventBus
from loom.capabilities.agents.event import BusEvent
from loom_paging import MemoryStore, Store


def test_a_closed_subscription_hears_nothing(store: Store) -> None:
    """Closing ends the calls, even from within one, and no longer holds the cursor."""
    bus, heard = EventBus(store, "root"), list[int]()

    def once(event: BusEvent) -> None:
        heard.append(event.number)
        subscription.close()

    subscription = bus.subscribe("", once)
    unheard = bus.subscribe("", lambda event: heard.append(-1))
    unheard.close()
    unheard.close()
    bus.emit("agent.event")
    bus.emit("agent.event")
    assert heard == [1] and bus.cursor == 2


def test_a_subscriber_that_raises_stops_no_other(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    """What it raised is logged; the others hear everything, and so does it later."""
    bus, before, after = EventBus(store, "root"), list[int](), list[int]()

    def refuse(event: BusEvent) -> None:
        if event.number == 2:
            raise ValueError("no thanks")
        before.append(event.number)

    bus.subscribe("agent.", refuse)
    bus.subscribe("agent.", lambda event: after.append(event.number))
    for _ in range(3):
        bus.emit("agent.event")
    assert (before, after) == ([1, 3], [1, 2, 3])
    (logged,) = caplog.records
    assert "'agent.' failed at event 2" in logged.getMessage() and "no thanks" in caplog.text


def test_an_interrupted_delivery_is_made_again(store: Store) -> None:
    """What is no Exception ends the delivery; who was not served is served at the next pump."""
    bus, heard = EventBus(store, "root"), list[str]()

    def stop(event: BusEvent) -> None:
        heard.append("first")
        if len(heard) == 1:
            raise KeyboardInterrupt

    bus.subscribe("", stop)
    bus.subscribe("", lambda event: heard.append("second"))
    with pytest.raises(KeyboardInterrupt):
        bus.emit("agent.event")
    assert bus.cursor == 0 and len(bus.since()) == 1
    assert bus.pump() == 1 and heard == ["first", "first", "second"]


def test_a_subscriber_that_emits_is_heard_in_order(store: Store) -> None:
    """Its event comes after the one it answers, for every subscriber; it is never called within."""
    bus, heard, depth = EventBus(store, "root"), list[str](), list[int]()

    def answer(event: BusEvent) -> None:
        depth.append(1)
        assert len(depth) == 1
        if event.body < 3:
            bus.emit("agent.event", event.body + 1)
        heard.append(f"a{event.body}")
        depth.pop()

    bus.subscribe("", answer)
    bus.subscribe("", lambda event: heard.append(f"b{event.body}"))
    bus.emit("agent.event", 0)
    assert heard == ["a0", "b0", "a1", "b1", "a2", "b2", "a3", "b3"]


def test_nobody_waits_for_a_subscriber() -> None:
    """Who emits while another thread delivers returns at once, and that thread takes it along."""
    bus, heard = EventBus(MemoryStore(), "root"), list[int]()
    entered, leave = Signal(), Signal()

    def slow(event: BusEvent) -> None:
        heard.append(event.number)
        if event.number == 1:
            entered.set()
            assert leave.wait(60)

    bus.subscribe("", slow)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(bus.emit, "agent.event")
        assert entered.wait(60)
        assert [bus.emit("agent.event").number for _ in range(3)] == [2, 3, 4]
        assert heard == [1] and bus.cursor == 0 and bus.pump() == 0
        leave.set()
        assert first.result().number == 1
    assert heard == [1, 2, 3, 4] and bus.cursor == 4
