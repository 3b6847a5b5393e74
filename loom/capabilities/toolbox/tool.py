"""`find_tool` and `call_tool`: the tools of levels 2 and 3, called without being declared.

A provider takes calls of declared tools alone, and a declaration costs tokens in every request and
a cut of the cached prefix when it comes late. So what is found is called through one declared
tool, the gateway: the host sees the call that is meant (`Context.calls`), and its result is reduced
by the rules of that tool. Loom answers a call of the gateway itself only where there is no such
tool.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loom.capability import Answer, OwnTool, own_tool
from loom.engine.answer import reduction
from loom.engine.tools.answer import OBJECT, TEXT
from loom.engine.working import WorkingEdits
from loom.errors import LoomError
from loom.inputs import ToolCall
from loom.reduce import GATEWAY, meant
from loom.text import one_line
from loom_partitions.message import Call

if TYPE_CHECKING:
    from loom.capabilities.toolbox.registry import Toolbox


def toolbox_tools(box: Toolbox) -> tuple[OwnTool, OwnTool]:
    """The two tools, offered where there is something to find."""

    def check() -> None:
        if not len(box):  # by an earlier opening the two may stand in the window
            raise LoomError("this agent has no more tools than those declared")

    def find(edits: WorkingEdits, arguments: dict[str, Any], limit: int) -> Answer:
        words = str(arguments["words"])
        check()
        found = box.find(words)
        said = f"Looked for tools for '{one_line(words, 80)}': {len(found)} found"
        text = box.described(found, GATEWAY)
        return Answer(text[:limit], reduction("find_tool", {"words": words[:100]}, said))

    def call(edits: WorkingEdits, arguments: dict[str, Any], limit: int) -> Answer:
        """Answer a call that goes to no tool."""
        name = str(arguments["name"])
        check()
        box.get(name)
        raise LoomError(f"`arguments` are those of {one_line(name, 80)}, as an object")

    def within(call: Call | ToolCall) -> ToolCall | None:
        name, arguments = meant(call.name, call.arguments)
        if call.name == name or name not in box:
            return None
        return ToolCall(call.id, box.get(name).descriptor.name, arguments)

    return (
        own_tool(
            "find_tool",
            'Find more tools, for call_tool, by words for what they do; "?" lists all.',
            {"words": TEXT},
            find,
            offered=box.findable,
        ),
        own_tool(
            GATEWAY,
            "Call a tool that find_tool told of.",
            {"name": TEXT, "arguments": OBJECT},
            call,
            optional=("arguments",),
            offered=box.findable,
            within=within,
        ),
    )
