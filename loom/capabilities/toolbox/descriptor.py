"""Descriptions of tools before they are run, at each of three levels.

    level 1   a function tool, declared to the model in every request
    level 2   a shell utility, found when it is asked for
    level 3   a script of the project, found when it is asked for

Only level 1 costs tokens in every request; the others cost them when the model looks for them.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct, json

from loom.errors import LoomError
from loom.providers.schema import ToolSchema, bad_tool_error
from loom.text import one_line

SHOWN = 200  # characters of what was refused
FUNCTION, UTILITY, SCRIPT = LEVELS = (1, 2, 3)


class ToolDescriptor(Struct, frozen=True):
    """A tool: `parameters_schema` is the JSON Schema of an object, `level` one of 1, 2, 3.

    Raises BadInput when it is made of what is none.
    """

    name: str
    description: str
    parameters_schema: dict[str, Any]
    level: int = FUNCTION
    requires_approval: bool = False

    def __post_init__(self) -> None:
        why = _descriptor_fault(self)
        if why:
            raise bad_tool_error(self.name, why)


def tool_schema(descriptor: ToolDescriptor) -> ToolSchema:
    """The declaration of a tool, as every writer of `loom.providers.schema` takes it."""
    return ToolSchema(descriptor.name, descriptor.description, descriptor.parameters_schema)


def _descriptor_fault(made: ToolDescriptor) -> str:
    """Why this is no tool; "" when it is one."""
    name, parameters = made.name, made.parameters_schema
    if not isinstance(name, str) or not name.strip():
        return "a tool has a name that is not empty"
    if not name.isprintable() or name != name.strip():
        return "the name of a tool has no control characters, and no spaces at its ends"
    if not isinstance(made.description, str):
        return "the description of a tool is a text"
    if isinstance(made.level, bool) or made.level not in LEVELS:
        return f"the level of a tool is 1, 2 or 3, not {made.level!r}"
    if not isinstance(parameters, dict) or parameters.get("type", "object") != "object":
        return "the parameters of a tool are the JSON Schema of an object"
    try:
        json.encode(parameters)
    except (TypeError, ValueError, RecursionError) as error:
        return f"the parameters of a tool are JSON: {error}"
    return ""


def tool_refused(what: str, why: str, instead: str = "") -> LoomError:
    """The error for a command or a script that was not run; nothing was started.

    `what` was refused, `why`, and what to do `instead`: three texts an agent can act on.
    """
    refused = one_line(what, SHOWN)
    return LoomError(f"refused {refused!r}: {why}{f'; {instead}' if instead else ''}")
