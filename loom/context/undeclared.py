"""Calls of tools that the model was never told of."""

from __future__ import annotations

from loom.engine import Engine
from loom.engine.head import own
from loom.errors import UndeclaredTool
from loom.text import tool_name

FIND_TOOL = "find_tool"
FIND = f"{FIND_TOOL} finds more, by words for what they do"


def undeclared(engine: Engine, name: str) -> UndeclaredTool | None:
    """The refusal of a call of that name; None for a declared one, and where the host declares its
    tools elsewhere, so that nobody here knows which there are."""
    with engine.lock, engine.atomic:
        keys = [held.key for held in engine.window.skill.tools.current]
        mine = own(engine)
    told = {tool_name(key) for key in keys}
    if tool_name(name) in told or not (FIND_TOOL in mine or set(keys) - mine):
        return None
    keys.sort(key=mine.__contains__)  # the host's first
    return UndeclaredTool(name, keys, FIND if FIND_TOOL in mine else "")
