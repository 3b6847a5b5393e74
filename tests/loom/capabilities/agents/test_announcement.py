"""What the bus tells of agents: a goal at the spawn, a result at the end, to the two concerned."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import loom
from loom.capabilities.agents import BusEvent, EventBus
from loom.capabilities.agents.announcement import resulted
from loom.capabilities.agents.result import AgentResult
from loom_paging import FileStore, MemoryStore

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def told(ctx: loom.Context, topic: str) -> list[BusEvent]:
    """What an agent can read of a topic on the bus, from the first event on."""
    return ctx.agents.bus.since(topics=[topic])


@pytest.mark.parametrize("kind", ["folder", "memory"])
def test_goal_and_result_travel(tmp_path: Path, kind: str) -> None:
    """A subscriber of the parent hears both by their documented names, and nothing of its own."""
    heard: list[BusEvent] = []
    with loom.open(tmp_path / "w" if kind == "folder" else MemoryStore(), durable=False) as ctx:
        ctx.user("The parent's own words.")
        ctx.agents.subscribe("agent.", heard.append)
        with ctx.agents.spawn("Read about Bitcoin.", name="researcher-1") as child:
            (event,) = told(child, "agent.spawn")
            assert event.body["goal"] == "Read about Bitcoin." and event.source == "main"
            child.reply(loom.Reply((loom.ToolCall("c1", "read_file", "{}"),)))
            child.result("c1", "a page of prices\n" * 200)
            (page,) = child._engine.workspace.pager.table
            child.agents.deliver("Bitcoin is at $45,000.", artefacts=[page])
        found = ctx.agents.join("researcher-1")
        ctx.turn()
        spawn, result = heard
        assert spawn.body == {
            "agent": "researcher-1",
            "child_id": "researcher-1",
            "goal": "Read about Bitcoin.",
        }
        assert result.body == {
            "agent": "researcher-1",
            "child_id": "researcher-1",
            "parent_id": "main",
            "status": "done",
            "result": "Bitcoin is at $45,000.",
            "artefacts": [page],
        }
        assert result.source == "researcher-1" and not result.page
        assert (found.status, found.summary) == (result.body["status"], result.body["result"])
        assert [one.name for one in found.artefacts] == result.body["artefacts"]
        assert "parent's own" not in json.dumps([event.body for event in heard])


@pytest.mark.parametrize("kind", ["folder", "memory"])
def test_a_sibling_hears_that_not_what(tmp_path: Path, kind: str) -> None:
    """Others learn names and statuses; no byte of a goal or a result lies on the bus itself."""
    root = tmp_path / "w" if kind == "folder" else MemoryStore()
    store = FileStore(tmp_path / "w") if kind == "folder" else root
    with (
        loom.open(root, durable=False) as ctx,
        ctx.agents.spawn("The zebra goal.", name="one") as one,
        ctx.agents.spawn("Another.", name="other") as other,
        one.agents.spawn("The gnu goal.", name="two") as two,
    ):
        two.agents.deliver("The gnu result.")
        one.agents.join("two")
        one.agents.deliver("The zebra result.")
        seen = {
            agent.agents.address: json.dumps(
                [event.body for event in agent.agents.bus.since(topics=["agent."])]
            )
            for agent in (ctx, one, other, two)
        }
        whole = [agent for agent, said in seen.items() if "zebra goal" in said]
        assert whole == ["main", "one"]
        assert [agent for agent, said in seen.items() if "zebra result" in said] == ["main", "one"]
        assert [agent for agent, said in seen.items() if "gnu goal" in said] == ["one", "one/two"]
        assert [agent for agent, said in seen.items() if "gnu res" in said] == ["one", "one/two"]
        (_, _, event, *_) = other.agents.bus.since()
        assert event.body == {"agent": "two", "child_id": "one/two"} and not event.page
        on_it = b"".join(store.get(name) for name in store.names("bus/"))
        assert b"zebra" not in on_it and b"gnu" not in on_it


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


def test_failed_and_lost_say_so(tmp_path: Path) -> None:
    """A child that failed gives its reason; of one given up the parent tells that it is lost."""
    with loom.open(tmp_path / "w", durable=False) as ctx:
        with ctx.agents.spawn("Go.", name="one") as child:
            child.agents.deliver("Half.", status="failed", error="no network")
        ctx.agents.spawn("Go.", name="two").close()
        ctx.agents.give_up("two", "its process was killed")
        one, two = (event.body for event in told(ctx, "agent.result"))
        assert (one["status"], one["result"], one["error"]) == ("failed", "Half.", "no network")
        assert (two["status"], two["error"]) == ("lost", "its process was killed")
        ctx.agents.wait()
        assert len(told(ctx, "agent.result")) == 2


def test_no_secret_is_told(tmp_path: Path) -> None:
    """What a pattern knows as a secret is in no event, and on no page of one."""
    with loom.open(tmp_path / "w", durable=False) as ctx:
        with ctx.agents.spawn(f"Use {SECRET}.", name="one") as child:
            child.agents.deliver(f"Used {SECRET}.")
        bodies = json.dumps([event.body for event in ctx.agents.bus.since()])
        assert SECRET not in bodies and bodies.count("[redacted:") == 2
    held = b"".join(path.read_bytes() for path in (tmp_path / "w").rglob("*") if path.is_file())
    assert SECRET.encode() not in held


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


def test_many_who_tell_at_once_are_heard_once(tmp_path: Path) -> None:
    """Announcers that race leave one event that counts, the same one for every reader."""
    with loom.open(tmp_path / "w", durable=False) as ctx:
        ctx.agents.spawn("Go.", name="one").close()
    store = FileStore(tmp_path / "w", durable=False)
    one = resulted(tmp_path / "w" / "agents" / "one", AgentResult("one", "done", "Done."))
    buses = [EventBus(store, "one") for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda bus: bus.announce(one), buses))
    seen = [EventBus(store, name).since(topics=["agent.result"]) for name in ("main", "one", "x")]
    assert [len(events) for events in seen] == [1, 1, 1]
    assert len({events[0].number for events in seen}) == 1


def test_a_damaged_page_leaves_the_bare_fact(tmp_path: Path) -> None:
    """The event still says who and how; its payload raises."""
    with loom.open(tmp_path / "w", durable=False) as ctx:
        with ctx.agents.spawn("Go.", name="one") as child:
            child.agents.deliver("Done.")
        for page in (tmp_path / "w" / "agents" / "one" / "bus" / "pages").iterdir():
            page.chmod(0o600)
            page.write_bytes(b"\xff")
        (event,) = told(ctx, "agent.result")
        assert event.body["status"] == "done" and "result" not in event.body
        with pytest.raises(loom.LoomError):
            ctx.agents.bus.payload(event)
