"""A parent stops its child, and a child its parent."""

from __future__ import annotations

import pytest

from loom.capabilities.agents import EventBus, Interrupts, Missed, interrupt
from loom_paging import Store


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
