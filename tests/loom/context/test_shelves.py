"""The shelves as a host fills and empties them, and what a renewal takes from them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import loom
from loom_partitions.records import Renewed
from tests.kit.cases import all_cases
from tests.kit.journal import files
from tests.kit.opened import PLAIN, Open, opened_with

Give = Callable[[loom.Context], object]
TOKENS = 8  # of a line of `text`


def text(name: str, tokens: int) -> str:
    """A text of about that many tokens, told apart by its name."""
    return "".join(f"rule {n} of the {name}\n" for n in range(tokens // TOKENS))


def step(ctx: loom.Context, tokens: int = 200) -> None:
    """Add a step with a result of about that many tokens."""
    id = ctx.window.history.next_id
    ctx.reply(loom.Reply((loom.ToolCall(f"c{id}", "Bash", f'{{"command":"run {id}"}}'),)))
    ctx.result(f"c{id}", text(f"run {id}", tokens))


def head(turn: loom.Turn) -> str:
    """The leading system message of a request; "" when there is none."""
    first = turn.request()["messages"][0]
    return str(first) if first["role"] == "system" else ""


# A capacity of 6,000 tokens unless said.
opened = opened_with(window=8_192, reply=2_192, policy=PLAIN)


# Taking out

SHELVES: list[Any] = [
    pytest.param(
        "memory",
        lambda ctx, *given: ctx.memory.remember(*given),
        lambda ctx, key: ctx.memory.forget(key),
        id="memory",
    ),
    pytest.param(
        "skill",
        lambda ctx, *given: ctx.skills.activate(*given),
        lambda ctx, key: ctx.skills.drop(key),
        id="skill",
    ),
]


@pytest.mark.parametrize(("shelf", "put", "take"), SHELVES)
def test_an_unknown_key_is_nothing(opened: Open, shelf: str, put: Any, take: Any) -> None:
    """Taking out what is not there, or is there no more, writes nothing."""
    ctx = opened()
    put(ctx, "k", "a text")
    take(ctx, "k")
    before = ctx._engine.workspace.commits
    for key in ("other", "k", ""):
        take(ctx, key)
    assert ctx._engine.workspace.commits == before


@pytest.mark.parametrize(("shelf", "put", "take"), SHELVES)
def test_taken_out_before_the_first_request(opened: Open, shelf: str, put: Any, take: Any) -> None:
    """It never stands in a request; the other key does."""
    ctx = opened()
    put(ctx, "k", "a text to lose")
    put(ctx, "l", "a text to keep")
    take(ctx, "k")
    request = str(ctx.turn().request())
    assert "to lose" not in request
    assert "to keep" in request


@pytest.mark.parametrize(("shelf", "put", "take"), SHELVES)
def test_taken_out_between_cuts(opened: Open, shelf: str, put: Any, take: Any) -> None:
    """A notice says so at once; the next cut takes the text, the notice, and their tokens away."""
    ctx = opened()
    put(ctx, "guide", text("guide", 700))
    put(ctx, "l", "a text to keep")
    before = ctx.turn()
    take(ctx, "guide")
    after = ctx.turn()
    sent, told = before.request()["messages"], after.request()["messages"]
    assert told[: len(sent)] == sent
    said = str(told[len(sent) :])
    assert "guide" in said
    assert "removed" in said
    held = getattr(ctx.window.tokens, shelf)
    while ctx.window.sent.cuts == 0:
        step(ctx, 900)
        ctx.turn()
    assert getattr(ctx.window.tokens, shelf) < held - 600
    assert "to keep" in head(ctx.turn())
    assert "of the guide" not in str(ctx.turn().request())
    sha256 = ctx.turn().sha256
    ctx.close()
    assert opened(window=None, reply=None).turn().sha256 == sha256


# What does not fit

DOORS: list[tuple[str, Give]] = [
    ("system", lambda ctx: ctx.system(text("system", 9_000))),
    ("memory", lambda ctx: ctx.memory.remember("k", text("memory", 9_000))),
    ("skill", lambda ctx: ctx.skills.activate("k", text("skill", 9_000))),
]


@pytest.mark.parametrize(("name", "give"), DOORS, ids=[name for name, _ in DOORS])
def test_what_is_refused_leaves_no_page(
    opened: Open, tmp_path: Path, name: str, give: Give
) -> None:
    """OverCapacity, and neither a file nor a page more than before."""
    ctx = opened()
    ctx.system(text("first", 600))
    ctx.turn()
    before, pages = files(tmp_path), ctx.pressure.pages
    for _ in range(2):
        with pytest.raises(loom.OverCapacity, match=name):
            give(ctx)
    assert files(tmp_path) == before
    ctx.user("go on")
    assert ctx.turn().pressure.pages == pages


# What changes often


@pytest.mark.parametrize("preset", ["lazy", "eager"])
def test_a_memory_that_changes_every_turn(opened: Open, preset: str) -> None:
    """Stale notices leave with a cut that settles them; without history no renewal is needed."""
    ctx = opened(policy=preset)
    ctx.turn()
    for number in range(20):
        ctx.memory.remember("AGENTS.md", text(f"version {number}", 900))
        turn = ctx.turn()
        assert turn.pressure.rho <= 1.0
        assert turn.pressure.generation == 1
        assert f"rule 0 of the version {number}\\n" in str(turn.request())
    assert ctx.window.sent.cuts
    assert "of the version 0\\n" not in str(ctx.turn().request())


@pytest.mark.parametrize(("shelf", "put", "take"), SHELVES)
def test_a_text_that_comes_and_goes(opened: Open, shelf: str, put: Any, take: Any) -> None:
    """Put in and taken out again and again, it never forces a renewal either."""
    ctx = opened()
    ctx.turn()
    for number in range(20):
        put(ctx, "k", text(f"version {number}", 900))
        assert ctx.turn().pressure.rho <= 1.0
        take(ctx, "k")
        assert ctx.turn().pressure.rho <= 1.0
    assert ctx.window.sent.generation == 1


# What a renewal sheds


def crowded(ctx: loom.Context) -> None:
    """Two skills that leave little room, a memory text, and some steps."""
    ctx.skills.activate("old", text("old skill", 2_400))
    ctx.skills.activate("new", text("new skill", 2_400))
    ctx.memory.remember("AGENTS.md", "Run make test.")
    for _ in range(2):
        ctx.turn()
        step(ctx, 100)


def shed_by(ctx: loom.Context) -> tuple[str, ...]:
    """What the newest renewal left behind."""
    workspace = ctx._engine.workspace
    records = (r for n in range(workspace.commits, 0, -1) for r in workspace.records(n))
    return next(record.shed for record in records if isinstance(record, Renewed))


def told_once(ctx: loom.Context) -> None:
    """The next dashboard, and no other notice, names the skill that left."""
    turn = ctx.turn()
    assert shed_by(ctx) == ("skill:old",)
    assert turn.pressure.rho <= 1.0
    assert "left the window: skill:old" in str(turn.messages[-1])
    assert "of the old skill" not in head(turn)
    assert "of the new skill" in head(turn)
    assert "Run make test." in head(turn)
    sent = len(turn.messages)
    ctx.user("go on")
    ctx.events.signal("e1", "it rained")
    assert "left the window" not in str(ctx.turn().messages[sent:])


@pytest.mark.exact
def test_a_renewal_sheds_the_oldest_skill(opened: Open) -> None:
    """When C_working needs the room, the skill activated first gives way and is named."""
    ctx = opened()
    ctx.system("rule " * 250)
    crowded(ctx)
    ctx.working.plan([f"{number} " + "then look at the next of them " * 6 for number in range(12)])
    ctx.working.note(text("scratchpad", 600))
    for _ in range(9):
        if ctx.window.sent.generation == 1:
            step(ctx, 400)
            ctx.turn()
    told_once(ctx)
    assert ctx.window.sent.generation == 2


@pytest.mark.exact
@pytest.mark.parametrize("reopened", [False, True], ids=["at once", "after a reopen"])
def test_a_renewal_after_a_refusal_sheds_it_too(opened: Open, reopened: bool) -> None:
    """The same when a provider's limit needs the room: the next dashboard names what left."""
    ctx = opened(window=16_000, reply=1_000)
    crowded(ctx)
    ctx.turn()
    ctx.overflowed(ValueError("maximum context length is 4,200 tokens"))
    if reopened:
        ctx.close()
        ctx = opened(window=None, reply=None)
    told_once(ctx)
    assert ctx.window.limits.window == 4_200


def test_memory_goes_after_every_skill(opened: Open) -> None:
    """Only when no skill is left a memory text is shed."""
    ctx = opened(window=16_000, reply=1_000)
    ctx.memory.remember("AGENTS.md", text("memory", 2_400))
    ctx.skills.activate("old", text("old skill", 1_000))
    ctx.skills.activate("new", text("new skill", 1_000))
    step(ctx, 100)
    ctx.turn()
    ctx.overflowed(ValueError("maximum context length is 2,500 tokens"))
    assert shed_by(ctx) == ("skill:old", "skill:new", "memory:AGENTS.md")
    said = str(ctx.turn().messages[-1])
    assert "left the window: skill:old, skill:new, memory:AGENTS.md" in said


@all_cases("limit", range(724, 796, 8))
def test_the_names_of_what_left_have_room(opened: Open, limit: int) -> None:
    """Many long names of shed skills: the request that tells them still fits."""
    ctx = opened(window=16_000, reply=500, goal="Fix it. " * 10)
    for number in range(6):
        key = f"skill number {number} with quite a long descriptive name of eighty characters"
        ctx.skills.activate(key, "do this\n" * 120)
    ctx.user("please look at the parser " * 20)
    ctx.turn()
    ctx.overflowed(ValueError(f"maximum context length is {limit} tokens"))
    assert ctx.turn().pressure.rho <= 1.0
