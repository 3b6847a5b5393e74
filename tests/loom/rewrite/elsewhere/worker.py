"""An agent at an address, run turn by turn until it has so many.

What it takes in depends on nothing but the number of the turn, so that it goes on where it ended.
"""

from __future__ import annotations

import json

import loom


def said(number: int) -> str:
    """What the tool says at a step; every seventh is larger than the log takes."""
    return "".join(f"line {n} of step {number}\n" for n in range(2_000 if number % 7 == 0 else 40))


def work(address: str, turns: int) -> None:
    """Go on where the journal ends, up to so many steps."""
    with loom.open(address, goal="Read everything.", window=8_192) as ctx:
        if not ctx.window.sent.turn:
            ctx.system("Be careful.")
        for number in range(ctx.window.history.next_id, turns + 1):
            ctx.turn()
            arguments = json.dumps({"path": f"f{number}.txt"})
            ctx.reply(loom.Reply((loom.ToolCall(f"c{number}", "read", arguments),)))
            ctx.result(f"c{number}", said(number))
            ctx.turn()  # durable from here on
