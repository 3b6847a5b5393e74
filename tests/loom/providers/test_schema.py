"""Tool declarations in every shape a host may have them in."""

from __future__ import annotations

import json
from typing import Any

import pytest

import loom
from loom.providers.formats import FORMATS, declared
from loom.providers.schema import ToolSchema, document, schemas_of, sent_as
from tests.kit.cases import all_cases

PARAMETERS = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
PLAIN = {"name": "find", "description": "Finds.", "parameters": PARAMETERS}
ANTHROPIC = {"name": "find", "description": "Finds.", "input_schema": PARAMETERS}
RESPONSES = {"type": "function", **PLAIN, "strict": False}
GEMINI = {"name": "find", "description": "Finds.", "parameters_json_schema": PARAMETERS}
GOOGLE = {
    "type": "OBJECT",
    "properties": {"q": {"type": "STRING"}},
    "required": ["q"],
}
SHAPES = [ToolSchema("find", "Finds.", PARAMETERS), PLAIN, ANTHROPIC, RESPONSES, GEMINI]


@all_cases(
    "given",
    [
        *SHAPES,
        {"type": "function", "function": PLAIN},
        {"function_declarations": [GEMINI]},
        {"functionDeclarations": [PLAIN]},
        {"name": "find", "description": "Finds.", "parametersJsonSchema": PARAMETERS},
        {"name": "find", "description": "Finds.", "parameters": GOOGLE},
    ],
)
def test_shapes(given: Any) -> None:
    """All shapes are read into one, and written for each provider."""
    (schema,) = schemas_of(given)
    assert schema == SHAPES[0]
    assert FORMATS["openai"].tool(schema) == {"type": "function", "function": PLAIN}
    assert FORMATS["responses"].tool(schema) == RESPONSES
    assert FORMATS["anthropic"].tool(schema) == ANTHROPIC
    assert FORMATS["gemini"].tool(schema) == GEMINI


def test_several() -> None:
    """A tool of Gemini's may declare several functions; it is no single tool."""
    other = {"name": "now"}
    tool = {"function_declarations": [GEMINI, other]}
    assert [schema.name for schema in schemas_of(tool)] == ["find", "now"]
    assert schemas_of(PLAIN) == (SHAPES[0],)


@all_cases(
    ("google", "read"),
    [
        ({"type": "INTEGER", "format": "int32"}, {"type": "integer", "format": "int32"}),
        ({"type": "STRING", "nullable": True}, {"type": ["string", "null"]}),
        ({"type": "STRING", "nullable": False}, {"type": "string"}),
        (
            {"type": "ARRAY", "min_items": "1", "items": {"type": "NUMBER"}},
            {"type": "array", "minItems": 1, "items": {"type": "number"}},
        ),
        (
            {"type": "OBJECT", "properties": {"any_of": {"any_of": [{"type": "NULL"}]}}},
            {"type": "object", "properties": {"any_of": {"anyOf": [{"type": "null"}]}}},
        ),
        ({"type": "STRING", "enum": ["STRING"]}, {"type": "string", "enum": ["STRING"]}),
    ],
)
def test_google_schemas(google: dict[str, Any], read: dict[str, Any]) -> None:
    """Gemini's own schemas are read as JSON Schema; names of properties stay as they are."""
    parameters = {"type": "OBJECT", "properties": {"x": google}}
    (schema,) = schemas_of({"name": "find", "parameters": parameters})
    assert schema.parameters == {"type": "object", "properties": {"x": read}}


def test_declared() -> None:
    """The text of a declaration is what a request carries, letter for letter."""
    given = document(ToolSchema("find", "Fïnds."))
    for name, format in FORMATS.items():
        assert json.loads(declared(name, given)) == format.tool(sent_as(given))
        assert "Fïnds." in declared(name, given)


def test_bare_name() -> None:
    """A name alone is a tool without parameters."""
    assert schemas_of({"name": "now"})[0].parameters == {"type": "object", "properties": {}}


@all_cases(
    "given",
    [
        None,
        7,
        "find",
        {},
        {"name": ""},
        {"name": 7},
        {"function": 3},
        {"name": "find", "parameters": "x"},
        {"function_declarations": []},
        {"function_declarations": ["x"]},
    ],
)
def test_refused(given: Any) -> None:
    """What is no declaration is refused, and shown."""
    with pytest.raises(loom.BadTool, match="not a tool declaration"):
        schemas_of(given)
