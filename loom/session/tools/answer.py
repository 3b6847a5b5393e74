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
    """The result of a call that Loom answers: its text, its reduced form for later, and the records
    to commit.

    `marked` is True when the text holds notes of Loom's own, known by the session's mark; then the
    mark is taken out of the rest of the text."""

    text: str
    reduction: Reduction
    error: bool = False
    records: tuple[Record, ...] = ()
    marked: bool = False


def answer_reduction(name: str, args: dict[str, Any], said: str, ref: str = "") -> Reduction:
    """Return the short form that a later request may show in place of an answer: the tool's name,
    its arguments, one sentence, and `ref`, the page or entry that was brought back ("" for none).
    """
    return Reduction(name, args, said, said[:100], ref)


# (the window as it is to be written on, the checked arguments, characters there is room for)
Answers = Callable[[WorkingEdits, dict[str, Any], int], Answer | str]


class OwnTool(Struct, frozen=True):
    """A tool of Loom's or of a capability: its declaration, and the function that answers its
    calls.

    A tool that is not `offered` is not declared, but its calls are answered: the window may show it
    from earlier. `within` is for a tool that wraps a host's tool: it returns the host's call that
    is meant, None for a call to answer here."""

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
    """Return a tool with a description (`said`) and JSON Schema properties, all required but the
    optional ones. `OwnTool` explains `offered` and `within`.

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
    """Return the host's call that a call of a wrapping tool means; None where Loom answers it."""
    tool = tools.get(call.name)
    return tool.within(call) if tool is not None and tool.within is not None else None
