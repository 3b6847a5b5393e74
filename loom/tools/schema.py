"""Tool schemas: the shapes hosts declare them in, read into one, and written for a provider."""

from __future__ import annotations

from collections.abc import Mapping
from json import dumps
from typing import Any

from msgspec import Struct, field, json, to_builtins

from loom.errors import LoomError


class BadTool(LoomError):
    """A tool declaration that cannot be read."""

    def __init__(self, given: object, why: str = "") -> None:
        accepted = (
            'accepted are {"name", "description", "parameters"}, the same under "function", or'
            ' with "input_schema"'
        )
        super().__init__(f"not a tool declaration: {repr(given)[:200]}; {why or accepted}")


class ToolSchema(Struct, frozen=True):
    """A declared tool: `parameters` is its JSON Schema."""

    name: str
    description: str = ""
    parameters: dict[str, Any] = field(default_factory=lambda: {"type": "object", "properties": {}})


def schema_of(tool: ToolSchema | Mapping[str, Any]) -> ToolSchema:
    """Read a declaration in OpenAI's, Anthropic's or the plain shape; raises BadTool."""
    if isinstance(tool, ToolSchema):
        return tool
    if not isinstance(tool, Mapping):
        raise BadTool(tool)
    inner = tool.get("function", tool)
    name = inner.get("name") if isinstance(inner, Mapping) else None
    if not isinstance(name, str) or not name:
        raise BadTool(tool)
    parameters = inner.get("parameters") or inner.get("input_schema")
    return ToolSchema(
        name, str(inner.get("description") or ""), dict(parameters or ToolSchema("").parameters)
    )


def document(schema: ToolSchema) -> str:
    """The schema as one JSON document, keys in a fixed order; text as it was given."""
    return dumps(to_builtins(schema), ensure_ascii=False, separators=(",", ":"))


def for_openai(document: str) -> dict[str, Any]:
    """The declaration as Chat Completions takes it."""
    return {"type": "function", "function": json.decode(document)}


def for_anthropic(document: str) -> dict[str, Any]:
    """The declaration as Messages takes it."""
    tool = json.decode(document)
    return {
        "name": tool["name"],
        "description": tool["description"],
        "input_schema": tool["parameters"],
    }


WRITERS = {"openai": for_openai, "anthropic": for_anthropic}
