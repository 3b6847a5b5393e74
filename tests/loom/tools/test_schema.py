"""Tool declarations in every shape a host may have them in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import loom
from loom.tools.schema import ToolSchema, document, for_anthropic, for_openai, schema_of

PARAMETERS = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
PLAIN = {"name": "find", "description": "Finds.", "parameters": PARAMETERS}
ANTHROPIC = {"name": "find", "description": "Finds.", "input_schema": PARAMETERS}
SHAPES = [ToolSchema("find", "Finds.", PARAMETERS), PLAIN, ANTHROPIC]


@pytest.mark.parametrize("given", [*SHAPES, {"type": "function", "function": PLAIN}])
def test_shapes(given: Any) -> None:
    """All shapes are read into one, and written for each provider."""
    schema = schema_of(given)
    assert schema == SHAPES[0]
    assert for_openai(document(schema)) == {"type": "function", "function": PLAIN}
    assert for_anthropic(document(schema)) == ANTHROPIC


def test_bare_name() -> None:
    """A name alone is a tool without parameters."""
    assert schema_of({"name": "now"}).parameters == {"type": "object", "properties": {}}


@pytest.mark.parametrize("given", [None, 7, "find", {}, {"name": ""}, {"name": 7}, {"function": 3}])
def test_refused(given: Any) -> None:
    """What is no declaration is refused, and shown."""
    with pytest.raises(loom.BadTool, match="not a tool declaration"):
        schema_of(given)


def test_declared_once(tmp_path: Path) -> None:
    """The same declaration again is no commit; it travels in both formats, and reopens."""
    path = tmp_path / "w"
    with loom.open(path, tools=[PLAIN], own_tools=False, durable=False) as ctx:
        commits = ctx._engine.workspace.commits
        ctx.declare(ANTHROPIC)
        assert ctx._engine.workspace.commits == commits
        ctx.user("hi")
        sha256 = ctx.turn().sha256
    with loom.open(path, own_tools=False, durable=False) as ctx:
        turn = ctx.turn()
        assert turn.sha256 == sha256
        assert turn.request("openai")["tools"] == [{"type": "function", "function": PLAIN}]
        assert turn.request("anthropic")["tools"] == [ANTHROPIC]


def test_a_tool_between_cuts_waits(tmp_path: Path) -> None:
    """A tool declared after the first request stands at the tail and joins at the next cut."""
    with loom.open(tmp_path / "w", own_tools=False, durable=False) as ctx:
        ctx.user("hi")
        ctx.turn()
        ctx.declare(PLAIN)
        turn = ctx.turn()
        assert "tools" not in turn.request()
        assert "[new tool: find]" in str(turn.request()["messages"][-1])
        ctx.resize(16_000)
        ctx.overflowed(RuntimeError("prompt is too long"))
        assert [t["function"]["name"] for t in ctx.turn().request()["tools"]] == ["find"]
