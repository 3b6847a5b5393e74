"""The context as a host drives it: calls and their results, keyed messages, replies cut off."""

from pathlib import Path
from random import Random

import pytest
from msgspec import json

import loom
from loom.redact import Redactor
from loom.session.window_room import BESIDE
from tests.kit.cases import all_cases
from tests.kit.opened import Open, opened_with, plain
from tests.kit.step import calls

opened = opened_with()


def test_results_of_a_step_share_what_is_free(tmp_path: Path) -> None:
    """However many and large the results of one step, each has its part of what is free."""
    with plain(tmp_path / "q", window=16_000) as ctx:
        ids = [f"c{number}" for number in range(9)]
        ctx.reply(calls(*ids))
        for id in ids:
            ctx.result(id, f"{id} and more of it\n" * 4_000)
        capacity = ctx.window.limits.capacity
        assert 0.25 * capacity < ctx.window.tokens.total <= capacity
        shown = [m["content"] for m in ctx.turn().request()["messages"] if m["role"] == "tool"]
        assert all(text.startswith(id) for id, text in zip(ids, shown, strict=True))
        assert max(map(len, shown)) < 1.5 * min(map(len, shown))


@all_cases(("seed", "window"), [(0, 16_000), (1, 8_192), (3, 8_192), (5, 32_000)])
def test_results_that_fit_a_fresh_window_are_shown_whole(
    tmp_path: Path, seed: int, window: int
) -> None:
    """In a long loop all that the calls of a step brought is in the next request, as it came in,
    wherever it fits beside what may not leave: older history gives way."""
    rng, whole, least = Random(seed), 0, 60
    with loom.open(tmp_path / f"{seed}", goal="Fix it.", window=window, durable=False) as ctx:
        for number in range(40):
            ctx.turn()
            ctx.reply(calls(*(ids := [f"c{number}_{n}" for n in range(rng.choice([1, 1, 2]))])))
            room = ctx._engine.room.free(ctx.window)
            given = {id: lines(rng, id, int(rng.random() ** 2 * window / 14)) for id in ids}
            need = sum(ctx._engine.sizes.count(text) + BESIDE for text in given.values()) + least
            for id, text in given.items():
                ctx.result(id, text)
            messages = [m for m in ctx.turn().request()["messages"] if m["role"] == "tool"]
            shown = {m["tool_call_id"]: m["content"] for m in messages}
            assert need > room or {id: shown[id] for id in ids} == given, (number, need, room)
            whole += need <= room
        assert 10 < whole < 40 and ctx.window.sent.cuts > 5


def lines(rng: Random, id: str, count: int) -> str:
    """So many lines, or rows of JSON, and one more, none like another."""
    if rng.random() < 0.3:
        return json.encode(
            [{"id": f"{id}-{n}", "at": rng.random()} for n in range(count + 1)]
        ).decode()
    return "".join(f"{id} line {n} took {rng.random():.3f} s\n" for n in range(count + 1))


BEARER = "curl -H 'Authorization: Bearer q8Zt3LmX7vRk2WpN5sYd9HcB4f'"


def written(lines: int, secret: str = "") -> str:
    """The arguments of a write_file whose content has so many lines of 21 characters, and more."""
    body = "".join(f"line {n:05d} of a file\n" for n in range(lines))
    return json.encode({"path": "a.txt", "content": body + secret}).decode()


GIVEN = [
    "{}",
    '{ "a" :  1.50, "b":[ ] }',
    "not {json",
    json.encode({"command": BEARER}).decode(),
    written(4_000),
    written(4_000, BEARER),
]


@pytest.mark.exact
@all_cases("arguments", GIVEN)
def test_the_host_gets_the_arguments_the_model_gave(tmp_path: Path, arguments: str) -> None:
    """Exact in the process that heard them, and after a reopen unless a secret was in them."""
    with loom.open(tmp_path, window=8_192, durable=False) as ctx:
        ctx.user("write it")
        ctx.turn()
        ctx.reply(calls("a", tool="write_file", args=arguments))
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


def test_keys(opened: Open) -> None:
    """A known one is a no-op, whatever the content, and names the first; a long one is refused."""
    ctx = opened()
    assert ctx.user("Begin.", key="m-1") == "user_0001"
    before = ctx._engine.workspace.commits
    assert ctx.user("Something else.", key="m-1") == "user_0001"
    with pytest.raises(loom.LoomError, match="a key of 201 characters; it has at most 200"):
        ctx.user("Begin.", key="k" * 201)
    with pytest.raises(loom.BadInput, match="user: key= is a text"):
        ctx.user("Begin.", key=7)
    assert ctx._engine.workspace.commits == before
    assert ctx.user("Go on.", key="m-2") == "user_0002"


def test_a_reply_that_is_cut_off_is_asked_for_again(opened: Open) -> None:
    """One that reasons until its room is over is no answer; once is no loop."""
    ctx = opened()
    ctx.user("count")
    ctx.turn()
    message = {"role": "assistant", "content": "<think>and on and on"}
    ctx.reply({"choices": [{"finish_reason": "length", "message": message}]})
    assert not ctx.done
    asked = str(ctx.turn().request("openai")["messages"][-1]["content"])
    assert asked.startswith("[continue ") and "cut off" not in asked


NOTE = loom.ToolCall("c1", "working", '{"action": "note", "text": "the port is 8080"}')


def test_a_call_that_was_answered_here(opened: Open) -> None:
    """The host does not see the call, and may have its answer."""
    ctx = opened()
    ctx.user("Go on.")
    ctx.turn()
    reply = loom.Reply((NOTE, loom.ToolCall("c2", "bash", "{}")))
    ctx.reply(reply)
    assert [call.name for call in ctx.tools.without_own(reply).calls] == ["bash"]
    assert ctx.tools.answer("c1") == ctx.tools.answer(NOTE) == ctx.history.restore(2).results["c1"]
    for id in ("c2", "c9"):
        with pytest.raises(loom.BadInput, match="waits for a result"):
            ctx.tools.answer(id)
