"""How two requests differ, told by partition and by surface."""

from __future__ import annotations

from pathlib import Path

import loom
from loom.engine.difference import SurfaceChange, difference
from loom_partitions.window import Window
from tests.kit.opened import Open, opened_with
from tests.kit.step import step

opened = opened_with(window=8_192)


def changes(one: Window, two: Window) -> set[tuple[str, str, str]]:
    """(partition, how, name) of every item that changed."""
    found = difference(one, two)
    return {(part.name, c.how, c.name) for part in found.partitions for c in part.changes}


def test_nothing_differs(opened: Open) -> None:
    """A window from itself, and an empty one from another empty one."""
    assert difference(Window(), Window()).empty
    ctx = opened(goal="Port it.")
    ctx.user("Go.")
    ctx.turn()
    found = difference(ctx.window, ctx.window)
    assert found.empty and all(part.before == part.after for part in found.partitions)
    assert {part.name: part.same for part in found.partitions}["history"] == 1


def test_what_came_in(opened: Open) -> None:
    """Entries, memory, a skill and a tool enter their partitions; one by one they are named."""
    ctx = opened()
    before = ctx.window
    ctx.system("Be careful.", "care")
    ctx.memory.remember("AGENTS.md", "Never push.")
    ctx.skills.activate("release", "Tag, build.")
    ctx.user("Go.")
    assert changes(before, ctx.window) >= {
        ("system", "entered", "care"),
        ("memory", "entered", "AGENTS.md"),
        ("skill", "entered", "release"),
        ("history", "entered", "user_0001"),
    }


def test_a_tool(opened: Open) -> None:
    """A declared tool is told with the tools, by its name."""
    ctx = opened()
    before = ctx.window
    ctx.tools.declare({"name": "look", "description": "Look."})
    assert ("tools", "entered", "look") in changes(before, ctx.window)


def test_after_the_first_request_changes_wait_in_a_notice(opened: Open) -> None:
    """The head stays as it was sent: the text there is stale, and a notice says the new one."""
    ctx = opened()
    ctx.memory.remember("AGENTS.md", "Never push.")
    ctx.user("Go.")
    ctx.turn()
    before = ctx.window
    ctx.memory.remember("AGENTS.md", "Always push.")
    assert changes(before, ctx.window) == {
        ("memory", "changed", "AGENTS.md"),
        ("memory", "entered", "notice"),
    }


def test_levels_of_detail(opened: Open) -> None:
    """What a renewal lowered has changed, what it folded has left, and a digest stands for it."""
    ctx = opened()
    ctx.user("Port it.")
    for _ in range(14):
        ctx.turn()
        step(ctx, 30)
    ctx.turn()
    before = ctx.window
    ctx.renew()
    ctx.turn()
    found = difference(before, ctx.window)
    part = next(part for part in found.partitions if part.name == "history")
    assert part.after < part.before
    lowered = [c for c in part.changes if c.how == "changed" and c.before and c.after]
    assert all(c.before.detail != c.after.detail for c in lowered if c.before and c.after)
    names = {(c.how, c.name.partition("_")[0]) for c in part.changes}
    assert ("entered", "digest") in names and ("left", "step") in names


def test_the_surfaces(opened: Open) -> None:
    """Goal, plan, questions, evidence and events: what is new, what says something else, what
    went."""
    ctx = opened(goal="Port it.")
    ctx.working.plan([("read", "doing"), ("port", "todo")])
    ctx.working.ask("q1", "Which version?")
    ctx.events.signal("ci", "the build is red")
    before = ctx.window
    ctx.working.set_goal("Port all of it.")
    ctx.working.plan([("read", "done"), ("test", "todo")])
    ctx.working.answered("q1")
    ctx.working.evidence("e1", "It is 3.11.", confidence=0.9)
    ctx.events.acknowledge("ci", "defer")
    assert set(difference(before, ctx.window).surfaces) == {
        SurfaceChange("changed", "goal", "goal", "Port it.", "Port all of it."),
        SurfaceChange("changed", "plan", "read", "doing", "done"),
        SurfaceChange("left", "plan", "port", "todo", ""),
        SurfaceChange("entered", "plan", "test", "", "todo"),
        SurfaceChange("left", "questions", "q1", "Which version?", ""),
        SurfaceChange("entered", "evidence", "e1", "", "It is 3.11. (0.90)"),
        SurfaceChange("left", "events", "ci", "normal: the build is red", ""),
        SurfaceChange("entered", "risks", "ci", "", "defer (normal): the build is red"),
        SurfaceChange("entered", "decisions", "ci", "", "defer"),
    }


def test_the_same_step_of_the_plan_twice(opened: Open) -> None:
    """Each is told, and one that goes is told as one."""
    ctx = opened()
    ctx.working.plan(["test", "test"])
    before = ctx.window
    ctx.working.plan(["test"])
    found = difference(before, ctx.window).surfaces
    assert [(one.how, one.id) for one in found] == [("left", "test (2)")]


def test_back_where_it_was(opened: Open, tmp_path: Path) -> None:
    """After an undo nothing differs from the request gone back to but the notice."""
    ctx = opened()
    ctx.user("Port it.")
    first = ctx.turn()
    before = ctx.window
    for _ in range(3):
        step(ctx, 20)
        ctx.turn()
    ctx.history.undo(to=first.number)
    assert changes(before, ctx.window) == {("working", "entered", "notice")}
    assert isinstance(ctx, loom.Context)
