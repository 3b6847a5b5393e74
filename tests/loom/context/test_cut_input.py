"""A server that cuts what it is sent unsaid: told once, and its count is believed no more."""

from __future__ import annotations

from pathlib import Path

import pytest

import loom
from loom.engine.meter import CUT

LIMIT = 4_096


def lived(ctx: loom.Context, limit: int, rounds: int = 14, *, metered: bool = False) -> None:
    """A session whose server counts each request, up to a limit; a reply or the host tells it."""
    for number in range(rounds):
        ctx.user(f"text {number} is about a number of things\n" * 80)
        size = min(ctx.turn().pressure.tokens.total, limit)
        if metered:
            ctx.metered(size)
        else:
            ctx.reply(loom.Reply((loom.Speech("ok"),), prompt_tokens=size))


def cuts(ctx: loom.Context) -> list[str]:
    """What is told of a server that cuts."""
    return [event.summary for event in ctx.window.working.events if CUT in event.ids]


@pytest.mark.parametrize("limit", [10**9, 100])
def test_nothing_is_told_of_others(tmp_path: Path, limit: int) -> None:
    """A server that counts all, and one whose count is no size of any request."""
    with loom.open(tmp_path / "w", model="qwen3", window=40_000) as ctx:
        lived(ctx, limit)
        assert cuts(ctx) == []


@pytest.mark.parametrize("metered", [False, True])
def test_a_server_that_cuts_is_told_of_once(tmp_path: Path, metered: bool) -> None:
    """Acknowledged, and opened again, it is not told anew; the window is filled no further for
    what the server did not read. So it is where the host gives the sizes by itself."""
    with loom.open(tmp_path / "w", model="qwen3", window=40_000) as ctx:
        lived(ctx, LIMIT, metered=metered)
        (said,) = cuts(ctx)
        assert "4,096 tokens" in said
        samples = ctx.window.sent.samples
        ctx.events.acknowledge(CUT, "resolved")
    with loom.open(tmp_path / "w") as ctx:
        lived(ctx, LIMIT, 2, metered=metered)
        assert cuts(ctx) == [] and ctx.window.sent.samples == samples


def test_a_smaller_request_of_the_same_size_as_one_before(tmp_path: Path) -> None:
    """A server that took more before is not stuck: after a renewal a request may be as large as one
    before it, by chance."""
    with loom.open(tmp_path / "w", model="qwen3", window=40_000) as ctx:
        for told in (4_000, 9_000, 4_100, 4_080):
            ctx.user("a text about a number of things\n" * 120)
            ctx.turn()
            ctx.reply(loom.Reply((loom.Speech("ok"),), prompt_tokens=told))
        assert cuts(ctx) == []
