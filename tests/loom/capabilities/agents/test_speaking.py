"""Agents that speak: over one bus, from the root of the workspace, across windows and restarts."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

import loom
from loom.capabilities.agents.event import BusEvent
from loom.capabilities.agents.place import address_of, home_of, root_home
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
        assert root_home(deep) is root
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


def test_an_interrupt_is_heard_while_a_subscriber_runs(tmp_path: Path) -> None:
    """In another thread, for as long as it likes: it is told at the next turn, and once."""
    entered, leave = Event(), Event()
    with (
        loom.open(tmp_path / "w", durable=False) as ctx,
        ctx.agents.spawn("Read.", name="reader") as child,
        ThreadPoolExecutor(1) as pool,
    ):
        child.turn()
        child.agents.subscribe("news.", lambda event: (entered.set(), leave.wait(60)))
        ctx.agents.emit("news.new")
        pump = pool.submit(child.agents.bus.pump)
        assert entered.wait(60)
        ctx.agents.interrupt("reader", "wrong branch")
        said = json.dumps(child.turn().request())
        leave.set()
        pump.result()
        assert "asks to stop: wrong branch" in said
        again = json.dumps(child.turn().request())
        assert again.count("asks to stop") <= said.count("asks to stop")


def told(ctx: loom.Context, topic: str) -> list[BusEvent]:
    """What an agent can read of a topic on the bus, from the first event on."""
    return ctx.agents.bus.since(topics=[topic])


def test_a_large_result_is_shortened_and_whole_by_page(tmp_path: Path) -> None:
    """Its body stays bounded; the payload is the result as it was given."""
    said = "All of it. " * 9_000
    with loom.open(tmp_path / "w", durable=False) as ctx:
        with ctx.agents.spawn("Go. " * 900, name="one") as child:
            child.agents.deliver(said)
        for topic, field, text in (("spawn", "goal", "Go. " * 900), ("result", "result", said)):
            (event,) = told(ctx, f"agent.{topic}")
            assert len(json.dumps(event.body)) < 1_024 and text.startswith(event.body[field][:-1])
            assert ctx.agents.bus.payload(event)[field] == text


@pytest.mark.parametrize("by", ["opening", "join", "both"])
def test_what_was_not_told_is_told_once(tmp_path: Path, by: str) -> None:
    """A result given while the bus could not be written is told at the next opening or join."""
    with loom.open(tmp_path / "w", durable=False) as ctx:
        child = ctx.agents.spawn("Go.", name="one")
        (tmp_path / "w" / "bus").rename(tmp_path / "aside")
        (tmp_path / "w" / "bus").write_text("in the way")
        child.agents.deliver("Done.")
        child.close()
        (tmp_path / "w" / "bus").unlink()
        (tmp_path / "aside").rename(tmp_path / "w" / "bus")
        assert told(ctx, "agent.result") == []
        if by != "join":
            ctx.agents.child("one").close()
            (event,) = told(ctx, "agent.result")
            assert event.body["result"] == "Done."
        if by != "opening":
            ctx.agents.join("one")
        ctx.agents.child("one").close() if by == "opening" else ctx.agents.join("one")
        (event,) = told(ctx, "agent.result")
        assert (event.source, event.body["result"]) == ("one", "Done.")
