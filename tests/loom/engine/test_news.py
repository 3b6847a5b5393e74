"""What changes in C_working between cuts is told in the next request, and only what changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import loom
from tests.kit.cases import all_cases
from tests.kit.step import step

Give = Callable[[loom.Context], object]
ITEMS = [f"{at}. port the module called part{at:02d} and run its tests" for at in range(12)]


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[loom.Context]:
    """A context whose first request was made, with a reply and its result after it."""
    with loom.open(tmp_path / "w", goal="Fix the parser.", window=32_000, durable=False) as made:
        made.turn()
        step(made)
        yield made


def news(ctx: loom.Context) -> str:
    """What the next request says that the window did not: its notices, before any cut."""
    cuts = ctx.window.sent.cuts
    before = len(ctx.window.history.stream)
    turn = ctx.turn()
    assert ctx.window.sent.cuts == cuts
    new = list(ctx.window.history.stream)[before:]
    said = "\n".join(getattr(item, "text", "") for item in new)
    assert said in "\n".join(
        getattr(block, "text", "") for message in turn.messages for block in message.blocks
    )
    return said


CHANGES: list[tuple[str, list[Give], list[str]]] = [
    ("nothing", [], []),
    ("the same goal", [lambda ctx: ctx.working.set_goal("Fix the parser.")], []),
    ("a goal", [lambda ctx: ctx.working.set_goal("Port the reader.")], ["Port the reader."]),
    ("an event", [lambda ctx: ctx.events.signal("e-17", "it broke")], ["e-17", "it broke"]),
    (
        "two events",
        [
            lambda ctx: ctx.events.signal("e-1", "x", kind="a"),
            lambda ctx: ctx.events.signal("e-2", "y"),
        ],
        ["e-1", "e-2"],
    ),
    (
        "two events of one kind",
        [lambda ctx: ctx.events.signal("e-1", "x"), lambda ctx: ctx.events.signal("e-2", "x")],
        ["e-1", "e-2"],
    ),
    (
        "a disposition",
        [
            lambda ctx: ctx.events.signal("e-1", "x"),
            lambda ctx: ctx.events.acknowledge("e-1", "defer"),
        ],
        ["e-1", "defer"],
    ),
    ("a question", [lambda ctx: ctx.working.ask("q-3", "Which reader?")], ["q-3", "Which reader?"]),
    (
        "a plan",
        [lambda ctx: ctx.working.plan([("Read the tests", "doing"), ("Write the reader", "todo")])],
        ["Read the tests", "Write the reader"],
    ),
    ("a plan to do", [lambda ctx: ctx.working.plan(["Read the tests"])], ["Read the tests"]),
    (
        "everything",
        [
            lambda ctx: ctx.working.set_goal("Port the reader."),
            lambda ctx: ctx.events.signal("e-17", "it broke"),
            lambda ctx: ctx.working.ask("q-3", "Which reader?"),
            lambda ctx: ctx.working.plan([("Read the tests", "doing")]),
        ],
        ["Port the reader.", "e-17", "q-3", "Read the tests"],
    ),
]


@all_cases(("name", "changes", "told"), CHANGES, ids=[name for name, *_ in CHANGES])
def test_told_in_the_next_request(
    ctx: loom.Context, name: str, changes: list[Give], told: list[str]
) -> None:
    """Each change by its text or id, at once; the turn after says nothing of it again."""
    for change in changes:
        change(ctx)
    said = news(ctx)
    assert [words for words in told if words not in said] == []
    assert bool(said) == bool(told)
    step(ctx)
    assert news(ctx) == ""


def test_every_later_change_is_told(ctx: loom.Context) -> None:
    """Not only the first: one after another, each in the request after it."""
    for number in range(6):
        ctx.events.signal(f"e-{number}", f"event {number}", kind=f"kind {number}")
        assert f"e-{number}" in news(ctx)
        step(ctx)
        ctx.working.set_goal(f"Goal number {number}.")
        assert f"Goal number {number}." in news(ctx)
        step(ctx)
        ctx.working.ask(f"q-{number}", "why?")
        assert f"q-{number}" in news(ctx)
        step(ctx)


@pytest.mark.parametrize("doing", [0, 5, 11])
def test_an_item_of_a_long_plan(ctx: loom.Context, doing: int) -> None:
    """Whichever of twelve items is begun, the request after it names it as begun."""
    ctx.working.plan(ITEMS)
    news(ctx)
    step(ctx)
    ctx.working.plan([(item, "doing" if at == doing else "todo") for at, item in enumerate(ITEMS)])
    said = [line for line in news(ctx).splitlines() if f"part{doing:02d}" in line]
    assert said
    assert any("[>]" in line or "doing" in line for line in said)


@pytest.mark.parametrize("surface", ["goal", "event", "question"])
def test_beside_a_long_plan(ctx: loom.Context, surface: str) -> None:
    """A plan of twelve written at the same time crowds out neither goal, event nor question."""
    ctx.working.plan([*ITEMS[:11], ("and at last port part99", "doing")])
    ctx.working.set_goal("Port the reader.")
    ctx.events.signal("e-17", "the build broke")
    ctx.working.ask("q-3", "Which reader?")
    said = news(ctx)
    assert {"goal": "Port the reader.", "event": "e-17", "question": "q-3"}[surface] in said


def test_a_change_told_survives_a_reopen(tmp_path: Path) -> None:
    """A reopened workspace makes the same request, and does not tell it again."""
    with loom.open(tmp_path, goal="Fix it.", window=32_000, durable=False) as ctx:
        ctx.turn()
        ctx.events.signal("e-17", "the build broke")
        turn = ctx.turn()
        assert "e-17" in str(turn.messages[-1])
    with loom.open(tmp_path, durable=False) as ctx:
        assert ctx.turn().sha256 == turn.sha256
        step(ctx)
        assert news(ctx) == ""
