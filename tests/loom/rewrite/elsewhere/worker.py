"""A worker that runs an agent at an address, turn by turn, until it has so many or is killed.

    python worker.py ADDRESS TURNS

It prints the number of each turn once it was acknowledged. What it takes in depends on nothing but
the number of the turn, so that any worker goes on where another ended.
"""

from __future__ import annotations

import json
import sys

import loom


def said(number: int) -> str:
    """What the tool says at a step; every seventh is larger than the log takes."""
    return "".join(f"line {n} of step {number}\n" for n in range(2_000 if number % 7 == 0 else 40))


def work(address: str, turns: int) -> None:
    """Go on where the journal ends, up to so many steps."""
    with loom.open(address, goal="Read everything.", window=8_192) as ctx:
        if not ctx.window.sent.turn:
            ctx.system("Be careful.")
        for call in ctx.calls:  # of a reply whose results a killed worker did not give
            ctx.result(call.id, said(int(call.id.removeprefix("c"))))
        while (number := steps(ctx) + 1) <= turns:
            ctx.turn()
            arguments = json.dumps({"path": f"f{number}.txt"})
            function = {"name": "read", "arguments": arguments}
            call = {"id": f"c{number}", "type": "function", "function": function}
            ctx.reply({"role": "assistant", "content": None, "tool_calls": [call]})
            ctx.result(f"c{number}", said(number))
            ctx.turn()  # durable from here on
            print(number, flush=True)


def steps(ctx: loom.Context) -> int:
    """How many steps the agent has taken, whoever took them."""
    return ctx.window.history.next_id - 1


if __name__ == "__main__":
    work(sys.argv[1], int(sys.argv[2]))
