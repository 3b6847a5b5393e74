"""The desk: what is written is told, kept and comes back, whoever wrote it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import loom
from tests.kit.cases import all_cases


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[loom.Context]:
    """A context that made one request."""
    with loom.open(tmp_path / "w", goal="Fix it.", window=32_000, durable=False) as made:
        made.user("hi")
        made.turn()
        yield made


def answers(ctx: loom.Context) -> list[str]:
    """The results of the newest reply."""
    (step,) = [
        entry
        for entry in ctx.window.history.stream.entries
        if entry.id == ctx.window.history.next_id - 1
    ]
    return [outcome.text.body or "" for outcome in step.outcomes]


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
