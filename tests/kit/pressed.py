"""A life under pressure, with something in every partition."""

from typing import Any, NamedTuple

import loom
from loom.capability import Compressed, Renewed
from tests.kit.opened import Open
from tests.kit.step import act

Cut = Compressed | Renewed


class Life(NamedTuple):
    """A context that was under pressure, and its cuts."""

    ctx: loom.Context
    cuts: list[Cut]


def life(opened: Open, **given: Any) -> Life:
    """Live 60 steps in a window of 8,192 tokens, with something in every partition."""
    cuts: list[Cut] = []
    ctx = opened(**{"window": 8_192, "goal": "Port the parser.", "on_cut": cuts.append, **given})
    ctx.system("You are careful.")
    ctx.memory.remember("AGENTS.md", "Never push to main.")
    ctx.skills.activate("release", "Tag, build, upload.")
    ctx.working.plan([("read", "done"), ("port", "doing")])
    ctx.user("Port it, please.")
    for number in range(60):
        ctx.turn()
        act(ctx, "Read", {"path": f"part_{number % 7}.py"}, 20 + number % 30)
    ctx.turn()
    return Life(ctx, cuts)
