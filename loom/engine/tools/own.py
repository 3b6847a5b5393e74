"""The tools Loom declares and answers itself; their calls never reach the host.

A bad call gets an error result that says how to call.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any

from msgspec import json

from loom.engine.tools.answer import Answer, OwnTool, reduction
from loom.engine.tools.notes import MEMORY
from loom.engine.tools.retrieval import RETRIEVAL
from loom.engine.tools.skills import SKILLS
from loom.engine.tools.toolbox import TOOLBOX
from loom.engine.tools.working import WORKING
from loom.engine.working import Desk
from loom.errors import LoomError
from loom.inputs import ToolCall
from loom.providers.schema import BadTool, ToolSchema, document
from loom.reduce import parse
from loom.text import one_line
from loom_paging import PagingError

OWN: dict[str, OwnTool] = {
    tool.schema.name: tool for tool in (*RETRIEVAL, *WORKING, *MEMORY, *SKILLS, *TOOLBOX)
}
WHY_CHARS = 400  # of an error: a bad argument must not come back whole


def offered(desk: Desk) -> dict[str, OwnTool]:
    """The tools Loom can answer with what there is."""
    there = desk.at_hand
    return {
        name: tool for name, tool in OWN.items() if not tool.needs or getattr(there, tool.needs)
    }


def check_names(given: Iterable[ToolSchema], own: Container[str] = OWN) -> None:
    """Raise BadTool for a host's tool under the name of one Loom answers itself."""
    for schema in given:
        if schema.name in own and document(schema) != document(OWN[schema.name].schema):
            raise BadTool(schema, f"Loom answers {schema.name} itself: use another name")


def checked(tool: OwnTool, arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments a tool knows, of the types it declares; raises LoomError for others.

    A number may stand for a text. Null is as good as left out.
    """
    made: dict[str, Any] = {}
    for name, schema in tool.schema.parameters["properties"].items():
        value = arguments.get(name)
        if value is None:
            continue
        kind = schema["type"]
        if kind == "array" and not isinstance(value, list):
            raise LoomError(f"{name} is a list of texts")
        texts = value if kind == "array" else [value]
        if kind == "object":
            made[name] = _object(name, value)
            continue
        if kind == "number":
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise LoomError(f"{name} is a number from 0 to 1")
            made[name] = value
            continue
        if any(isinstance(one, bool) or not isinstance(one, str | int | float) for one in texts):
            raise LoomError(f"{name} is {'a list of texts' if kind == 'array' else 'a text'}")
        made[name] = [str(one) for one in texts] if kind == "array" else str(value)
    return made


def _object(name: str, value: object) -> dict[str, Any]:
    """An object, also one written as a JSON text."""
    found = parse(value) if isinstance(value, str) else value
    if not isinstance(found, dict):
        raise LoomError(f"{name} is an object")
    return found


def answer(desk: Desk, call: ToolCall, limit: int) -> Answer:
    """Answer one of Loom's own calls; a fault of the caller becomes an instructive error."""
    tool = OWN[call.name]
    try:
        arguments = json.decode(call.arguments or "{}", type=dict[str, Any])
        return tool.answer(desk, checked(tool, arguments), limit)
    except KeyError as error:
        why = f"the argument {error} is missing"
    except (ValueError, RecursionError) as error:
        why = f"the arguments are not a JSON object ({error})"
    except (LoomError, PagingError) as error:
        why = one_line(str(error), WHY_CHARS)
    usage = json.encode(tool.schema.parameters["properties"]).decode()
    text = f"{call.name}: {why}. Arguments: {usage}"
    said = f"{call.name} failed: {why[:160]}"
    return Answer(text, reduction(call.name, {}, said), error=True)
