"""A limit that a provider's refusal set: who set it is said, and what lifts it."""

from __future__ import annotations

import loom
from tests.kit.cases import all_cases
from tests.kit.opened import PLAIN, Open, opened_with
from tests.kit.step import step
from tests.loom.cli.conftest import Run

opened = opened_with("work", window=16_000, model="gpt-5", policy=PLAIN)


def filled(ctx: loom.Context, steps: int) -> None:
    """Give it a message of the user and some steps."""
    ctx.user("Build every part.")
    for _ in range(steps):
        step(ctx, 60)


class Stated(Exception):
    """A refusal that states a limit, or none, and no size."""

    status_code = 400

    def __init__(self, limit: int) -> None:
        length = f": the maximum context length is {limit} tokens" if limit else ""
        super().__init__(f"prompt is too long{length}")


def answered(ctx: loom.Context, size: int) -> None:
    """One more request, that the provider counts so large."""
    ctx.user("more " * 40)
    ctx.turn()
    ctx.reply(loom.Reply((loom.Speech("ok"),), prompt_tokens=size))


@all_cases("lift", ["answer", "resize", "reopened", "model"])
def test_a_stated_limit_is_lifted(opened: Open, run: Run, lift: str) -> None:
    """`loom stat` says which request's refusal set it; answers within it leave it, one to a larger
    request lifts it, and so does the host; what the journal holds is the same."""
    ctx = opened(lift)
    folder = ctx._engine.folder
    assert folder is not None
    filled(ctx, 3)
    for size in (900, 1_000):
        answered(ctx, size)
    before = ctx.window.limits
    ctx.user("more")
    ctx.turn()
    ctx.overflowed(Stated(12_000))
    for size in (1_100, 11_900):
        answered(ctx, size)
        assert ctx.window.limits.window == 12_000
        _, out, _ = run("stat", folder)
        assert "set by the provider's refusal at request 3, 16,000 before: ctx.resize lifts" in out
    if lift == "reopened":
        ctx = opened(lift, window=16_000)
        assert ctx.window.limits.window == 12_000
    if lift in ("resize", "model"):
        ctx.resize(16_000, model="gpt-5" if lift == "resize" else "claude-sonnet-5")
    else:
        answered(ctx, 12_400)
    now = ctx.window.limits
    assert (now.window, now.stated) == (16_000, 0)
    assert now.reply == before.reply
    assert "refusal" not in run("stat", folder)[1].replace("1 refused", "")


def test_a_refusal_without_a_limit_is_told_too(opened: Open, run: Run) -> None:
    """The window is the host's, but a request stays below the one that was refused."""
    ctx = opened()
    filled(ctx, 6)
    ctx.turn()
    ctx.overflowed(Stated(0))
    ctx.turn()
    assert "; less by the provider's refusal at request" in run("stat", ctx._engine.folder)[1]
    ctx.resize(16_000)
    assert "provider's refusal" not in run("stat", ctx._engine.folder)[1]
