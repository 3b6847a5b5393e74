"""Calls on their way to the host: exact arguments, one result each, a fair share of the room."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec import json

import loom
from loom.redact import Redactor
from tests.kit.cases import all_cases

BEARER = "curl -H 'Authorization: Bearer q8Zt3LmX7vRk2WpN5sYd9HcB4f'"


def written(lines: int, secret: str = "") -> str:
    """The arguments of a write_file whose content has so many lines of 21 characters, and more."""
    body = "".join(f"line {n:05d} of a file\n" for n in range(lines))
    return json.encode({"path": "a.txt", "content": body + secret}).decode()


def calls(*ids: str, arguments: str = "{}", name: str = "read_file") -> loom.Reply:
    """A reply that makes these calls."""
    return loom.Reply(tuple(loom.ToolCall(id, name, arguments) for id in ids))


GIVEN: list[Any] = [
    pytest.param("{}", id="none"),
    pytest.param('{ "a" :  1.50, "b":[ ] }', id="spaces stay"),
    pytest.param("not {json", id="no JSON"),
    pytest.param(json.encode({"command": BEARER}).decode(), id="a secret"),
    pytest.param(written(4_000), id="80,000 characters"),
    pytest.param(written(4_000, BEARER), id="a secret in 80,000 characters"),
]


@pytest.mark.exact
@all_cases("arguments", GIVEN)
def test_the_host_gets_the_arguments_the_model_gave(tmp_path: Path, arguments: str) -> None:
    """Exact in the process that heard them, and after a reopen unless a secret was in them."""
    with loom.open(tmp_path, window=8_192, durable=False) as ctx:
        ctx.user("write it")
        ctx.turn()
        ctx.reply(calls("a", arguments=arguments, name="write_file"))
        assert [call.arguments for call in ctx.calls] == [arguments]
        assert ctx.pressure.rho < 0.5
    with loom.open(tmp_path, durable=False) as ctx:
        kept = Redactor()(arguments) == arguments
        assert [(call.id, call.name, call.arguments) for call in ctx.calls] == [
            ("a", "write_file", arguments)
        ] * kept
        ctx.result("a", "ok")
        ctx.turn()


def test_finish_waits_for_open_calls(tmp_path: Path) -> None:
    """finish() with an open call says so and ends nothing; with its result it ends the task."""
    with loom.open(tmp_path, goal="Fix it.", durable=False) as ctx:
        ctx.reply(calls("a"))
        window = ctx.window
        with pytest.raises(loom.OpenCalls, match="a"):
            ctx.finish("given up")
        assert ctx.window is window
        assert not ctx.done
        ctx.result("a", "ok")
        ctx.finish("fixed")
        assert ctx.done
