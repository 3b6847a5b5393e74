"""The tools that are answered here: the core's, and those of the capabilities.

Their calls never reach the host. A bad call gets an error result that says how to call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from errno import EIO
from typing import Any

from msgspec import json

from loom.engine.tools.answer import Answer, OwnTool, reduction
from loom.engine.tools.retrieval import RETRIEVAL
from loom.engine.tools.working import WORKING
from loom.engine.working import WorkingEdits
from loom.errors import LoomError
from loom.inputs import ToolCall
from loom.providers.schema import BadTool, ToolSchema, document, expected, kind_of
from loom.reduce import parse
from loom.text import one_line
from loom_paging import FULL

CORE = (*RETRIEVAL, *WORKING)
FAILED = {*FULL, EIO}  # the disk fails: the host must know
WHY_CHARS = 400  # of an error: a bad argument must not come back whole


def named(tools: Iterable[OwnTool]) -> dict[str, OwnTool]:
    """Tools by name, the core's first. Raises BadTool for a name that two have."""
    found: dict[str, OwnTool] = {}
    for tool in (*CORE, *tools):
        if tool.schema.name in found:
            raise BadTool(tool.schema, f"there is a tool {tool.schema.name} already")
        found[tool.schema.name] = tool
    return found


def check_names(given: Iterable[ToolSchema], own: Mapping[str, OwnTool]) -> None:
    """Raise BadTool for a host's tool under the name of one that is answered here."""
    for schema in given:
        mine = own.get(schema.name)
        if mine is not None and document(schema) != document(mine.schema):
            raise BadTool(
                schema,
                f"Loom answers {schema.name} itself: use another name, or open with"
                " policy=loom.Policy(own_tools=False)",
            )


def checked(tool: OwnTool, arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments a tool knows, of the types it declares; raises LoomError for others.

    A number may stand for a text. Null is as good as left out.
    """
    made: dict[str, Any] = {}
    for name, schema in tool.schema.parameters["properties"].items():
        value = arguments.get(name)
        if value is None and name in tool.schema.parameters.get("required", ()):
            raise LoomError(f"the argument {name!r} is missing: it is {expected(schema)}")
        if value is None:
            continue
        kind = schema["type"]
        if kind == "array" and not isinstance(value, list):
            raise LoomError(f"{name} is a list of texts, not {kind_of(value)}")
        texts = value if kind == "array" else [value]
        if kind == "object":
            made[name] = _object(name, value)
            continue
        if kind == "number":
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise LoomError(f"{name} is a number from 0 to 1, not {kind_of(value)}")
            made[name] = value
            continue
        if any(isinstance(one, bool) or not isinstance(one, str | int | float) for one in texts):
            said = "a list of texts" if kind == "array" else f"a text, not {kind_of(value)}"
            raise LoomError(f"{name} is {said}")
        made[name] = [str(one) for one in texts] if kind == "array" else str(value)
    return made


def _object(name: str, value: object) -> dict[str, Any]:
    """An object, also one written as a JSON text."""
    found = parse(value) if isinstance(value, str) else value
    if not isinstance(found, dict):
        raise LoomError(f"{name} is an object, not {kind_of(value)}")
    return found


def _arguments(call: ToolCall) -> dict[str, Any]:
    """The arguments of a call; raises LoomError for what is no JSON object."""
    try:
        return json.decode(call.arguments or "{}", type=dict[str, Any])
    except (ValueError, RecursionError) as error:
        why = one_line(str(error), WHY_CHARS // 2)
        raise LoomError(f"the arguments are not a JSON object ({why})") from None


def answer(
    clean: Callable[[str], str], edits: WorkingEdits, tool: OwnTool, call: ToolCall, limit: int
) -> Answer:
    """Answer a call; a fault of the caller becomes an instructive error.

    `clean` replaces the secrets of a text, before it is cut: the half of one is known no more.
    """
    try:
        given = checked(tool, _arguments(call))
        told = tool.answer(edits, given, limit)
        if isinstance(told, Answer):
            return told
        text = clean(told if isinstance(told, str) else json.encode(told, enc_hook=str).decode())
        said = f"{call.name}: {one_line(text, 160)}"
        return Answer(text[:limit], reduction(call.name, given, said))
    except LoomError as error:
        why = one_line(clean(str(error)), WHY_CHARS)
    except KeyError as error:
        why = one_line(clean(f"the argument {error} is missing"), WHY_CHARS)
    except (ValueError, RecursionError) as error:
        why = one_line(clean(f"the arguments cannot be used: {error}"), WHY_CHARS)
    except Exception as error:  # a capability's tool may raise anything, and the model must be told
        if tool in CORE or getattr(error, "errno", None) in FAILED:
            raise
        why = one_line(clean(f"{type(error).__name__}: {error}"), WHY_CHARS)
    usage = json.encode(tool.schema.parameters["properties"]).decode()
    text = f"{call.name}: {why}. Arguments: {usage}"
    said = f"{call.name} failed: {why[:160]}"
    return Answer(text, reduction(call.name, {}, said), error=True)
