"""What a model is sent: requests as text, and the small window the documents describe."""

import json
from typing import Any

from msgspec.structs import replace

import loom
from benchmarks.documented.payloads import PayloadStep

SMALL = replace(loom.PRESETS["eager"], own_tools=False)  # 8,192 tokens, as the documents lay it out


def messages(ctx: loom.Context) -> list[dict[str, Any]]:
    """Return the messages of the next request."""
    made: list[dict[str, Any]] = ctx.turn().request("openai")["messages"]
    return made


def request(ctx: loom.Context) -> str:
    """Return the next request as one text."""
    return json.dumps(messages(ctx), ensure_ascii=False)


def play(ctx: loom.Context, *steps: PayloadStep) -> None:
    """Play steps as an agent does: a turn, the reply, its result; and the turn that follows."""
    for one in steps:
        ctx.turn()
        ctx.reply(one.reply(ctx.window.history.next_id))
        ctx.result(ctx.calls[0], one.result)
    ctx.turn()
