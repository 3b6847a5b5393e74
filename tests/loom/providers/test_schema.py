"""Tool declarations in every shape a host may have them in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import loom
from loom.providers.formats import FORMATS, declared
from loom.providers.schema import ToolSchema, document, schemas_of, sent_as
from tests.kit.cases import all_cases
from tests.kit.opened import plain

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


def test_libraries_take_them() -> None:
    """Declarations are those of the providers' libraries, whose objects are read too."""
    given = ToolSchema("find", "Finds.", PARAMETERS)
    google = pytest.importorskip("google.genai").types
    tool = google.Tool(function_declarations=[FORMATS["gemini"].tool(given)])
    assert schemas_of(tool) == (SHAPES[0],)
    typed = google.FunctionDeclaration(
        name="find",
        description="Finds.",
        parameters=google.Schema(
            type=google.Type.OBJECT, properties={"q": google.Schema(type="STRING")}, required=["q"]
        ),
    )
    assert schemas_of(typed) == (SHAPES[0],)
    adapter = pytest.importorskip("pydantic").TypeAdapter
    for module, name, write in (
        ("openai.types.chat", "ChatCompletionToolUnionParam", FORMATS["openai"].tool),
        ("openai.types.responses", "FunctionToolParam", FORMATS["responses"].tool),
        ("anthropic.types", "ToolParam", FORMATS["anthropic"].tool),
    ):
        kind = getattr(pytest.importorskip(module), name)
        assert set(adapter(kind).validate_python(write(given))) == set(write(given))


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


def test_declared_once(tmp_path: Path) -> None:
    """The same declaration again is no commit; it travels in both formats, and reopens."""
    path = tmp_path / "w"
    with plain(path, tools=[PLAIN]) as ctx:
        commits = ctx._engine.workspace.commits
        ctx.tools.declare(ANTHROPIC)
        assert ctx._engine.workspace.commits == commits
        ctx.user("hi")
        sha256 = ctx.turn().sha256
    with plain(path) as ctx:
        turn = ctx.turn()
        assert turn.sha256 == sha256
        assert turn.request("openai")["tools"] == [{"type": "function", "function": PLAIN}]
        assert turn.request("anthropic", cache=False)["tools"] == [ANTHROPIC]


def test_a_tool_between_cuts_waits(tmp_path: Path) -> None:
    """A tool declared after the first request stands at the tail and joins at the next cut."""
    with plain(tmp_path / "w") as ctx:
        ctx.user("hi")
        ctx.turn()
        ctx.tools.declare(PLAIN)
        turn = ctx.turn()
        assert "tools" not in turn.request()
        assert f"[new tool {ctx.window.config.mark}: find]" in str(turn.request()["messages"][-1])
        ctx.resize(16_000)
        ctx.overflowed(RuntimeError("prompt is too long"))
        assert [t["function"]["name"] for t in ctx.turn().request()["tools"]] == ["find"]
