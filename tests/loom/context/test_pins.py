"""Pins and shelves: what a host wants to stay, and what a renewal takes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import loom
from loom_paging import MissingPage
from loom_partitions.message import Detail, Step, UserTurn
from loom_partitions.records import Renewed
from tests.kit.journal import records
from tests.kit.opened import PLAIN, Open, opened_with, plain
from tests.kit.step import step

KEPT = "".join(f"kept_{n} is what matters\n" for n in range(30))


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[loom.Context]:
    """A small window with a first message and one step of note."""
    with plain(tmp_path / "w", window=8_000) as made:
        made.user("start")
        step(made, KEPT)
        yield made


def standing(ctx: loom.Context, id: int) -> Step | UserTurn | None:
    """The entry as it stands, None when it left."""
    entries = ctx.window.history.stream.entries
    return next((e for e in entries if isinstance(e, Step | UserTurn) and e.id == id), None)


def test_an_entry_that_left_cannot_be_pinned(ctx: loom.Context) -> None:
    """What was folded, or is a line, is not there to be pinned."""
    ctx.renew(200)
    step(ctx, 60)
    ctx.renew(200)
    left = standing(ctx, 2)
    assert left is None or left.detail >= Detail.REDUCED
    with pytest.raises(MissingPage, match="no entry"):
        ctx.pin(2)


def test_too_much_is_refused(ctx: loom.Context) -> None:
    """Entries beyond a quarter of the window, or lines beyond what fits, raise OverCapacity."""
    with pytest.raises(loom.OverCapacity) as raised:
        for _ in range(20):
            ctx.pin(step(ctx, 60))
    assert raised.value.tokens > raised.value.capacity == ctx.window.limits.capacity // 4
    for id, _ in ctx.window.history.pins:
        entry = standing(ctx, id)
        share = 100 * entry.tokens / ctx.window.limits.capacity
        assert f"step_{id:04d} ({share:.1f} %)" in str(raised.value)
    kept = len(ctx.window.history.pins)
    assert kept >= 1
    with pytest.raises(loom.OverCapacity):
        for number in range(100):
            ctx.pin(f"{number}: " + "word " * 150)
    assert len(ctx.window.history.pins) == kept
    ctx.turn()


def test_what_waits_for_results_is_refused_at_once(tmp_path: Path) -> None:
    """Whether it fits is not known before they are in; then it can be pinned, or is too large. So
    it is for each result of a step with several calls, and when the workspace is opened again."""
    with plain(tmp_path / "p", window=8_000) as ctx:
        ctx.user("start")
        step(ctx, KEPT)
        ctx.user("more")
        calls = tuple(loom.ToolCall(f"c{n}", "Read", '{"file_path": "/p/a"}') for n in (1, 2))
        ctx.reply(loom.Reply(calls))
        for call in calls:
            with pytest.raises(loom.LoomError, match=f"step_0004 cannot be pinned yet.*{call.id}"):
                ctx.pin(4)
            ctx.result(call.id, "short")
        ctx.pin("step_0004")
        assert [entry for entry, _ in ctx.window.history.pins] == [4]
        ctx.turn()


def test_a_line_that_would_not_stand_whole_is_refused(ctx: loom.Context) -> None:
    """One so long that its end would be cut off is an error, and no pin."""
    before = ctx.window
    with pytest.raises(loom.LoomError, match=r"characters cannot be pinned"):
        ctx.pin("Never push. " * 200)
    assert ctx.window == before


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
