"""A parent stops its child, and a child its parent."""

from __future__ import annotations

from typing import Any

import pytest

from loom.capabilities.agents import EventBus, Interrupts, Missed, interrupt
from loom_paging import Store


def test_nobody_interrupted(store: Store) -> None:
    """Other events, those to others and one's own are no interrupt of mine."""
    root, one, two = (EventBus(store, name) for name in ("root", "one", "two"))
    assert Interrupts(one).next() is None
    root.emit("agent.event", "stop", to="one")
    interrupt(root, "two", "not needed")
    interrupt(one, "", "I am done")
    assert Interrupts(one).next() is None and Interrupts(two).next() is not None


def test_each_interrupt_is_met_once_from_its_cursor(store: Store) -> None:
    """It says who asks and why; asked again from its number it is past."""
    root, child = EventBus(store, "root"), EventBus(store, "child")
    sent = interrupt(root, "child", "the goal changed")
    interrupt(root, "", "shut down")
    first = Interrupts(child, 0).next()
    assert first == sent and first.body == {"why": "the goal changed"} and first.source == "root"
    second = Interrupts(child, first.number).next()
    assert second is not None and second.body == {"why": "shut down"}
    assert Interrupts(child, second.number).next() is None


def test_a_child_interrupts_its_parent(store: Store) -> None:
    """The other way round it is the same, at once where the parent subscribed and pumps."""
    root, child, heard = EventBus(store, "root"), EventBus(store, "child"), list[str]()
    root.subscribe("agent.interrupt", lambda event: heard.append(event.source))
    interrupt(child, "root", "I need a decision")
    assert root.pump() == 1 and heard == ["child"]


def test_interrupts_come_once_each_and_nothing_is_read_twice(counting: Any) -> None:
    """A look costs what is new, however many events lie before it."""
    root, child = EventBus(counting, "root"), EventBus(counting, "child")
    stops = Interrupts(child)
    assert stops.next() is None
    for _ in range(400):
        root.emit("agent.event")
    sent = [interrupt(root, "child", f"reason {number}") for number in range(2)]
    interrupt(child, "", "mine")
    assert [stops.next() for _ in range(3)] == [*sent, None] and stops.cursor == 403
    counting.calls.clear()
    assert stops.next() is None and counting.calls["read"] == 0


def test_a_missed_stretch_is_told_once(store: Store) -> None:
    """An interrupt may have been trimmed: the agent is told, and then hears the next."""
    root, child = EventBus(store, "root"), EventBus(store, "child")
    interrupt(root, "child", "lost")
    last = [root.emit("agent.event") for _ in range(5)][-1]
    root.trim(last.number)
    stops = Interrupts(child)
    with pytest.raises(Missed):
        stops.next()
    assert stops.next() is None
    assert interrupt(root, "child", "again") == stops.next()
