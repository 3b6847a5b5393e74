"""A tool that Loom answers itself, and the answer to one call of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from loom.inputs import ToolCall
from loom.providers.schema import ToolSchema
from loom.session.working_edits import WorkingEdits
from loom_partitions.message import Call, Reduction
from loom_partitions.records import Record

TEXT = {"type": "string"}
TEXTS = {"type": "array", "items": TEXT}
OBJECT = {"type": "object"}


class Answer(Struct, frozen=True):
    """Loom's answer to a call of one of its tools. `text` is the result, `reduction` the short form
    that replaces the result later, `records` are to be committed.

    `marked` is True when the text has lines of Loom's own, which begin with the session's mark."""

    text: str
    reduction: Reduction
    error: bool = False
    records: tuple[Record, ...] = ()
    marked: bool = False


def answer_reduction(name: str, args: dict[str, Any], said: str, ref: str = "") -> Reduction:
    """Return the short form of an answer, for later requests. `name` is the tool, `args` are the
    call's arguments, `said` is one sentence about the answer. `ref` is the page or entry that was
    brought back, "" for none."""
    return Reduction(name, args, said, said[:100], ref)


# (the window as it is to be written on, the checked arguments, characters there is room for)
Answers = Callable[[WorkingEdits, dict[str, Any], int], Answer | str]


class OwnTool(Struct, frozen=True):
    """A tool that Loom or a capability answers. `schema` is its declaration. `answer` makes the
    answer to a call.

    A tool that is not `offered` is not declared to the model, but its calls are answered. `within`
    is for a tool that wraps tools of the host: it takes a call and returns the host's call inside,
    or None for a call that `answer` answers."""

    schema: ToolSchema
    answer: Answers
    offered: bool = True
    within: Callable[[Call | ToolCall], ToolCall | None] | None = None


def own_tool(
    name: str,
    said: str,
    properties: dict[str, Any],
    answer: Answers,
    optional: tuple[str, ...] = (),
    *,
    offered: bool = True,
    within: Callable[[Call | ToolCall], ToolCall | None] | None = None,
) -> OwnTool:
    """Return a tool for Loom to answer. `said` is its description. `properties` are its arguments
    as JSON Schema; all but the `optional` ones are required. `OwnTool` explains `offered` and
    `within`.

    `answer` takes a `WorkingEdits` of the window, the arguments by name, and the number of
    characters there is room for. It returns a text, and raises LoomError for a mistake that the
    model should correct.

    >>> about = {"item": {"type": "string"}}
    >>> tool = loom.own_tool("stock", "Tell how many are left.", about, lambda *given: "3 left")
    >>> tool.schema.parameters["required"]
    ['item']"""
    required = [key for key in properties if key not in optional]
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    return OwnTool(ToolSchema(name, said, schema), answer, offered, within)


def host_call(call: Call | ToolCall, tools: Mapping[str, OwnTool]) -> ToolCall | None:
    """Return the call of a host's tool that a call of a wrapping tool contains; None for any other
    call."""
    tool = tools.get(call.name)
    return tool.within(call) if tool is not None and tool.within is not None else None
