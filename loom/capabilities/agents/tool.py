"""The tool `spawn` as the model may call it, and the answer to a call for which no agent is
spawned.

A host declares the tool, and opens the child itself:

    with loom.open("runs/survey", tools=[SPAWN, …]) as ctx:
        for call in ctx.calls:
            if call.name == SPAWN.name:
                work(ctx.agents.spawn(call))  # and ctx.agents.join, ctx.agents.wait
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from msgspec import DecodeError, Struct, ValidationError, json

from loom.capabilities.agents.child_budget import USUAL, figures_text, remaining_figures
from loom.context.open_calls import GIVEN_UP, answer_in_own_words
from loom.errors import NAME, BudgetSpent, Closed, LoomError
from loom.inputs import ToolCall
from loom.providers.render.naming import without_square_brackets
from loom.providers.render.neutral import neutral
from loom.providers.schema import ToolSchema
from loom.session import Engine
from loom.session.locking import one_call
from loom.text import clip_text, one_line
from loom_paging import MissingPage, PagingError
from loom_partitions.message import Call

REFUSED, LEFT = "[not spawned {mark}: {why}{more}]", ". Left of your budget: {left}"
SHORT = "[not spawned {mark}]"
SPENT = "no {what} left ({used:,.0f} of {limit:,.0f} used), so do this part yourself"
NO_PAGE, NEAR = "there is no page {name!r}: grant one by the name the window shows", "; near it: {}"

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
    """The arguments that a model gives in a call of the tool `spawn`."""

    goal: str
    name: str = ""
    pages: tuple[str, ...] = ()
    budget: dict[str, Any] | None = None


def parse_spawn_request(arguments: str) -> SpawnRequest:
    """Return a `spawn` call's arguments, parsed. Raises LoomError with a message for the model."""
    try:
        found = json.decode(arguments, type=SpawnRequest)
    except (DecodeError, ValidationError, RecursionError) as error:
        raise LoomError(
            "spawn: give a goal, and perhaps a name, pages and a budget of steps, seconds, agents"
            f" ({one_line(str(error), 200)})"
        ) from None
    if not found.goal.strip():
        raise LoomError("spawn: the goal is empty")
    return found


@contextmanager
def answer_refusals(engine: Engine, call: Call | ToolCall | None) -> Iterator[None]:
    """Run the block. If it raises a LoomError, give the reason as the result of `call`, if `call`
    is open, and raise the error again. After a disk error `call` stays open."""
    try:
        yield
    except LoomError as error:
        theirs = isinstance(error, PagingError) and not isinstance(error, MissingPage)
        if call is not None and not theirs and not isinstance(error, Closed):
            _answer_call(engine, engine.ingest.clean(call.id), _refusal_reason(error))
        raise


def _refusal_reason(error: LoomError) -> str:
    """Return the reason of an error in words for the model."""
    if isinstance(error, BudgetSpent):
        return SPENT.format(what=error.what, used=error.used, limit=error.limit)
    if isinstance(error, MissingPage):
        near = error.where.partition(" (near: ")[2].rstrip(")")
        return NO_PAGE.format(name=one_line(error.name, NAME)) + (NEAR.format(near) if near else "")
    return str(error).removeprefix("spawn: ")


@one_call
def _answer_call(engine: Engine, id: str, why: str) -> None:
    """Answer the call `id` with the reason `why`. Does nothing if the call is not open."""
    if id in engine.window.history.open_calls:
        mark, rest = engine.window.config.mark, figures_text(remaining_figures(engine))
        told = neutral(without_square_brackets(clip_text(engine.ingest.clean(why), GIVEN_UP)), mark)
        more = LEFT.format(left=rest) if rest else ""
        forms = REFUSED.format(mark=mark, why=told, more=more), SHORT.format(mark=mark)
        answer_in_own_words(engine, {id: forms})
