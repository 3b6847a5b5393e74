"""A plain function as a tool: its signature is its JSON Schema."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

import loom
from loom.providers.schema import BadTool, schemas_of
from tests.kit.cases import all_cases
from tests.kit.opened import plain


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
    (made,) = schemas_of(read_file)
    assert (made.name, made.description) == ("read_file", "Read a file.")
    assert made.parameters["type"] == "object" and made.parameters["required"] == ["path"]
    fields = made.parameters["properties"]
    assert fields["path"] == {"type": "string"} and fields["how"]["default"] == "text"
    assert fields["how"]["enum"] == ["raw", "text"]
    (bare,) = schemas_of(nothing)
    assert bare.parameters == {"type": "object", "properties": {}, "required": []}
    (loose,) = schemas_of(untyped)
    assert loose.description == "" and loose.parameters["properties"] == {
        "query": {},
        "limit": {"default": 3},
    }


@pytest.mark.parametrize("function", [many, unknown])
def test_what_no_schema_says_is_refused(function: object) -> None:
    """Arguments without names, and types that are not there."""
    with pytest.raises(BadTool, match=r"paths|NotThere"):
        schemas_of(function)  # type: ignore[arg-type]


@all_cases("format", ["openai", "responses", "anthropic", "gemini"])
def test_a_function_is_declared_and_run_by_its_arguments(tmp_path: Path, format: str) -> None:
    """In every format's request; `call.args` are what it takes, by name."""
    with plain(tmp_path / format, tools=[read_file], window=8_000) as ctx:
        ctx.user("go")
        assert "read_file" in str(
            ctx.turn().request(format)["config" if format == "gemini" else "tools"]
        )
        calls = [("a", '{"path": "x", "how": "raw"}'), ("b", ""), ("c", "[1]"), ("d", "{")]
        ctx.reply(loom.Reply(tuple(loom.ToolCall(id, "read_file", text) for id, text in calls)))
        first, empty, *broken = ctx.calls
        assert read_file(**first.args) == "x None raw" and empty.args == {}
        for call in broken:
            with pytest.raises(ValueError, match=r"JSON|Expected|truncated"):
                _ = call.args
