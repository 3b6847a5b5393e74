"""Work on agents that other processes import: each reads some files, and says what it found."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

import loom

STEPS = 4


def step(ctx: loom.Context, number: int) -> None:
    """One step, durable once it returns."""
    arguments = json.dumps({"path": f"f{number}.txt"})
    function = {"name": "read", "arguments": arguments}
    call = {"id": f"c{number}", "type": "function", "function": function}
    ctx.turn()
    ctx.reply({"role": "assistant", "content": None, "tool_calls": [call]})
    ctx.result(f"c{number}", f"what stands in file {number}\n" * 20)
    ctx.turn()


def taken(ctx: loom.Context) -> int:
    """How many steps the agent has taken, whoever took them."""
    return ctx.window.history.next_id - 1


def go_on(ctx: loom.Context, until: int = STEPS) -> int:
    """Take the steps that are left; how many there are then."""
    for call in ctx.calls:  # of a reply whose results a killed worker did not give
        ctx.result(call.id, "what stands there")
    while taken(ctx) < until:
        step(ctx, taken(ctx) + 1)
    return taken(ctx)


def reads(address: str) -> str:
    """An agent that reads all, and returns how many steps it has taken."""
    with loom.open(address, goal="Read.", window=8_192) as ctx:
        return f"{go_on(ctx)} steps"


def delivers(address: str) -> str:
    """An agent that delivers, and returns something else."""
    with loom.open(address, goal="Read.", window=8_192) as ctx:
        go_on(ctx)
        ctx.agents.deliver("delivered")
    return "returned"


def raises(address: str) -> str:
    """Work that fails."""
    raise ValueError(f"nothing stands at {address}")


def dies_once(address: str) -> str:
    """The first worker is killed in the middle of the agent's life, holding its lease."""
    if "take=1" not in address:
        ctx = loom.open(address, goal="Read.", window=8_192)
        go_on(ctx, 2)
        os.kill(os.getpid(), signal.SIGKILL)
    return reads(address)


def dies(address: str) -> str:
    """Every worker ends."""
    os._exit(7)


def lives_on(address: str) -> str:
    """A worker that is held to be dead, and lives: it writes once another is done."""
    with loom.open(address, goal="Read.", window=8_192) as ctx:
        go_on(ctx, 1)
        beside(address, ".begun").touch()
        while not beside(address, ".go").exists():
            os.sched_yield()
        go_on(ctx)
    return "by the first"


def delivers_late(address: str) -> None:
    """An agent that is held open until another has found it so, and then delivers."""
    with loom.open(address, goal="Read.", window=8_192) as ctx:
        beside(address, ".begun").touch()
        while not beside(address, ".go").exists():
            os.sched_yield()
        ctx.agents.deliver("by the first")


def finds_open(address: str) -> str:
    """One who comes while another has the agent open, which goes on then."""
    try:
        return reads(address)
    except loom.StoreLocked:
        beside(address, ".go").touch()
        raise


def exits(address: str) -> str:
    """Work that leaves, where the address ends with 0."""
    if address.partition("?")[0].endswith("0"):
        sys.exit(3)
    return reads(address)


def mute(address: str) -> str:
    """Work that raises what can say nothing, where the address ends with 0."""
    if address.partition("?")[0].endswith("0"):
        raise MuteError
    return reads(address)


def beside(address: str, ending: str) -> Path:
    """A file beside the folder at an address."""
    return Path(address.removeprefix("file://").partition("?")[0] + ending)


def odd(given: str) -> object:
    """What cannot be sent back."""
    if given == "raise":
        raise Odd(1, 2)
    return lambda: given


def broken_pipe(given: str) -> object:
    """An error of the kind that a lost worker shows as."""
    raise OSError(given)


class Odd(Exception):
    """An error that is pickled, and cannot be made again."""

    def __init__(self, one: int, two: int) -> None:
        super().__init__(f"{one} and {two}")


class MuteError(Exception):
    """An error whose text raises, and which cannot be pickled."""

    def __init__(self) -> None:
        super().__init__(lambda: None)

    def __str__(self) -> str:
        raise ValueError("no text")
