"""A request that is asked for again costs nothing: work is counted, not timed."""

from __future__ import annotations

from pathlib import Path

import loom


def one(ctx: loom.Context, number: int) -> None:
    """A turn of the host: a reply with a call, its result, the next request in wire form.

    Its texts are as long whatever its number is: of very short ones some work is spared.
    """
    call = loom.ToolCall(f"c{100_000 + number}", "Bash", f'{{"command":"run {100_000 + number}"}}')
    ctx.reply(loom.Reply((loom.Speech(f"now {100_000 + number}"), call)))
    ctx.result(call, f"line {100_000 + number}\n" * (120 if number % 4 == 0 else 3))
    ctx.turn().request("openai")


def test_the_same_request_costs_nothing(tmp_path: Path) -> None:
    """Asking again for a request counts no token and encodes no byte."""
    with loom.open(tmp_path / "w", durable=False) as ctx:
        one(ctx, 1)
        engine = ctx._engine
        before = (engine.sizes.count.calls, engine.requests.rendering.encoded)
        ctx.turn()
        assert (engine.sizes.count.calls, engine.requests.rendering.encoded) == before
