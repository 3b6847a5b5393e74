"""Loom's own tools: bad calls are answered, and their names belong to one side at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import json

import loom
from loom.engine.tools.own import named
from tests.kit.cases import all_cases
from tests.kit.opened import plain
from tests.kit.step import calls

OWN = named(tool for one in (loom.Memory(), loom.Skills(), loom.Toolbox()) for tool in one.tools)

NESTED = "[" * 5_000 + "]" * 5_000
HOSTS = {
    "description": "The host's own.",
    "parameters": {"type": "object", "properties": {"id": {"type": "string"}}},
}


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[loom.Context]:
    """A context with a message to bring back."""
    with loom.open(tmp_path / "w", window=16_000, durable=False) as made:
        made.user("one\ntwo\nthree")
        made.turn()
        yield made


def declared(ctx: loom.Context) -> dict[str, str]:
    """Name and description of every tool on the shelf."""
    tools = [json.decode(held.text.body or "") for held in ctx.window.skill.tools.current]
    return {tool["name"]: tool["description"] for tool in tools}


ABSURD: list[Any] = [
    pytest.param("page_in", '{"ref":' + NESTED + "}", id="page_in deep"),
    pytest.param("page_in", '{"ref":' * 5_000 + '"x"' + "}" * 5_000, id="page_in deep objects"),
    pytest.param("page_in", '{"ref":"user_0001","lines":' + NESTED + "}", id="lines deep"),
    pytest.param("page_in", "[" * 100_000, id="page_in never closed"),
    pytest.param("recall", '{"query":' + NESTED + "}", id="recall deep"),
    pytest.param("recall", "{" * 100_000, id="recall never closed"),
    pytest.param("page_in", '{"ref":1e999}', id="infinite"),
    pytest.param("page_in", '{"ref":"' + "x" * 100_000 + '"}', id="long name"),
    pytest.param("page_in", '{"ref":"user_0001","lines":"' + "9" * 5_000 + '"}', id="long number"),
]


@all_cases(("name", "arguments"), ABSURD)
def test_absurd_arguments_are_answered(ctx: loom.Context, name: str, arguments: str) -> None:
    """An error result that says how to call, for the model; the host sees nothing of it."""
    ctx.reply(calls("a", tool=name, args=arguments))
    assert ctx.calls == ()
    restored = ctx.history.restore(2)
    assert restored.errors == ("a",)
    assert name in restored.results["a"]
    assert ctx.pressure.rho < 0.6
    ctx.turn().request("anthropic")


def test_a_good_call_is_no_error(ctx: loom.Context) -> None:
    """What the errors are measured against."""
    ctx.reply(calls("a", tool="page_in", args='{"ref":"user_0001","lines":"2"}'))
    assert ctx.history.restore(2).errors == ()
    assert "two" in ctx.history.restore(2).results["a"]


def test_a_name_that_leads_nowhere_is_an_error(ctx: loom.Context) -> None:
    """The first answer says what to do instead, the second that this was said."""
    for entry, told in ((2, "recall(query) finds names"), (3, "as you were told")):
        ctx.reply(loom.Reply((loom.ToolCall(f"c{entry}", "page_in", '{"ref":"surf_0099.txt"}'),)))
        restored = ctx.history.restore(entry)
        assert restored.errors == (f"c{entry}",)
        assert told in restored.results[f"c{entry}"]
        ctx.turn()


@pytest.mark.parametrize("name", ["page_in", "recall"])
def test_a_host_tool_of_the_same_name_is_refused(ctx: loom.Context, name: str) -> None:
    """While Loom answers it: BadTool names it, the declaration stays, the call stays Loom's."""
    before, window = declared(ctx), ctx.window
    with pytest.raises(loom.BadTool, match=name):
        ctx.tools.declare({"name": name, **HOSTS})
    assert ctx.window is window
    assert declared(ctx) == before
    ctx.reply(calls("a", tool=name, args='{"ref":"user_0001","query":"two"}'))
    assert ctx.calls == ()


@pytest.mark.parametrize("name", ["page_in", "recall"])
def test_open_refuses_it_as_well(tmp_path: Path, name: str) -> None:
    """loom.open(tools=…) is the same door; without own_tools the name is free."""
    with pytest.raises(loom.BadTool, match=name):
        loom.open(tmp_path / "a", tools=[{"name": name, **HOSTS}], durable=False)
    with plain(tmp_path / "b", tools=[{"name": name, **HOSTS}]) as ctx:
        assert declared(ctx) == {name: HOSTS["description"]}


@pytest.mark.parametrize("name", ["page_in", "recall"])
def test_without_own_tools_the_name_is_the_hosts(tmp_path: Path, name: str) -> None:
    """The host declares it, gets its calls, and answers them; after a reopen too."""
    with plain(tmp_path) as ctx:
        ctx.tools.declare({"name": name, **HOSTS})
        ctx.reply(calls("a", tool=name, args='{"id":"5"}'))
        assert [(call.name, call.arguments) for call in ctx.calls] == [(name, '{"id":"5"}')]
        ctx.result("a", "the host's answer")
    with plain(tmp_path) as ctx:
        assert declared(ctx) == {name: HOSTS["description"]}
        ctx.reply(calls("a", tool=name, args="{}"))
        assert [call.name for call in ctx.calls] == [name]


def test_what_was_declared_stays_answered(tmp_path: Path) -> None:
    """A workspace that told the model of Loom's tools answers them after own_tools=False."""
    with loom.open(tmp_path, durable=False) as ctx:
        ctx.user("one\ntwo\nthree")
        ctx.turn()
    with plain(tmp_path) as ctx:
        assert {"page_in", "recall"} <= set(declared(ctx))
        ctx.reply(calls("a", tool="page_in", args='{"ref":"user_0001","lines":"2"}'))
        assert ctx.calls == ()
        assert "two" in ctx.history.restore(2).results["a"]
        with pytest.raises(loom.BadTool):
            ctx.tools.declare({"name": "recall", **HOSTS})


@pytest.mark.parametrize("ref", ["user_0001", "outputs/message_0001.txt"])
def test_two_ways_at_once(tmp_path: Path, ref: str) -> None:
    """An entry and a page are asked for in one way at a time, and only in known ones."""
    with loom.open(tmp_path, durable=False) as ctx:
        ctx.user("one\ntwo\nthree\n" * 200)
        names = list(ctx._engine.workspace.pager.table)
        name = ref if ref.startswith("user") else names[0]
        assert ctx.page_in(name, lines="2").text.strip() == "two"
        assert "three" in ctx.page_in(name, grep="three").text
        with pytest.raises(loom.BadLookup):
            ctx.page_in(name, lines="1-50", grep="three")
        with pytest.raises((loom.LoomError, loom.PagingError), match="rows"):
            ctx.page_in(name, rows="1")


def test_a_hosts_own_recall_stays_the_hosts(tmp_path: Path) -> None:
    """A workspace where the host declared `recall` keeps it when Loom's tools join later."""
    with plain(tmp_path, tools=[{"name": "recall"}]) as ctx:
        ctx.user("go")
    with loom.open(tmp_path, policy=loom.Policy(), durable=False) as ctx:
        assert ctx.tools.own == {name for name in OWN if OWN[name].offered} - {"recall"}
        ctx.reply(loom.Reply((loom.ToolCall("c", "recall", "{}"),)))
        assert [call.name for call in ctx.calls] == ["recall"]


def test_an_error_does_not_bring_a_bad_argument_back(tmp_path: Path) -> None:
    """What was wrong is said in a line, however long the argument was."""
    with loom.open(tmp_path, durable=False) as ctx:
        arguments = f'{{"ref": "{"x" * 100_000}"}}'
        ctx.reply(loom.Reply((loom.ToolCall("c", "page_in", arguments),)))
        assert len(ctx.history.restore(1).results["c"]) < 2_000


def test_the_level_of_a_refusal_is_told(tmp_path: Path) -> None:
    """The turn after a provider's "too long" says which level made it smaller."""
    with plain(tmp_path, window=16_000) as ctx:
        for number in range(12):
            ctx.reply(loom.Reply((loom.ToolCall(f"c{number}", "Bash", "{}"),)))
            ctx.result(f"c{number}", f"output {number}\n" * 150)
        ctx.turn()
        ctx.overflowed(RuntimeError("prompt is too long"))
        assert ctx.turn().pressure.level in ("reactive", "renewal")
