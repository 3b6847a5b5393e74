"""`spawn` as the model may call it: a host declares it, and opens the child itself.

with loom.open("runs/survey", tools=[SPAWN, …]) as ctx:
    for call in ctx.calls:
        if call.name == SPAWN.name:
            work(ctx.agents.spawn(call))  # and ctx.agents.join, ctx.agents.wait
"""

from __future__ import annotations

from typing import Any

from msgspec import DecodeError, Struct, ValidationError, json

from loom.errors import LoomError
from loom.providers.schema import ToolSchema
from loom.text import one_line

_TEXT = {"type": "string"}
SPAWN = ToolSchema(
    "spawn",
    "Have another agent do a part of the task, in a context of its own. It knows the goal you give"
    " it and the pages you grant, nothing else of this conversation; its result comes back. Its"
    " budget is taken from what is left of yours, and never exceeds it.",
    {
        "type": "object",
        "properties": {
            "goal": {**_TEXT, "description": "what to do and what to report, complete in itself"},
            "name": {**_TEXT, "description": "such as reader-1"},
            "pages": {
                "type": "array",
                "items": _TEXT,
                "description": "pages it may read, such as outputs/read_0007.json",
            },
            "budget": {
                "type": "object",
                "description": "at most so much: what you leave out gets up to half of yours",
                "properties": {
                    "steps": {"type": "integer", "minimum": 1},
                    "seconds": {"type": "number", "exclusiveMinimum": 0},
                    "agents": {"type": "integer", "minimum": 1},
                },
            },
        },
        "required": ["goal"],
    },
)


class SpawnRequest(Struct, frozen=True):
    """The arguments of a call of `spawn`."""

    goal: str
    name: str = ""
    pages: tuple[str, ...] = ()
    budget: dict[str, Any] | None = None


def spawn_request(arguments: str) -> SpawnRequest:
    """The arguments of a call of `spawn`; raises LoomError, in words to answer the call with."""
    try:
        found = json.decode(arguments, type=SpawnRequest)
    except (DecodeError, ValidationError, RecursionError) as error:
        why = one_line(str(error), 200)
        raise LoomError(
            f"spawn: give a goal, and perhaps a name, pages and a budget ({why})"
        ) from None
    if not found.goal.strip():
        raise LoomError("spawn: the goal has no words")
    return found
