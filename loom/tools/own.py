"""The tools Loom declares and answers itself; their calls never reach the host.

A bad call gets an error result that says how to call. What retrieval brings back is bounded, and
is never put on a page again: it has one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct, json

from loom.archive.lookup import page_in
from loom.archive.recall import recall
from loom.errors import LoomError
from loom.inputs import ToolCall
from loom.text import one_line
from loom.tools.schema import ToolSchema
from loom.workspace import Workspace
from paging import PagingError
from partitions.message import Reduction


class Answer(Struct, frozen=True):
    """The result of one of Loom's own calls, and its reduced form."""

    text: str
    reduction: Reduction
    error: bool = False
    faulted: str = ""


class OwnTool(Struct, frozen=True):
    """A tool of Loom's: its declaration and what answers it, within `limit` characters."""

    schema: ToolSchema
    answer: Callable[[Workspace, dict[str, Any], int], Answer]


def _page_in(workspace: Workspace, arguments: dict[str, Any], limit: int) -> Answer:
    ref = str(arguments["ref"])
    ways = {
        name: str(arguments[name]) for name in ("lines", "grep", "pointer") if arguments.get(name)
    }
    text, name = page_in(workspace, ref, limit, **ways)
    part = ", ".join(f"{way} {value}" for way, value in ways.items())
    said = f"Paged in {name}" + (f" ({part})" if part else "")
    return Answer(text, _reduction("page_in", {"ref": ref, **ways}, said, name), faulted=name)


def _recall(workspace: Workspace, arguments: dict[str, Any], limit: int) -> Answer:
    query = str(arguments["query"])
    text, hits = recall(workspace, query, limit)
    said = f"Recalled '{query[:80]}': {hits} places"
    return Answer(text, _reduction("recall", {"query": query[:100]}, said, ""))


def _reduction(tool: str, args: dict[str, Any], said: str, ref: str) -> Reduction:
    return Reduction(tool, args, said, said[:100], ref)


WHY_CHARS = 400  # of an error: a bad argument must not come back whole
_TEXT = {"type": "string"}
OWN: dict[str, OwnTool] = {
    "page_in": OwnTool(
        ToolSchema(
            "page_in",
            "Bring back text that left the context window, by the name shown where it was"
            " (outputs/read_0007.json, step_0012). Ask for part of it: lines, grep or pointer.",
            {
                "type": "object",
                "properties": {
                    "ref": _TEXT,
                    "lines": {**_TEXT, "description": "10-40, 40 or -20 (the last 20)"},
                    "grep": {**_TEXT, "description": "regular expression"},
                    "pointer": {**_TEXT, "description": "JSON pointer, /a/0/b"},
                },
                "required": ["ref"],
            },
        ),
        _page_in,
    ),
    "recall": OwnTool(
        ToolSchema(
            "recall",
            "Search everything that ever entered the context window; returns names for page_in"
            " with the matching lines.",
            {"type": "object", "properties": {"query": _TEXT}, "required": ["query"]},
        ),
        _recall,
    ),
}


def answer(workspace: Workspace, call: ToolCall, limit: int) -> Answer:
    """Answer one of Loom's own calls; a fault of the caller becomes an instructive error."""
    tool = OWN[call.name]
    try:
        arguments = json.decode(call.arguments or "{}", type=dict[str, Any])
        return tool.answer(workspace, arguments, limit)
    except KeyError as error:
        why = f"the argument {error} is missing"
    except (ValueError, RecursionError) as error:
        why = f"the arguments are not a JSON object ({error})"
    except (LoomError, PagingError) as error:
        why = one_line(str(error), WHY_CHARS)
    usage = json.encode(tool.schema.parameters["properties"]).decode()
    text = f"{call.name}: {why}. Arguments: {usage}"
    said = f"{call.name} failed: {why[:160]}"
    return Answer(text, _reduction(call.name, {}, said, ""), error=True)
