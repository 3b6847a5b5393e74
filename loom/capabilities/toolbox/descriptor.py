"""Descriptions of tools before they are run, on each of three levels.

    level 1   a function tool, declared to the model in every request
    level 2   a shell utility, found when the model looks for it
    level 3   a script of the project, found when the model looks for it

Only level 1 costs tokens in every request; the others cost tokens when the model looks for them."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, json

from loom.errors import LoomError
from loom.providers.schema import ToolSchema, bad_tool_error
from loom.text import one_line

SHOWN = 200  # characters of what was refused
FUNCTION, UTILITY, SCRIPT = LEVELS = (1, 2, 3)


class ToolDescriptor(Struct, frozen=True):
    """A description of a tool. `parameters_schema` is a JSON Schema of an object. `level` is 1
    (declared in every request), 2 (a program) or 3 (a script).

    With `requires_approval`, each run must be approved first (see `Toolbox`). Raises BadInput for
    invalid values.

        >>> loom.ToolDescriptor("clock", "Tell the time.", {"type": "object"}).level
        1"""

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
    """Return a tool's declaration: its name, description and parameters."""
    return ToolSchema(descriptor.name, descriptor.description, descriptor.parameters_schema)


def _descriptor_fault(descriptor: ToolDescriptor) -> str:
    """Return what is invalid in a descriptor, in words; "" if it is valid."""
    name, parameters = descriptor.name, descriptor.parameters_schema
    if not isinstance(name, str) or not name.strip():
        return "a tool has a name that is not empty"
    if not name.isprintable() or name != name.strip():
        return "the name of a tool has no control characters, and no spaces at its ends"
    if not isinstance(descriptor.description, str):
        return "the description of a tool is a text"
    if isinstance(descriptor.level, bool) or descriptor.level not in LEVELS:
        return f"the level of a tool is 1, 2 or 3, not {descriptor.level!r}"
    if not isinstance(parameters, dict) or parameters.get("type", "object") != "object":
        return "the parameters of a tool are the JSON Schema of an object"
    try:
        json.encode(parameters)
    except (TypeError, ValueError, RecursionError) as error:
        return f"the parameters of a tool are JSON: {error}"
    return ""


def tool_refused(what: str, why: str, instead: str = "") -> LoomError:
    """Return the error for a command or script `what` that was not started because of `why`.
    `instead` says what the model should do."""
    refused = one_line(what, SHOWN)
    return LoomError(f"refused {refused!r}: {why}{f'; {instead}' if instead else ''}")
