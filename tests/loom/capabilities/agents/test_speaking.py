"""Agents that speak: over one bus, from the root of the workspace, across windows and restarts."""

from __future__ import annotations

from pathlib import Path

import pytest

import loom
from loom.capabilities.agents import BusEvent
from loom.capabilities.agents.place import address_of, home_of, root_of
from loom.errors import LoomError
from loom_paging import MemoryStore


def test_one_alone_touches_no_bus(tmp_path: Path) -> None:
    """Its turns make no folder, and nobody stands above it."""
    with loom.open(tmp_path / "w", durable=False) as ctx:
        ctx.user("hello")
        ctx.turn()
        assert not (tmp_path / "w" / "bus").exists() and ctx.agents.address == "main"
        with pytest.raises(LoomError, match="nobody stands above"):
            ctx.agents.interrupt(why="stop")


@pytest.mark.parametrize("kind", ["folder", "memory"])
def test_addresses(tmp_path: Path, kind: str) -> None:
    """The names from the root down, wherever they live; a very long one is still a line."""
    root = tmp_path / "w" if kind == "folder" else MemoryStore()
    with (
        loom.open(root, durable=False) as ctx,
        ctx.agents.spawn("a", name="one") as one,
        one.agents.spawn("b", name="two") as two,
    ):
        assert (one.agents.address, two.agents.address) == ("one", "one/two")
    deep = home_of(home_of(home_of(root, "x" * 40), "y" * 40), "z" * 40)
    if kind == "memory":
        assert root_of(deep) is root
        assert len(address_of(deep)) <= 80 and address_of(deep).endswith("/" + "z" * 40)


@pytest.mark.parametrize("kind", ["folder", "memory"])
def test_it_is_told_who_spawned_and_delivered(tmp_path: Path, kind: str) -> None:
    """In order, to whoever asks, also after a restart, from a cursor on."""
    root = tmp_path / "w" if kind == "folder" else MemoryStore()
    heard: list[BusEvent] = []
    with loom.open(root, durable=False) as ctx:
        ctx.agents.subscribe("agent.", heard.append)
        with ctx.agents.spawn("Read.", name="reader") as child:
            child.agents.emit("agent.event", {"pages": 3})
            child.agents.deliver("Done.")
        ctx.turn()
        assert [event.topic for event in heard] == ["agent.spawn", "agent.event", "agent.result"]
        assert heard[1].source == "reader" and heard[1].body == {"pages": 3}
    with loom.open(root, durable=False) as ctx:
        assert [event.number for event in ctx.agents.bus.since(1)] == [2, 3]
