"""Calls on their way to the host: exact arguments, one result each, a fair share of the room."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from msgspec import json

import loom
from loom.redact import Redactor
from loom_partitions import laws
from loom_partitions.message import Step
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


def test_secrets_stay_out_of_journal_and_request(tmp_path: Path) -> None:
    """What the host is given exactly is redacted on disk and in what is sent."""
    with loom.open(tmp_path, window=8_192, durable=False) as ctx:
        ctx.reply(calls("a", arguments=written(4_000, BEARER), name="write_file"))
        ctx.result("a", "ok")
        assert "q8Zt3LmX7vRk2WpN" not in str(ctx.turn().request())
    for path in tmp_path.rglob("*"):
        assert path.is_dir() or b"q8Zt3LmX7vRk2WpN" not in path.read_bytes()


def test_calls_still_open_keep_their_arguments(tmp_path: Path) -> None:
    """A result for one call does not shorten the others; Loom's own call is not among them."""
    ids = ("a", "b", "c")
    given = {id: written(1_500 + len(id) * number) for number, id in enumerate(ids)}
    made = [loom.ToolCall(id, "write_file", given[id]) for id in ids]
    own = loom.ToolCall("own", "recall", '{"query": "line"}')
    with loom.open(tmp_path, window=8_192, durable=False) as ctx:
        ctx.reply(loom.Reply((made[0], own, *made[1:])))
        for number, id in enumerate(ids):
            assert {call.id: call.arguments for call in ctx.calls} == {
                id: given[id] for id in ids[number:]
            }
            ctx.result(id, "ok")
        assert ctx.calls == ()


def test_an_id_used_again_has_its_new_arguments(tmp_path: Path) -> None:
    """Providers that number calls from 0 in every reply get no arguments of the reply before."""
    with loom.open(tmp_path, window=8_192, durable=False) as ctx:
        for arguments in (written(1_000), '{"path":"b"}', written(2_000)):
            ctx.reply(calls("call_0", arguments=arguments, name="write_file"))
            assert [call.arguments for call in ctx.calls] == [arguments]
            ctx.result("call_0", "ok")
            ctx.turn()


@pytest.mark.parametrize("ids", [("a", "b"), ("a\ud800", "a\ud801"), ("a\ufffd", "a\ud800", "a")])
def test_ids_equal_when_cleaned_get_a_result_each(tmp_path: Path, ids: tuple[str, ...]) -> None:
    """Calls whose ids differ only in what no encoding holds stay different calls."""
    with loom.open(tmp_path, window=8_192, durable=False) as ctx:
        ctx.reply(calls(*ids))
        waiting = ctx.calls
        assert len({call.id for call in waiting}) == len(ids)
        for number, call in enumerate(waiting):
            assert ctx.calls == waiting[number:]
            ctx.result(call, f"result {number}")
        assert laws.paired(ctx.window) == []
        assert sorted(ctx.history.restore(1).results.values()) == [
            f"result {n}" for n in range(len(ids))
        ]
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


Next = Callable[[loom.Context], object]
AGAIN: list[tuple[str, Next]] = [
    ("a new goal", lambda ctx: ctx.working.set_goal("Now the other one.")),
    ("words of the user", lambda ctx: ctx.user("one more")),
    ("a reply with a call", lambda ctx: ctx.reply(calls("b"))),
]


@pytest.mark.parametrize(("name", "go_on"), AGAIN, ids=[name for name, _ in AGAIN])
def test_a_finished_task_can_be_followed(tmp_path: Path, name: str, go_on: Next) -> None:
    """After finish() the context is done until something asks for more, in a reopen as well."""
    with loom.open(tmp_path, goal="Fix it.", durable=False) as ctx:
        ctx.reply(calls("a"))
        ctx.result("a", "ok")
        ctx.finish("fixed")
        assert ctx.done
        go_on(ctx)
        assert not ctx.done
    with loom.open(tmp_path, durable=False) as ctx:
        assert not ctx.done


@all_cases("order", list(permutations(range(4)))[::5], ids=str)
def test_parallel_results_get_comparable_room(tmp_path: Path, order: tuple[int, ...]) -> None:
    """Four results that each exceed the step's share: the largest is at most twice the smallest."""
    with loom.open(tmp_path, window=16_000, durable=False) as ctx:
        ctx.reply(calls("c0", "c1", "c2", "c3"))
        for number in order:
            ctx.result(f"c{number}", "".join(f"{n} of result {number}\n" for n in range(3_000)))
        (step,) = ctx.window.history.stream.entries
        assert isinstance(step, Step)
        sizes = [outcome.text.tokens for outcome in step.outcomes]
        assert max(sizes) <= 2 * min(sizes)
        assert step.tokens <= ctx.window.limits.capacity


def test_a_single_result_gets_the_whole_share(tmp_path: Path) -> None:
    """Fairness takes nothing from a step with one call."""
    with loom.open(tmp_path, window=16_000, durable=False) as ctx:
        ctx.reply(calls("c0"))
        ctx.result("c0", "".join(f"{n} of result\n" for n in range(3_000)))
        assert ctx.window.tokens.history > 0.15 * ctx.window.limits.capacity
