"""Calls of tools that nobody declared, and calls that are badly made: what the model is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import loom
from loom.capabilities.toolbox import Toolbox
from tests.kit.cases import all_cases
from tests.kit.step import call

PATH = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
COUNT = {**PATH, "properties": {"path": {"type": "string"}, "lines": {"type": "integer"}}}


def schema(name: str) -> dict[str, Any]:
    """A tool of the host's, as Chat Completions declares it."""
    return {"type": "function", "function": {"name": name, "description": name, "parameters": PATH}}


def opened(folder: Path, box: Toolbox | None = None, *names: str) -> loom.Context:
    """A context with a toolbox, and with declared tools of the host's."""
    given = [box] if box else []
    tools = [schema(name) for name in names]
    return loom.open(folder / "w", tools=tools, capabilities=given, durable=False)


def box() -> Toolbox:
    """A declared tool and one that is found."""
    made = Toolbox()
    made.add(loom.ToolDescriptor("count", "Count lines.", COUNT), lambda given: given["path"])
    made.add(loom.ToolDescriptor("grep", "Search.", PATH, 2), lambda given: "hit")
    return made


def test_where_nothing_is_declared_nothing_is_unknown(tmp_path: Path) -> None:
    """A host that declares its tools elsewhere runs them all, as ever."""
    bare = loom.Policy(own_tools=False)
    with loom.open(tmp_path / "w", policy=bare, durable=False) as ctx:
        with pytest.raises(loom.NoRunner, match="'anything'") as caught:
            ctx.run(call(ctx, "anything", "{}"))
        assert not isinstance(caught.value, loom.UndeclaredTool)


def test_a_declared_tool_of_the_host_is_the_hosts(tmp_path: Path) -> None:
    """It is not refused, also under the name it is sent by."""
    with opened(tmp_path, None, "fs:read_file") as ctx:
        with pytest.raises(loom.NoRunner) as caught:
            ctx.run(call(ctx, "fs_read_file", "{}"))
        assert not isinstance(caught.value, loom.UndeclaredTool)


def test_a_toolbox_says_how_to_find_more(tmp_path: Path) -> None:
    """`find_tool` is named where it is declared, for direct calls and for those through it."""
    with opened(tmp_path, box(), "read_file") as ctx:
        id = call(ctx, "zzz", "{}")
        with pytest.raises(loom.UndeclaredTool, match=r"are read_file.*; find_tool") as caught:
            ctx.run(id)
        assert len(str(caught.value)) < 400
        ctx.result(id, str(caught.value), error=True)
        call(ctx, "call_tool", '{"name": "gerp", "arguments": {}}')
        (said,) = ctx.history.restore(2).results.values()
        assert said.startswith("call_tool: no tool 'gerp'; there are grep; find_tool finds more")


BAD = [
    ("count", "{", "no JSON object"),
    ("count", "[1]", "no JSON object"),
    ("count", "{}", "`path` is missing: it is a text"),
    ("count", '{"path": 3}', "`path` is a text, not a number"),
    ("count", '{"path": "a", "lines": "ten"}', "`lines` is a whole number, not a text"),
    ("count", '{"path": "a", "lines": true}', "`lines` is a whole number, not true or false"),
    ("page_in", "{", "page_in: the arguments are not a JSON object"),
    ("page_in", "{}", "page_in: the argument 'ref' is missing: it is a text"),
    ("page_in", '{"ref": {"a": 1}}', "page_in: ref is a text, not an object"),
    ("page_in", '{"ref": "../../etc/passwd"}', "etc/passwd"),
    ("page_in", '{"ref": "user_0001", "lines": "1", "grep": "a"}', "at a time"),
    ("recall", '{"query": "?"}', "no words"),
    ("plan", '{"items": "x"}', "plan: items is a list of texts, not a text"),
    ("find_tool", "{}", "find_tool: the argument 'words' is missing: it is a text"),
    ("call_tool", "{}", "'name' is missing"),
    ("call_tool", '{"name": "page_in", "arguments": {"ref": "x"}}', "no tool 'page_in'"),
    ("call_tool", '{"name": "grep", "arguments": 7}', "arguments is an object, not a number"),
    ("call_tool", '{"name": "grep", "arguments": {}}', "`path` is missing: it is a text"),
]


@all_cases(("name", "arguments", "said"), BAD)
def test_bad_arguments(tmp_path: Path, name: str, arguments: str, said: str) -> None:
    """The refusal names the field and what was expected, without a traceback."""
    with opened(tmp_path, box()) as ctx:
        call(ctx, name, arguments)
        for waiting in ctx.calls:
            ctx.run(waiting)
        (told,) = ctx.history.restore(1).results.values()
        assert said in told and "Traceback" not in told and told.count("\n") < 2


def test_good_arguments_run(tmp_path: Path) -> None:
    """A whole number as 3.0, null for what may be left out, and a field no schema knows."""
    with opened(tmp_path, box()) as ctx:
        given = '{"path": "a", "lines": 3.0, "more": [1]}'
        assert ctx.run(call(ctx, "count", given)) == "a"
        assert ctx.run(call(ctx, "count", '{"path": "b", "lines": null}')) == "b"
