"""The shelves as a host fills and empties them, and what a renewal takes from them."""

from __future__ import annotations

import pytest

import loom
from loom_partitions.records import Renewed
from tests.kit.journal import records
from tests.kit.opened import PLAIN, Open, opened_with
from tests.kit.step import step

TOKENS = 8  # of a line of `text`


def text(name: str, tokens: int) -> str:
    """A text of about that many tokens, told apart by its name."""
    return "".join(f"rule {n} of the {name}\n" for n in range(tokens // TOKENS))


def head(turn: loom.Turn) -> str:
    """The leading system message of a request; "" when there is none."""
    first = turn.request()["messages"][0]
    return str(first) if first["role"] == "system" else ""


# A capacity of 6,000 tokens unless said.
opened = opened_with(window=8_192, reply=2_192, policy=PLAIN)


# What a renewal sheds


def crowded(ctx: loom.Context) -> None:
    """Two skills that leave little room, a memory text, and some steps."""
    ctx.skills.activate("old", text("old skill", 2_400))
    ctx.skills.activate("new", text("new skill", 2_400))
    ctx.memory.remember("AGENTS.md", "Run make test.")
    for _ in range(2):
        ctx.turn()
        step(ctx, 12)


def shed_by(ctx: loom.Context) -> tuple[str, ...]:
    """What the newest renewal left behind."""
    return [record.shed for record in records(ctx) if isinstance(record, Renewed)][-1]


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
    step(ctx, 12)
    ctx.turn()
    ctx.overflowed(ValueError("maximum context length is 2,500 tokens"))
    assert shed_by(ctx) == ("skill:old", "skill:new", "memory:AGENTS.md")
    said = str(ctx.turn().messages[-1])
    assert "left the window: skill:old, skill:new, memory:AGENTS.md" in said
