"""`spawn` as the model may call it: a host declares it, and opens the child itself.

with loom.open("runs/survey", tools=[SPAWN, …]) as ctx:
    for call in ctx.calls:
        if call.name == SPAWN.name:
            work(ctx.agents.spawn(call))  # and ctx.agents.join, ctx.agents.wait
"""

from __future__ import annotations

from typing import Any

from msgspec import DecodeError, Struct, ValidationError, json
from msgspec.structs import asdict

from loom.capabilities.agents.budget import USUAL
from loom.errors import LoomError
from loom.providers.schema import ToolSchema
from loom.text import one_line

_TEXT = {"type": "string"}
SPAWN = ToolSchema(
    "spawn",
    "Have another agent do a part of the task, in a context of its own. It knows the goal you give"
    " it and the pages you grant, nothing else of this conversation; its result comes back. Its"
    f" budget comes out of what is left of yours; where you have none it is {USUAL.steps} steps,"
    " unless the call says otherwise.",
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
                "description": "at most so much: of what you leave out it gets up to half of yours",
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


class SpawnRequest(Struct, frozen=True, forbid_unknown_fields=True):
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
        why = _misplaced(arguments) or one_line(str(error), 200)
        raise LoomError(
            f"spawn: give a goal, and perhaps a name, pages and a budget ({why})"
        ) from None
    if not found.goal.strip():
        raise LoomError("spawn: the goal is empty")
    return found


def _misplaced(arguments: str) -> str:
    """Where a figure belongs that was named beside the budget; "" when none was."""
    try:
        given = json.decode(arguments)
    except (DecodeError, RecursionError):
        return ""
    names = [name for name in asdict(USUAL) if isinstance(given, dict) and name in given]
    inside = ", ".join(f'"{name}": …' for name in names)
    return f'{names[0]} belongs in the budget: "budget": {{{inside}}}' if names else ""
