"""Every request that was ever sent can be made again, from the journal and its pages alone."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import json

import loom
from loom.inspect.contents import READ_AHEAD
from loom.inspect.difference import WindowDifference, window_difference
from loom.inspect.remade_requests import RemadeRequests, rendered_turn, request_at
from loom.providers.formats import FORMATS
from loom.session.archive.folded_journal import records_of
from loom.session.archive.workspace import Workspace
from loom_partitions.records import Turned
from loom_partitions.window import Window, apply
from tests.kit.cases import all_cases
from tests.kit.journal import records
from tests.kit.opened import Open, opened_with, plain
from tests.kit.rich_workspace import rich
from tests.kit.rich_workspace import step as small_step
from tests.kit.step import step

opened = opened_with(window=8_192)
RENEWALS = 10


class Sent(NamedTuple):
    """A request as it was when it was sent."""

    sha256: str
    messages: tuple[object, ...]
    requests: dict[str, dict[str, Any]]
    window: Window


def sent(ctx: loom.Context) -> Sent:
    """Make a request, and keep all of it."""
    turn = ctx.turn()
    made = {name: deepcopy(turn.request(name)) for name in FORMATS}
    return Sent(turn.sha256, turn.messages, made, ctx.window)


def _undone(ctx: loom.Context, number: int) -> None:
    ctx.history.undo(to=number % ctx.window.sent.turn + 1)


def _acknowledged(ctx: loom.Context, number: int) -> None:
    for event in ctx.window.working.events:
        ctx.events.acknowledge(event.ids[0], ("ignore", "defer")[number % 2])


# What may happen between two requests.
DEEDS: dict[str, Callable[[loom.Context, int], object]] = {
    "step": lambda ctx, n: step(ctx, n % 60, tool="Read", args={"path": f"part_{n % 7}.py"}),
    "long": lambda ctx, n: step(ctx, 150 + n, tool="Bash"),
    "edit": lambda ctx, n: step(ctx, "ok", tool="Edit", args={"path": f"part_{n % 7}.py"}),
    "failed": lambda ctx, n: step(ctx, f"FAILED test_{n}", error=True),
    "user": lambda ctx, n: ctx.user(f"Part {n}, then. " + "Mind the ends. " * (n % 9)),
    "plan": lambda ctx, n: ctx.working.plan([("read", "done"), (f"port {n}", "doing")]),
    "question": lambda ctx, n: ctx.working.ask(f"q{n}", f"Why {n}?"),
    "evidence": lambda ctx, n: ctx.working.evidence(f"e{n}", f"It is {n}."),
    "event": lambda ctx, n: ctx.events.signal(f"ev{n}", f"build {n} is red", kind="ci"),
    "acknowledge": _acknowledged,
    "memory": lambda ctx, n: ctx.memory.remember("AGENTS.md", f"Rule {n}: never push."),
    "skill": lambda ctx, n: ctx.skills.activate(f"skill{n % 3}", f"Do it {n} times."),
    "system": lambda ctx, n: ctx.system(f"You are careful, {n} times."),
    "turn": lambda ctx, n: ctx.turn(),
    "undo": _undone,
}
CHAPTERS = st.lists(
    st.lists(st.tuples(st.sampled_from(sorted(DEEDS)), st.integers(0, 99)), min_size=1, max_size=6),
    min_size=RENEWALS + 1,
    max_size=RENEWALS + 1,
)


def lived(ctx: loom.Context, chapters: list[list[tuple[str, int]]]) -> dict[int, Sent]:
    """Live the chapters with a renewal after each; every request that was made, by its number."""
    made: dict[int, Sent] = {}
    ctx.user("Port it.")
    for chapter in chapters:
        for deed, number in chapter:
            made[ctx.turn().number] = sent(ctx)
            DEEDS[deed](ctx, number)
        made[ctx.turn().number] = sent(ctx)
        ctx.renew()
    made[ctx.turn().number] = sent(ctx)
    return made


@all_cases("number", [0, -1, 3, 10**9])
def test_an_unknown_request(opened: Open, number: int) -> None:
    """The error names those there are."""
    ctx = opened()
    with pytest.raises(loom.BadInput, match="none was made yet"):
        request_at(ctx._engine.workspace)
    ctx.user("Go.")
    ctx.turn()
    step(ctx)
    ctx.turn()
    with pytest.raises(loom.BadInput, match="they run from 1 to 2"):
        request_at(ctx._engine.workspace, number)


def test_the_record_says_the_sha256(opened: Open) -> None:
    """It is that of the Turn; asked again nothing is recorded, and the same is given."""
    ctx = opened()
    ctx.user("Go.")
    turn = ctx.turn()
    assert ctx.turn().sha256 == turn.sha256
    found = [one for one in records(ctx) if isinstance(one, Turned)]
    assert [one.sha256 for one in found] == [turn.sha256] != [""]


@settings(suppress_health_check=list(HealthCheck), max_examples=4, deadline=None)
@given(chapters=CHAPTERS, pairs=st.lists(st.tuples(st.integers(0, 999), st.integers(0, 999))))
def test_every_request_of_a_life(
    tmp_path_factory: pytest.TempPathFactory,
    chapters: list[list[tuple[str, int]]],
    pairs: list[tuple[int, int]],
) -> None:
    """Across ten renewals, cuts and undoing each is made again to the byte, in every format, by a
    reader of the folder; what differs between any two adds up."""
    folder = tmp_path_factory.mktemp("life") / "w"
    with plain(folder, window=8_192, goal="Port it.") as ctx:
        made = lived(ctx, chapters)
        assert ctx.window.sent.generation > RENEWALS
    workspace = Workspace.at_path(folder, write=False)
    assert sorted(workspace.index.requests) == sorted(made)
    windows = {}
    for number, was in made.items():
        found = request_at(workspace, number)
        assert found.recorded == found.turn.sha256 == was.sha256 and not found.differs
        assert found.turn.messages == was.messages
        assert {name: found.turn.request(name) for name in FORMATS} == was.requests
        assert found.window.tokens == was.window.tokens
        windows[number] = found.window
        assert window_difference(found.window, was.window).empty
    numbers = sorted(made)
    for first, second in (*pairs, (0, len(numbers) - 1)):
        one, two = (windows[numbers[at % len(numbers)]] for at in (first, second))
        adds_up(one, two, window_difference(one, two))
        assert mirrored(window_difference(one, two)) == mirrored(
            window_difference(two, one), back=True
        )


@settings(suppress_health_check=list(HealthCheck), max_examples=5, deadline=None)
@given(chapters=CHAPTERS, data=st.data())
def test_going_back_and_forking(
    tmp_path_factory: pytest.TempPathFactory,
    chapters: list[list[tuple[str, int]]],
    data: st.DataObject,
) -> None:
    """After an undo, and in a fork, the window says all that the request gone back to did; what
    follows is the notice of what was undone, and a line of the dashboard where that changed."""
    folder = tmp_path_factory.mktemp("life") / "w"
    with plain(folder, window=8_192, goal="Port it.") as ctx:
        made = lived(ctx, chapters)
        names = count()
        for back in data.draw(st.lists(st.sampled_from(sorted(made)), min_size=1, max_size=3)):
            with ctx.agents.fork(f"f{next(names)}", at=back, durable=False) as fork:
                follows(made[back], fork)
            ctx.history.undo(to=back)
            follows(made[back], ctx)


def follows(was: Sent, ctx: loom.Context) -> None:
    """The window says what that request did, and at most the notice behind it; so does the next
    request, with the dashboard and what is read ahead, unless it had to be cut first."""
    held = rendered_turn(ctx._engine.workspace, ctx.window).messages
    assert held[: len(was.messages)] == was.messages
    assert len(held) <= len(was.messages) + 1
    cuts = ctx.window.sent.cuts
    turn = ctx.turn()
    if ctx.window.sent.cuts == cuts:
        assert turn.messages[: len(held)] == held and len(turn.messages) <= len(held) + 2
        assert all(message.role == "user" for message in turn.messages[len(was.messages) :])
    again = request_at(ctx._engine.workspace)
    assert (again.turn.messages, again.recorded) == (turn.messages, turn.sha256)


def entries(window: Window) -> list[str]:
    """The names of the entries that stand in a window, sorted."""
    return sorted(f"{type(item).__name__} {item.id}" for item in window.history.stream.entries)


KINDS = {"user": "UserTurn", "ahead": "UserTurn", "step": "Step", "digest": "Digest"}


def adds_up(one: Window, two: Window, found: WindowDifference) -> None:
    """Entries of the second are those of the first less what left and with what entered; tokens
    by partition are the windows', and the changes lead from the ones to the others."""
    parts = {part.name: part for part in found.partitions}
    held = entries(one)
    for change in parts["history"].changes:
        kind, _, id = change.name.replace(READ_AHEAD, "ahead_").partition("_")
        name = f"{KINDS.get(kind, '')} {int(id)}" if id else ""
        if change.how == "left" and name:
            held.remove(name)
        if change.how == "entered" and name:
            held.append(name)
    assert sorted(held) == entries(two)
    for name, part in parts.items():
        pairs = [(c.before, c.after) for c in part.changes]
        moved = sum((new.tokens if new else 0) - (old.tokens if old else 0) for old, new in pairs)
        assert part.before + moved == part.after, name
    for side, window in (("before", one), ("after", two)):
        sums = {name: getattr(part, side) for name, part in parts.items()}
        tokens = window.tokens
        assert sums["system"] == tokens.system and sums["memory"] == tokens.memory
        assert sums["skill"] + sums["tools"] == tokens.skill
        assert (sums["history"], sums["working"]) == (tokens.history, tokens.working)


def mirrored(found: WindowDifference, *, back: bool = False) -> object:
    """What was found, the other way round when it is asked `back`."""
    items = sorted(
        repr((part.name, *((one.after, one.before) if back else (one.before, one.after))))
        for part in found.partitions
        for one in part.changes
    )
    surfaces = sorted(
        (one.surface, one.id, *((one.after, one.before) if back else (one.before, one.after)))
        for one in found.surfaces
    )
    return items, surfaces


def test_one_after_the_other(folder: Path) -> None:
    """Made in their order, where only what is new is rendered, they are those made each alone; what
    is encoded is a small part of what all of them hold."""
    with loom.open(rich(folder), durable=False) as ctx:
        for number in range(70, 90):  # no cut lies between their requests
            small_step(ctx, number, 2)
    workspace = Workspace.at_path(folder, write=False)
    again, window, made = RemadeRequests(workspace), Window(), 0
    for commit in workspace.journal.scan():
        for record in records_of(commit):
            window = apply(window, record)
            if isinstance(record, Turned):
                turn, alone = again.turn(window, record.sha256), request_at(workspace, record.turn)
                assert turn.sha256 == record.sha256 and turn.messages == alone.turn.messages
                made += sum(len(json.encode(message)) for message in turn.messages)
    assert 0 < again._requests.rendering.encoded < made / 2
