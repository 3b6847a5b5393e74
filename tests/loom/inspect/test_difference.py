"""How two requests differ, told by partition and by surface."""

from __future__ import annotations

from loom.inspect.difference import SurfaceChange, difference
from tests.kit.opened import Open, opened_with

opened = opened_with(window=8_192)


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
