"""Tool declarations in every shape a host may have them in, plain functions too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

import pytest

import loom
from loom.errors import BadInput
from loom.providers.formats import FORMATS, declaration_json, format_of
from loom.providers.schema import ToolSchema, schema_as_sent, schema_document, tool_schemas_of
from tests.kit.cases import all_cases
from tests.kit.opened import plain

PARAMETERS = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
PLAIN = {"name": "find", "description": "Finds.", "parameters": PARAMETERS}
ANTHROPIC = {"name": "find", "description": "Finds.", "input_schema": PARAMETERS}
RESPONSES = {"type": "function", **PLAIN, "strict": False}
GEMINI = {"name": "find", "description": "Finds.", "parameters_json_schema": PARAMETERS}
GOOGLE = {"type": "OBJECT", "properties": {"q": {"type": "STRING"}}, "required": ["q"]}
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
    (schema,) = tool_schemas_of(given)
    assert schema == SHAPES[0]
    several = tool_schemas_of({"function_declarations": [GEMINI, {"name": "now"}]})
    assert several == (schema, ToolSchema("now", "", {"type": "object", "properties": {}}))
    assert format_of("openai").tool(schema) == {"type": "function", "function": PLAIN}
    assert format_of("responses").tool(schema) == RESPONSES
    assert format_of("anthropic").tool(schema) == ANTHROPIC
    assert format_of("gemini").tool(schema) == GEMINI


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
    (schema,) = tool_schemas_of({"name": "find", "parameters": parameters})
    assert schema.parameters == {"type": "object", "properties": {"x": read}}


def test_declared() -> None:
    """The text of a declaration is what a request carries, letter for letter."""
    given = schema_document(ToolSchema("find", "Fïnds."))
    for name in FORMATS:
        assert json.loads(declaration_json(name, given)) == format_of(name).tool(
            schema_as_sent(given)
        )
        assert "Fïnds." in declaration_json(name, given)


REFUSED: list[Any] = [
    *(None, 7, "find", {}, {"name": ""}, {"name": 7}, {"function": 3}),
    *({"name": "find", "parameters": "x"}, {"function_declarations": []}),
    {"function_declarations": ["x"]},
]


@all_cases("given", REFUSED)
def test_refused(given: Any) -> None:
    """What is no declaration is refused, and shown."""
    with pytest.raises(loom.BadInput, match="not a tool declaration"):
        tool_schemas_of(given)


def read_file(
    path: str, lines: list[int] | None = None, *, how: Literal["raw", "text"] = "text"
) -> str:
    """Read a file."""
    return f"{path} {lines} {how}"


def untyped(query, limit=3):  # type: ignore[no-untyped-def]  # noqa: D103
    return query * limit


def nothing() -> None:
    """Do nothing."""


def many(*paths: str) -> None:
    """Take any number."""


def unknown(it: NotThere) -> None:  # type: ignore[name-defined]  # noqa: F821
    """Take what there is not."""


def test_the_schema_of_a_function() -> None:
    """Name, docstring, types, defaults, and which are required."""
    (made,) = tool_schemas_of(read_file)
    assert (made.name, made.description) == ("read_file", "Read a file.")
    assert made.parameters["type"] == "object" and made.parameters["required"] == ["path"]
    fields = made.parameters["properties"]
    assert fields["path"] == {"type": "string"} and fields["how"]["default"] == "text"
    assert fields["how"]["enum"] == ["raw", "text"]
    (bare,) = tool_schemas_of(nothing)
    assert bare.parameters == {"type": "object", "properties": {}, "required": []}
    (loose,) = tool_schemas_of(untyped)
    loosely = {"query": {}, "limit": {"default": 3}}
    assert loose.description == "" and loose.parameters["properties"] == loosely


@pytest.mark.parametrize("function", [many, unknown])
def test_what_no_schema_says_is_refused(function: object) -> None:
    """Arguments without names, and types that are not there."""
    with pytest.raises(BadInput, match=r"paths|NotThere"):
        tool_schemas_of(function)  # type: ignore[arg-type]


@all_cases("format", ["openai", "responses", "anthropic", "gemini"])
def test_a_function_is_declared_and_run_by_its_arguments(tmp_path: Path, format: str) -> None:
    """In every format's request; `call.args` are what it takes, by name."""
    with plain(tmp_path / format, tools=[read_file], window=8_000) as ctx:
        ctx.user("go")
        request = ctx.turn().request(format)
        assert "read_file" in str(request["config" if format == "gemini" else "tools"])
        calls = [("a", '{"path": "x", "how": "raw"}'), ("b", ""), ("c", "[1]"), ("d", "{")]
        ctx.reply(loom.Reply(tuple(loom.ToolCall(id, "read_file", text) for id, text in calls)))
        first, empty, *broken = ctx.calls
        assert read_file(**first.args) == "x None raw" and empty.args == {}
        for call in broken:
            with pytest.raises(ValueError, match=r"JSON|Expected|truncated"):
                _ = call.args
