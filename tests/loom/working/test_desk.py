"""The desk: what is written is told, kept and comes back, whoever wrote it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import loom
from tests.kit.cases import all_cases
from tests.kit.opened import plain


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[loom.Context]:
    """A context that made one request."""
    with loom.open(tmp_path / "w", goal="Fix it.", window=32_000, durable=False) as made:
        made.user("hi")
        made.turn()
        yield made


def called(ctx: loom.Context, *calls: tuple[str, dict[str, Any]]) -> None:
    """The model calls Loom's own tools in one reply."""
    number = ctx.window.history.next_id
    made = (
        loom.ToolCall(f"c{number}_{at}", name, json.dumps(given))
        for at, (name, given) in enumerate(calls)
    )
    ctx.reply(loom.Reply(tuple(made)))


def said(ctx: loom.Context) -> str:
    """The whole next request."""
    return json.dumps(ctx.turn().request()["messages"], ensure_ascii=False)


def answers(ctx: loom.Context) -> list[str]:
    """The results of the newest reply."""
    (step,) = [
        entry
        for entry in ctx.window.history.stream.entries
        if entry.id == ctx.window.history.next_id - 1
    ]
    return [outcome.text.body or "" for outcome in step.outcomes]


def test_what_the_host_adds_to_the_models_own_surface_is_told(ctx: loom.Context) -> None:
    """The model acknowledges one event; another that comes at once is not hidden by that."""
    ctx.events.signal("e1", "the disk is full")
    ctx.turn()
    called(ctx, ("acknowledge", {"id": "e1", "disposition": "defer"}))
    ctx.events.signal("e2", "the build broke", urgency="critical")
    assert "the build broke" in said(ctx)


def test_a_call_that_failed_hides_nothing(ctx: loom.Context) -> None:
    """A bad `plan` of the model, then a plan of the host: it is told."""
    called(ctx, ("plan", {"items": 7}))
    ctx.working.plan(["read the host's plan"])
    assert "read the host's plan" in said(ctx)


def test_what_the_model_wrote_is_not_told_back(ctx: loom.Context) -> None:
    """Its own plan stands in its call; the next request has no line about it."""
    called(ctx, ("plan", {"items": ["[>] one"]}))
    assert said(ctx).count("[dashboard ") == 1


def test_a_page_shows_what_the_same_reply_wrote(ctx: loom.Context) -> None:
    """plan, then page_in of the plan, in one reply."""
    called(ctx, ("plan", {"items": ["[>] one"]}), ("page_in", {"ref": "working/plan.md"}))
    assert "doing: one" in answers(ctx)[1]


def test_a_number_beyond_floats_is_a_bad_call(ctx: loom.Context) -> None:
    """The call fails in words; what else the reply wrote stands."""
    ctx.reply(
        loom.Reply(
            (
                loom.ToolCall("a", "note", '{"text": "kept"}'),
                loom.ToolCall(
                    "b", "evidence", f'{{"id": "x", "summary": "y", "confidence": 1{"0" * 400}}}'
                ),
            )
        )
    )
    assert "confidence" in answers(ctx)[1]
    pad = ctx.window.working.scratchpad
    assert pad is not None and pad.body == "kept"


@all_cases("confidence", [math.nan, math.inf, -0.1, 1.1, "high"])
def test_a_confidence_is_a_share(ctx: loom.Context, tmp_path: Path, confidence: Any) -> None:
    """Anything but 0 to 1 is refused, and the workspace opens again."""
    with pytest.raises(loom.LoomError, match="confidence"):
        ctx.working.evidence("p", "it is so", confidence=confidence)
    ctx.close()
    loom.open(tmp_path / "w", durable=False).close()


def test_a_reminder_of_a_later_life_is_told(tmp_path: Path) -> None:
    """The same name, another firing: it is not taken for one that was decided."""
    for summary in ("first", "second"):
        with loom.open(tmp_path / "w", goal="g", durable=False) as ctx:
            ctx.events.remind(0, "check", summary)
            assert summary in said(ctx)
            for event in ctx.window.working.events:
                for id in event.ids:
                    ctx.events.acknowledge(id, "ignore")


def test_an_event_of_a_known_id_changes_nothing(ctx: loom.Context) -> None:
    """Neither while it is pending nor in the risk it becomes."""
    ctx.events.signal("e1", "disk low", urgency="low")
    ctx.events.signal("e1", "other", urgency="critical")
    ctx.events.acknowledge("e1", "replan")
    (risk,) = ctx.window.working.risks
    assert (risk.summary, risk.urgency) == ("disk low", "low")


def test_a_settled_risk_makes_room(ctx: loom.Context) -> None:
    """Of nine risks one found no room; it takes the place of one that is settled."""
    for number in range(9):
        ctx.events.signal(f"e{number}", f"risk {number}")
        ctx.events.acknowledge(f"e{number}", "defer")
    (waiting,) = ctx.window.working.beyond("risks")
    settled = next(risk.id for risk in ctx.window.working.risks)
    ctx.events.acknowledge(settled, "resolved")
    working = ctx.window.working
    assert working.beyond("risks") == ()
    assert waiting in [risk.id for risk in working.risks]


@pytest.mark.parametrize("goal", ["Fix the parser.", "do this and then that, " * 200])
def test_a_goal_changed_since_is_not_set_back(tmp_path: Path, goal: str) -> None:
    """The script that opens again says its first goal; the later one stands."""
    with loom.open(tmp_path / "w", goal=goal, durable=False) as ctx:
        ctx.working.set_goal("something else")
    for _ in range(2):
        with loom.open(tmp_path / "w", goal=goal, durable=False) as ctx:
            assert ctx.window.working.goal is not None
            assert ctx.window.working.goal.body == "something else"


@all_cases("items", [[1], [None], [("a", "b", "c")], [("a", ["x"])]])
def test_a_plan_is_of_texts(ctx: loom.Context, items: Any) -> None:
    """Anything else is refused in words."""
    with pytest.raises(loom.LoomError, match="plan"):
        ctx.working.plan(items)


@pytest.mark.parametrize("period", [-1.0, math.nan, math.inf])
def test_a_heartbeat_has_a_period(tmp_path: Path, period: float) -> None:
    """A period that is none is refused, and the workspace is free."""
    with pytest.raises(loom.LoomError, match="heartbeat"):
        loom.open(tmp_path / "w", capabilities=[loom.Heartbeat(period)], durable=False)
    loom.open(tmp_path / "w", durable=False).close()


def test_a_full_head_leaves_room_for_a_busy_desk(tmp_path: Path) -> None:
    """Instructions as large as they may be, then every surface filled: turns go on."""
    with plain(tmp_path / "w", window=8_000, reply=1_000) as ctx:
        words = 6_600
        while words:
            try:
                ctx.system("word " * words)
                break
            except loom.OverCapacity:
                words -= 50
        for number in range(12):
            ctx.events.signal(
                f"e{number}", f"event {number} " + "and so on " * 12, kind=f"k{number}"
            )
            ctx.working.evidence(f"p{number}", "this is how it is " * 8)
        ctx.working.plan([f"part {number} of it " * 6 for number in range(12)])
        for number in range(4):
            ctx.user(f"go on {number}")
            assert ctx.turn().pressure.rho < 1.0
