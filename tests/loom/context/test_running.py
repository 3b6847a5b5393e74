"""A toolbox in a context: what is declared, found, called through the gateway, run and paged; calls
of tools that nobody declared, and calls that are badly made."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import loom
from loom.capabilities.toolbox import builtin
from loom.capabilities.toolbox.descriptor import ToolDescriptor
from loom.capabilities.toolbox.limited_runs import RunResult
from loom.capabilities.toolbox.registry import Toolbox
from loom.errors import NoRunner
from loom.providers.formats import FORMATS
from tests.kit.cases import all_cases
from tests.kit.step import call

Opened = Callable[[Toolbox | None], loom.Context]
ANY: dict[str, Any] = {"type": "object", "properties": {"x": {"type": "integer"}}}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small project with a script."""
    folder = tmp_path / "project"
    (folder / "scripts").mkdir(parents=True)
    (folder / "notes.txt").write_text("".join(f"line {n}\n" for n in range(2_000)))
    (folder / "scripts" / "total.py").write_text(
        '"""Add numbers up."""\nimport json, sys\nprint(sum(json.load(sys.stdin)["numbers"]))\n'
    )
    return folder


@pytest.fixture
def opened(tmp_path: Path) -> Opened:
    """Open one workspace with a toolbox."""
    return lambda box: loom.open(
        tmp_path / "w", window=16_000, capabilities=[box] if box else [], durable=False
    )


def called(ctx: loom.Context, name: str, /, **arguments: object) -> str:
    """Make one call; its id."""
    return call(ctx, name, json.dumps(arguments))


def answered(ctx: loom.Context) -> str:
    """The result of the only call of the last step."""
    (text,) = ctx.history.restore(ctx.window.history.next_id - 1).results.values()
    return text


def names(ctx: loom.Context) -> set[str]:
    """The tools that are declared."""
    return {held.key for held in ctx.window.skill.tools.current}


def test_without_one_nothing_is_declared(opened: Opened) -> None:
    """Neither without a toolbox, nor with an empty one, nor with tools of level 1 alone."""
    box = Toolbox()
    for given in (None, box):
        with opened(given) as ctx:
            assert not names(ctx) & {"find_tool", "call_tool"}
    box.add(ToolDescriptor("near", "Declared.", ANY), lambda given: "here")
    with opened(box) as ctx:
        assert "near" in names(ctx) and not names(ctx) & {"find_tool", "call_tool"}
        id = called(ctx, "near", x=1)
        assert ctx.run(id) == "here" and answered(ctx) == "here"
        with pytest.raises(loom.BadInput, match="waits for a result"):
            ctx.run(id)


def test_found_called_and_paged(project: Path, opened: Opened) -> None:
    """The model finds a utility, calls it by the gateway; the host sees the call that is meant, and
    its output is reduced as that of the tool."""
    with opened(builtin(project)) as ctx:
        assert {"find_tool", "call_tool"} <= names(ctx) and "system:shell" not in names(ctx)
        called(ctx, "find_tool", words="list or search files")
        assert "system:shell (level 2)" in answered(ctx) and "call_tool" in answered(ctx)
        # Some models write the inner arguments as JSON in a string.
        called(ctx, "call_tool", name="system_shell", arguments='{"command": "cat notes.txt"}')
        (made,) = ctx.calls
        assert made.name == "system:shell"
        assert json.loads(made.arguments) == {"command": "cat notes.txt"}
        ran = ctx.run(made)
        assert isinstance(ran, RunResult) and ran.ok and not ctx.calls
        outcome = ctx.window.history.stream.last.outcomes[0]
        assert outcome.reduction.tool == "system:shell"
        assert outcome.text.page.startswith("outputs/shell_")
        assert ctx.page_in(outcome.text.page).text == (project / "notes.txt").read_text()
        for format in FORMATS:
            assert "call_tool" in json.dumps(ctx.turn().request(format), default=str)


def test_scripts_need_a_yes(project: Path, opened: Opened) -> None:
    """Refused without one, in words the model can act on; run with one, its result alone."""
    asked = []

    def approve(tool: ToolDescriptor, given: dict[str, Any]) -> bool | str:
        asked.append((tool.name, given))
        return len(asked) > 1 or "not while tests run"

    with opened(builtin(project, approve=approve)) as ctx:
        given = {"name": "scripts/total.py", "arguments": {"numbers": [1, 2, 3]}}
        ctx.run(called(ctx, "call_tool", **given))
        assert "not while tests run" in answered(ctx)
        assert ctx.window.history.stream.last.outcomes[0].error
        ctx.run(called(ctx, "call_tool", **given))
        assert answered(ctx) == "6\n"
        assert asked == [("scripts/total.py", {"numbers": [1, 2, 3]})] * 2


def test_what_a_tool_raises_is_its_result(opened: Opened) -> None:
    """Whatever it is; what is the host's to run is the host's, and stays open."""

    def breaks(given: dict[str, Any]) -> object:
        raise ZeroDivisionError("no")

    box = Toolbox()
    box.add(ToolDescriptor("breaks", "Breaks.", ANY), breaks)
    box.add(ToolDescriptor("host", "The host runs it.", ANY, 2))
    with opened(box) as ctx:
        assert isinstance(ctx.run(called(ctx, "breaks")), ZeroDivisionError)
        assert answered(ctx) == "breaks failed: ZeroDivisionError: no"
        ctx.reply(loom.Reply((loom.ToolCall("bad", "breaks", "{"),)))
        ctx.run("bad")
        assert "no JSON object" in answered(ctx)
        id = called(ctx, "call_tool", name="host", arguments={"x": 1})
        with pytest.raises(NoRunner, match="'host'"):
            ctx.run(id)
        assert [one.name for one in ctx.calls] == ["host"]
        ctx.result(id, "done")
        other = called(ctx, "elsewhere")
        with pytest.raises(NoRunner, match="'elsewhere'"):
            ctx.run(other)


def test_after_a_reopen(project: Path, opened: Opened) -> None:
    """An open gateway call is still the call that is meant; without a toolbox, it says so."""
    with opened(builtin(project)) as ctx:
        called(ctx, "call_tool", name="system:shell", arguments={"command": "ls"})
    with opened(builtin(project)) as ctx:
        (made,) = ctx.calls
        assert made.name == "system:shell"
        ctx.run(made)
    with opened(None) as ctx:
        called(ctx, "find_tool", words="?")
        assert "no more tools" in answered(ctx)
        called(ctx, "call_tool", name="system:shell", arguments={})
        assert not ctx.calls and "no more tools" in answered(ctx)


PATH = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
COUNT = {**PATH, "properties": {"path": {"type": "string"}, "lines": {"type": "integer"}}}


def schema(name: str) -> dict[str, Any]:
    """A tool of the host's, as Chat Completions declares it."""
    return {"type": "function", "function": {"name": name, "description": name, "parameters": PATH}}


def boxed(folder: Path, box: Toolbox | None = None, *names: str) -> loom.Context:
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


def test_a_toolbox_says_how_to_find_more(tmp_path: Path) -> None:
    """`find_tool` is named where it is declared, for direct calls and for those through it."""
    with boxed(tmp_path, box(), "read_file") as ctx:
        id = call(ctx, "zzz", "{}")
        with pytest.raises(loom.NoRunner, match=r"are read_file.*; find_tool") as caught:
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
    ("working", '{"action": "plan", "items": "x"}', "working: items is a list of texts"),
    ("find_tool", "{}", "find_tool: the argument 'words' is missing: it is a text"),
    ("call_tool", "{}", "'name' is missing"),
    ("call_tool", '{"name": "page_in", "arguments": {"ref": "x"}}', "no tool 'page_in'"),
    ("call_tool", '{"name": "grep", "arguments": 7}', "arguments is an object, not a number"),
    ("call_tool", '{"name": "grep", "arguments": {}}', "`path` is missing: it is a text"),
]


@all_cases(("name", "arguments", "said"), BAD)
def test_bad_arguments(tmp_path: Path, name: str, arguments: str, said: str) -> None:
    """The refusal names the field and what was expected, without a traceback."""
    with boxed(tmp_path, box()) as ctx:
        call(ctx, name, arguments)
        for waiting in ctx.calls:
            ctx.run(waiting)
        (told,) = ctx.history.restore(1).results.values()
        assert said in told and "Traceback" not in told and told.count("\n") < 2
