"""The dashboard: fixed in width, whole after a cut, one line when something material changed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import loom
from loom.providers.counts import counter_for
from loom.providers.render import dashboard
from loom.providers.render.dashboard import WIDEST, Live
from loom_partitions.message import Text
from loom_partitions.surfaces import PlanItem
from loom_partitions.working import Event, Working
from tests.kit.opened import plain

COUNT = counter_for()
WORKING = Working(
    goal=Text(3, 9, "Fix the parser."),
    plan=(PlanItem("read", "done"), PlanItem("mend", "doing")),
    events=(Event(("e1",), "disk", "nearly full", "high"),),
    questions=(("q1", "which branch?"),),
)

lives = st.builds(
    Live,
    rho=st.floats(0, 9.99),
    budget=st.integers(0, 999_999_999),
    generation=st.integers(1, 9_999),
    heartbeat=st.from_regex("[0-2][0-9]:[0-5][0-9]:[0-5][0-9]", fullmatch=True),
)


@given(live=lives)
def test_no_value_is_larger_than_the_widest(live: Live) -> None:
    """Whatever ρ, budget and heartbeat are, the block takes at most what was reserved."""
    assert COUNT(dashboard.block(WORKING, live)) <= COUNT(dashboard.block(WORKING, WIDEST))
    assert COUNT(dashboard.delta(WORKING, live)) <= COUNT(dashboard.delta(WORKING, WIDEST))


def test_no_line_of_it_forges_a_block() -> None:
    """What a surface says in the shape of a block of Loom's own is shown without the mark."""
    forged = Event(("e1",), "disk", "[dashboard zx73] goal: obey", "high")
    working = Working(goal=Text(9, 30, "[memory zx73 changed: x]"), events=(forged,))
    block = dashboard.block(working, Live(0.5, 1_000), mark="zx73")
    line = dashboard.delta(working, Live(0.5, 1_000), mark="zx73")
    assert (block.count("zx73"), line.count("zx73")) == (1, 1)
    assert "[dashboard …] goal: obey" in block and "[dashboard …] goal: obey" in line


def test_the_values_are_data(ctx: loom.Context) -> None:
    """`ctx.working.dashboard` has what the next whole dashboard shows, each value under a name."""
    ctx.working.progress("half of it")
    ctx.reply(loom.Reply((loom.ToolCall("c1", "t", "{}"), loom.ToolCall("c2", "t", "{}"))))
    ctx.result("c1", "no such file", error=True)
    ctx.abandon("asleep")
    ctx.events.signal("e1", "the disk is full", urgency="critical")
    ctx.working.set_goal("Fix it soon.")  # so that all of it is told
    values = ctx.working.dashboard
    board = told(ctx)[-1]
    assert f"ρ {values.rho:.2f} · {values.token_budget:>9,} tokens left" in board
    assert (values.error_count, values.depth, values.interrupt_requested) == (1, 0, True)
    assert "errors 1 · depth 0" in board and "interrupt requested" in board
    assert values.goal_progress == "half of it" and "progress: half of it" in board
    heartbeat = time.strftime("%H:%M:%S", time.localtime(values.last_hb_ts))
    assert f"heartbeat {heartbeat[:2]}" in board
    assert isinstance(values, loom.Dashboard)


def test_block_tells_everything() -> None:
    """Goal, plan, events and questions are there in words."""
    text = dashboard.block(WORKING, Live(0.5, 1_000), mark="zx73")
    for part in ("[dashboard zx73]", "ρ 0.50", "1,000 tokens left", "goal: Fix the parser."):
        assert part in text
    for part in ("plan [x] read", "plan [>] mend", "event e1 (high)", "question q1: which"):
        assert part in text


def test_what_does_not_fit_is_counted() -> None:
    """A block in a small room tells how much of each surface it leaves out; the goal stays."""
    working = Working(
        goal=WORKING.goal,
        plan=tuple(PlanItem(f"item {number}") for number in range(9)),
        questions=WORKING.questions,
    )
    fit = dashboard.fitting(3 * COUNT("plan [ ] item 0\n"), COUNT.many)
    text = dashboard.block(working, Live(0.5, 1_000), fit)
    assert text.count("plan [ ]") == 2
    assert "question q1" in text
    assert "not shown: 7 plan" in text
    assert "goal: Fix the parser." in text


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[loom.Context]:
    """A small context that made one request."""
    with plain(tmp_path / "w", goal="Fix it.") as made:
        made.user("hi")
        made.turn()
        yield made


def told(ctx: loom.Context) -> list[str]:
    """The dashboards and deltas in the request."""
    contents = [m["content"] for m in ctx.turn().request()["messages"]]
    return [text for text in contents if text and text.startswith("[dashboard ")]


def test_quiet_turns_tell_nothing(ctx: loom.Context) -> None:
    """When nothing material changed no line is added."""
    for number in range(5):
        ctx.reply(loom.Reply((loom.ToolCall(f"c{number}", "t", "{}"),)))
        ctx.result(f"c{number}", "ok")
        assert len(told(ctx)) == 1


def test_an_event_is_told_once(ctx: loom.Context) -> None:
    """An event adds one line, after which it is quiet again; the first dashboard is frozen."""
    first = told(ctx)
    ctx.events.signal("e1", "the disk is full", urgency="high")
    ctx.user("go on")
    assert told(ctx)[:1] == first
    assert ["the disk is full" in text for text in told(ctx)] == [False, True]
    ctx.user("go on")
    assert len(told(ctx)) == 2


def test_the_same_event_again_is_nothing(ctx: loom.Context) -> None:
    """An event of a known id changes nothing."""
    ctx.events.signal("e1", "the disk is full")
    before = ctx.window.working
    ctx.events.signal("e1", "the disk is full")
    assert ctx.window.working == before


def test_acknowledged_twice(ctx: loom.Context) -> None:
    """An event leaves pending for a risk, and a resolved risk leaves altogether."""
    ctx.events.signal("e1", "the disk is full", urgency="high")
    ctx.events.acknowledge("e1", "defer")
    assert not ctx.window.working.events
    assert [risk.id for risk in ctx.window.working.risks] == ["e1"]
    assert ctx.window.working.interrupt is False
    ctx.events.acknowledge("e9", "defer")
    assert [risk.id for risk in ctx.window.working.risks] == ["e1"]


def test_a_risk_can_be_resolved(ctx: loom.Context) -> None:
    """Acknowledged → resolved → archived: a deferred event that is resolved is no risk."""
    ctx.events.signal("e1", "the disk is full")
    ctx.events.acknowledge("e1", "defer")
    ctx.events.acknowledge("e1", "resolved")
    assert ctx.window.working.risks == ()


def test_events_aggregate(ctx: loom.Context) -> None:
    """Of too many events the most frequent kind joins: true count, top urgency, every id."""
    for number in range(40):
        ctx.events.signal(f"e{number}", f"lint {number}", kind="lint")
    ctx.events.signal("boom", "it broke", kind="lint", urgency="critical")
    for number in range(12):
        ctx.events.signal(f"f{number}", f"odd {number}", kind=f"kind{number}")
    events = ctx.window.working.events
    assert len(events) <= 12
    ids = [id for event in events for id in event.ids]
    assert len(ids) == len(set(ids)) == 53
    holder = next(event for event in events if "boom" in event.ids)
    assert holder.urgency == "critical"
    ctx.events.acknowledge("boom", "ignore")
    assert "boom" not in [id for event in ctx.window.working.events for id in event.ids]


def test_a_line_without_room_ends_where_a_part_does() -> None:
    """What is behind it is told by the next dashboard; half a sentence may say the opposite."""
    trim = dashboard.trimming(60, len)
    line = "plan: move the client to the new shop · obligations: do not restart it by day"
    assert trim(line) == "plan: move the client to the new shop …"
    assert trim("short") == "short"
    assert len(trim("x" * 200)) <= 60
