"""Calls of tools that the model was never told of."""

from __future__ import annotations

from collections.abc import Iterable

from loom.engine import Engine
from loom.engine.head import own
from loom.errors import UndeclaredTool
from loom.text import tool_name

FIND_TOOL = "find_tool"
FIND = f"{FIND_TOOL} finds more, by words for what they do"


def undeclared(engine: Engine, name: str, findable: Iterable[str] = ()) -> UndeclaredTool | None:
    """The refusal of a call of that name; None for a declared one, and where the model was told of
    no tool at all. `findable` are names it could find, beside those it was told of."""
    with engine.lock, engine.atomic:
        keys = [held.key for held in engine.window.skill.tools.current]
        mine = own(engine)
    told = {tool_name(key) for key in keys}
    if tool_name(name) in told or not keys:
        return None
    keys.sort(key=mine.__contains__)  # the host's first
    keys += [one for one in findable if one not in keys]
    return UndeclaredTool(name, keys, FIND if FIND_TOOL in mine else "")
