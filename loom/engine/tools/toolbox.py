"""`find_tool` and `call_tool`: the tools of levels 2 and 3, called without being declared.

A provider takes calls of declared tools alone, and a declaration costs tokens in every request and
a cut of the cached prefix when it comes late. So what is found is called through one declared
tool, the gateway: the host sees the call that is meant (`Context.calls`), and its result is reduced
by the rules of that tool. Loom answers a call of the gateway itself only where there is no such
tool.
"""

from __future__ import annotations

from typing import Any

from loom.capabilities.toolbox import Toolbox
from loom.engine.tools.answer import OBJECT, TEXT, Answer, reduction, tool
from loom.engine.working import Desk
from loom.errors import LoomError
from loom.inputs import ToolCall
from loom.reduce import GATEWAY, meant
from loom.text import one_line


def passes(desk: Desk, call: ToolCall) -> bool:
    """Whether a call goes through the gateway to a tool that is there, for the host to run."""
    box = desk.at_hand.toolbox
    name, _ = meant(call.name, call.arguments)
    return call.name == GATEWAY != name and box is not None and name in box


def _find(desk: Desk, arguments: dict[str, Any], limit: int) -> Answer:
    words = str(arguments["words"])
    box = _box(desk)
    found = box.find(words)
    said = f"Looked for tools for '{one_line(words, 80)}': {len(found)} found"
    text = box.described(found, GATEWAY)
    return Answer(text[:limit], reduction("find_tool", {"words": words[:100]}, said))


def _call(desk: Desk, arguments: dict[str, Any], limit: int) -> Answer:
    """What is said of a call that goes to no tool."""
    name = str(arguments["name"])
    _box(desk).get(name)
    raise LoomError(f"`arguments` are those of {one_line(name, 80)}, as an object")


def _box(desk: Desk) -> Toolbox:
    if desk.at_hand.toolbox is None:
        raise LoomError("this agent has no more tools than those declared")
    return desk.at_hand.toolbox


TOOLBOX = (
    tool(
        "find_tool",
        'Find more tools, for call_tool, by words for what they do; "?" lists all.',
        {"words": TEXT},
        _find,
        needs="findable",
    ),
    tool(
        GATEWAY,
        "Call a tool that find_tool told of.",
        {"name": TEXT, "arguments": OBJECT},
        _call,
        optional=("arguments",),
        needs="findable",
    ),
)
