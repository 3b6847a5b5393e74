"""Isolation: what the second document lays down about agents that work for another."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import loom
from tests.kit.journal import files
from tests.kit.opened import Open
from tests.kit.requests import request
from tests.kit.step import step

GOAL = "Research Bitcoin price trends."
OWN, THEIRS = "parent-only-7f3a", "child-only-91bc"
RESULT = "Bitcoin is at $45,000."


@pytest.fixture
def parent(opened: Open) -> loom.Context:
    """An agent with steps, notes and a memory of its own."""
    ctx = opened("main", goal=f"Write a report ({OWN}).")
    ctx.user(f"Mind this: {OWN}.")
    step(ctx, f"a result with {OWN}\n" * 200)
    ctx.working.note(f"noted {OWN}")
    ctx.memory.remember("facts", f"remembered {OWN}")
    ctx.turn()
    return ctx


@pytest.fixture
def child(parent: loom.Context) -> Iterator[loom.Context]:
    """A child of that agent that has worked and delivered."""
    with parent.agents.spawn(GOAL, name="researcher-1", durable=False) as ctx:
        step(ctx, f"found {THEIRS}\n" * 50)
        ctx.turn()
        yield ctx


def test_child_knows_its_goal_alone(child: loom.Context) -> None:
    """The child's request has the goal it was given, and not a word of its parent's."""
    assert child.working.goal == GOAL
    assert GOAL in request(child)
    assert OWN not in request(child)
    assert child.window.working.depth == 1


def test_child_has_its_own_folder(child: loom.Context, tmp_path: Path) -> None:
    """A child has a workspace of its own: journal, pages, steps that begin at 1."""
    held = files(tmp_path / "main/agents/researcher-1")
    assert any(name.startswith("journal/") for name in held)
    assert next(child.window.history.stream.entries).id == 1


def test_no_leak(child: loom.Context, tmp_path: Path) -> None:
    """0 % leaks: no byte of the parent's own texts stands in any file of the child."""
    held = files(tmp_path / "main/agents/researcher-1")
    assert THEIRS.encode() in b"".join(held.values())
    assert OWN.encode() not in b"".join(held.values())


def test_parent_sees_spawn_and_result(child: loom.Context, parent: loom.Context) -> None:
    """The parent sees that a child was spawned and what it brought, none of its steps."""
    assert f"child researcher-1 works on: {GOAL}" in request(parent)
    child.agents.deliver(RESULT)
    assert parent.agents.join("researcher-1").summary == RESULT
    assert RESULT in request(parent)
    assert THEIRS not in request(parent)


def test_spawn_is_an_event(child: loom.Context, parent: loom.Context) -> None:
    """`agent.spawn` on the bus names the child and its goal, nothing of the parent's context."""
    (event,) = parent.agents.bus.since(topics=["agent.spawn"])
    assert event.source == "main" and event.body["child_id"] == "researcher-1"
    assert event.body["goal"] == GOAL and OWN not in str(event.body)


def test_result_is_an_event(child: loom.Context, parent: loom.Context) -> None:
    """`agent.result` comes from the child with its final result, and nothing of its history."""
    child.agents.deliver(RESULT)
    (event,) = parent.agents.bus.since(topics=["agent.result"])
    assert event.source == "researcher-1" and event.body["parent_id"] == "main"
    assert event.body["result"] == RESULT and THEIRS not in str(event.body)
