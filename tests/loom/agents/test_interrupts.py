"""A parent stops its child, and a child its parent."""

from __future__ import annotations

from loom.agents import EventBus, interrupt, interrupted
from paging import Store


def test_nobody_interrupted(store: Store) -> None:
    """Other events, those to others and one's own are no interrupt of mine."""
    root, one, two = (EventBus(store, name) for name in ("root", "one", "two"))
    assert interrupted(one) is None
    root.emit("agent.event", "stop", to="one")
    interrupt(root, "two", "not needed")
    interrupt(one, "", "I am done")
    assert interrupted(one) is None and interrupted(two) is not None


def test_each_interrupt_is_met_once_from_its_cursor(store: Store) -> None:
    """It says who asks and why; asked again from its number it is past."""
    root, child = EventBus(store, "root"), EventBus(store, "child")
    sent = interrupt(root, "child", "the goal changed")
    interrupt(root, "", "shut down")
    first = interrupted(child, 0)
    assert first == sent and first.body == {"why": "the goal changed"} and first.source == "root"
    second = interrupted(child, first.number)
    assert second is not None and second.body == {"why": "shut down"}
    assert interrupted(child, second.number) is None


def test_a_child_interrupts_its_parent(store: Store) -> None:
    """The other way round it is the same, at once where the parent subscribed and pumps."""
    root, child, heard = EventBus(store, "root"), EventBus(store, "child"), list[str]()
    root.subscribe("agent.interrupt", lambda event: heard.append(event.source))
    interrupt(child, "root", "I need a decision")
    assert root.pump() == 1 and heard == ["child"]
