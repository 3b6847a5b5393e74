"""Collapse waits while two turns of the usual size have room, unless it pays."""

from __future__ import annotations

from msgspec.structs import replace

import loom
from loom_partitions.message import Digest
from tests.kit.opened import Open, opened_with
from tests.kit.step import step

opened = opened_with()
NOISE = "the build went on and on as builds do\n"


def sizes_before_digests(ctx: loom.Context, lines: int, steps: int) -> list[float]:
    """ρ of the request before each cut that made a digest."""
    found, known, before = list[float](), "", 0.0
    for number in range(steps):
        step(ctx, f"{number} {NOISE}" * lines)
        now = ctx.turn().pressure
        digests = [e.text for e in ctx.window.history.stream.entries if isinstance(e, Digest)]
        if digests and digests[0] != known:
            found.append(before)
            known = digests[0]
        before = now.rho
    return found


def test_small_steps_wait(opened: Open) -> None:
    """Steps of a hundredth of the window: no digest before 0.93, as two more would fit."""
    found = sizes_before_digests(opened(window=64_000), 50, 150)
    assert found
    assert min(found) > 0.92


def test_without_a_price_none_waits(opened: Open) -> None:
    """A policy that asks no price cuts at the mark."""
    policy = replace(loom.PRESETS["lazy"], priced=False, snip_at=0.89, micro_at=0.89)
    found = sizes_before_digests(opened(window=64_000, policy=policy), 50, 150)
    assert found
    assert 0.87 < min(found) < 0.91
