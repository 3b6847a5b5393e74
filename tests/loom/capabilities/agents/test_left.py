"""A child that was closed without a result: what its parent, its host and its own requests say."""

from __future__ import annotations

from pathlib import Path

import pytest

import loom
from loom import Budget


def step(ctx: loom.Context) -> None:
    """One turn and a reply."""
    ctx.user("Go on.")
    ctx.turn()
    ctx.reply(loom.Reply((loom.Speech("So far."),)))


def told(ctx: loom.Context) -> str:
    """The newest message of a request."""
    ctx.user("And now?")
    return str(ctx.turn().request()["messages"][-1])


def test_the_parent_is_told_how_it_was_left(tmp_path: Path) -> None:
    """Closed, open again, done: each is on the dashboard, and told once."""
    with loom.open(tmp_path, window=16_000, durable=False) as ctx:
        with ctx.agents.spawn("Read it.", budget=Budget(steps=3)) as child:
            assert "child agent-1 works on: Read it." in told(ctx)
            step(child)
        assert "child agent-1: closed without a result (1 of 3 steps used)" in told(ctx)
        assert "agent-1" not in told(ctx)
        with pytest.raises(loom.Overdue, match="nobody has agent-1 open") as raised:
            ctx.agents.wait(timeout=0.0)
        assert raised.value.agents == raised.value.closed == ("agent-1",)
        with ctx.agents.child("agent-1") as child:
            assert "child agent-1 works on: Read it." in told(ctx)
            child.agents.deliver("Read.")
        assert "child agent-1 is done, waits to be joined" in told(ctx)


def test_no_turn_without_a_step(tmp_path: Path) -> None:
    """The last step is announced; after it no request is made, and what there is is delivered."""
    with (
        loom.open(tmp_path, window=16_000, durable=False) as ctx,
        ctx.agents.spawn("Read it.", budget=Budget(steps=2)) as child,
    ):
        assert "last step" not in told(child)
        step(child)
        assert "this is your last step: report now" in told(child)
        step(child)
        with pytest.raises(loom.BudgetSpent, match=r"^agent-1 has used 2 of its 2 steps:"):
            child.turn()
        child.agents.deliver("What there is.")


def test_a_reply_in_hand_is_taken_in_when_time_is_over(tmp_path: Path) -> None:
    """It is paid for; no further request and no fork is made."""
    with (
        loom.open(tmp_path, window=16_000, durable=False) as ctx,
        ctx.agents.spawn("Read it.", budget=Budget(seconds=600)) as child,
    ):
        child.turn()
        child._engine.workspace.folded.began -= 700_000
        child.reply(loom.Reply((loom.Speech("Found."),)))
        for more in (child.turn, lambda: child.agents.fork("other")):
            with pytest.raises(loom.BudgetSpent, match="of its 600 seconds"):
                more()
        assert child.text == "Found."
