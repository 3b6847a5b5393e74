"""The step level of the eager preset."""

from __future__ import annotations

import pytest

import loom
from loom.compress.step import step as lower
from loom.compress.step import triggered
from loom_partitions.message import Detail, Digest, Step
from loom_partitions.stream import is_lowered
from tests.kit.opened import Open
from tests.kit.scene import scene
from tests.kit.step import step

OUTPUT = "an ordinary line of output\n"


def details(ctx: loom.Context) -> list[Detail]:
    """Level of detail of each step that is resident."""
    return [entry.detail for entry in ctx.window.history.stream.entries if isinstance(entry, Step)]


def test_the_seeds_layout(opened: Open) -> None:
    """An eager window of 8,192 keeps the documented reply of 3,492."""
    limits = opened(window=8_192, policy="eager").window.limits
    assert (limits.reply, limits.capacity) == (3_492, 4_700)


CALM = loom.Policy(preset="eager", eager_steps=5, eager_tokens=2_000, compacted_tokens=500)


def test_after_each_call(opened: Open) -> None:
    """The preset: a step that leaves the last three is one line in the next request."""
    ctx = opened(window=8_192, policy="eager")
    for number in range(8):
        step(ctx, OUTPUT * 12)
        ctx.turn()
        old = max(number - 2, 0)
        assert details(ctx) == [Detail.REDUCED] * old + [Detail.FULL] * min(number + 1, 3)


def test_nothing_up_to_five_small_steps(opened: Open) -> None:
    """Without that trigger, five steps and little text: nothing is lowered."""
    ctx = opened(window=8_192, policy=CALM)
    for _ in range(5):
        step(ctx, "ok")
        ctx.turn()
    assert not triggered(scene(ctx))
    assert details(ctx) == [Detail.FULL] * 5


def test_the_sixth_step_fires(opened: Open) -> None:
    """With six in full, all but the last three become one line each."""
    ctx = opened(window=8_192, policy=CALM)
    for _ in range(6):
        step(ctx, OUTPUT * 12)
        turn = ctx.turn()
    assert turn.pressure.level == "step"
    assert details(ctx) == [Detail.REDUCED] * 3 + [Detail.FULL] * 3


@pytest.mark.exact
def test_two_thousand_tokens_fire(opened: Open) -> None:
    """Four steps of more than 2,000 tokens together: the first is lowered."""
    ctx = opened(window=8_192, policy=CALM)
    for _ in range(4):
        step(ctx, OUTPUT * 120)
        ctx.turn()
    assert details(ctx) == [Detail.REDUCED] + [Detail.FULL] * 3


def test_lazy_never_fires(opened: Open) -> None:
    """The lazy preset has no such trigger."""
    ctx = opened(window=8_192)
    for _ in range(9):
        step(ctx, OUTPUT * 12)
    assert not triggered(scene(ctx))
    assert lower(scene(ctx)) == ()


def test_compacted_history_stays_in_its_part(opened: Open) -> None:
    """However long it goes on, the lines take 500 tokens and tell how many."""
    ctx = opened(window=8_192, policy="eager")
    for number in range(80):
        step(ctx, OUTPUT * 10, error=number == 7)
        ctx.turn()
    entries = list(ctx.window.history.stream.entries)
    recent = [entry for entry in entries if isinstance(entry, Step)][-3:]
    assert [entry.detail for entry in recent] == [Detail.FULL] * 3
    assert sum(entry.tokens for entry in entries if is_lowered(entry)) <= 500
    assert isinstance(entries[0], Digest)
    lowered = sum(isinstance(entry, Step) for entry in entries)
    assert entries[0].text.startswith(
        f"Earlier: {80 - lowered} steps completed, 1 of them with a failure"
    )
