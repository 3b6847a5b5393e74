"""The context as a host drives it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from threading import Thread

import pytest
from msgspec import json

import loom
from loom.engine.budget import BESIDE
from loom.engine.snapshots.document import Snapshot, read
from tests.kit.cases import all_cases
from tests.kit.opened import plain
from tests.kit.step import calls


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[loom.Context]:
    """A fresh context."""
    with loom.open(tmp_path / "w", goal="Fix it.", durable=False) as made:
        yield made


def test_asking_again_is_nothing(ctx: loom.Context) -> None:
    """The same turn until input arrives, then the next."""
    ctx.user("hi")
    one, two = ctx.turn(), ctx.turn()
    assert (one.number, one.sha256, one.request()) == (two.number, two.sha256, two.request())
    ctx.user("again")
    assert ctx.turn().number == one.number + 1


def test_a_request_given_stays_as_it_was(ctx: loom.Context) -> None:
    """A turn kept by the host does not change when later ones are made."""
    ctx.user("hi")
    turn = ctx.turn()
    before = json.encode(turn.request())
    ctx.reply("hello")
    ctx.user("again")
    ctx.turn().request()
    assert json.encode(turn.request()) == before


@pytest.mark.parametrize("order", ["abc", "cba", "bca"])
def test_results_in_any_order(ctx: loom.Context, order: str) -> None:
    """Results may arrive in any order; the request has them in the order of the calls."""
    ctx.user("hi")
    ctx.reply(calls("a", "b", "c"))
    for id in order:
        assert id in [call.id for call in ctx.calls]
        ctx.result(id, f"result {id}")
    assert ctx.calls == ()
    tools = [m for m in ctx.turn().request()["messages"] if m["role"] == "tool"]
    assert [m["content"] for m in tools] == ["result a", "result b", "result c"]


def test_done(ctx: loom.Context) -> None:
    """Done after an answer without calls or a finish; never after words of the user."""
    assert not ctx.done
    ctx.user("hi")
    assert not ctx.done
    ctx.reply(calls("a"))
    assert not ctx.done
    ctx.result("a", "ok")
    assert not ctx.done
    ctx.reply("all done")
    assert ctx.done
    ctx.user("one more")
    assert not ctx.done
    ctx.finish("given up")
    assert ctx.done


def test_open_calls_survive_a_reopen(tmp_path: Path) -> None:
    """A step with open calls is a lawful state to reopen."""
    path = tmp_path / "w"
    with loom.open(path, durable=False) as ctx:
        ctx.reply(calls("a", "b"))
        ctx.result("b", "ok")
    with loom.open(path, durable=False) as ctx:
        assert [call.id for call in ctx.calls] == ["a"]
        ctx.result("a", "ok")
        ctx.turn()


def test_unchanged_texts_are_no_commits(ctx: loom.Context) -> None:
    """Goal, instructions, memory and skills given again write nothing."""
    long = "always be careful\n" * 200
    doors: list[Callable[[], None]] = [
        lambda: ctx.working.set_goal("Fix it."),
        lambda: ctx.system(long),
        lambda: ctx.memory.remember("k", long),
        lambda: ctx.skills.activate("k", long),
    ]
    for give in doors:
        give()
        commits = ctx._engine.workspace.commits
        give()
        assert ctx._engine.workspace.commits == commits


def test_same_keys_in_every_reply(ctx: loom.Context) -> None:
    """Providers that number calls from 0 in each reply are served."""
    for number in range(4):
        ctx.reply(calls("call_0", "call_1"))
        ctx.result("call_1", f"b{number}")
        ctx.result("call_0", f"a{number}")
        ctx.turn()
    assert ctx.history.restore(3).results == {"call_1": "b2", "call_0": "a2"}
    ids = [b["id"] for m in ctx.turn().request("anthropic")["messages"]
           for b in m["content"] if isinstance(b, dict) and b["type"] == "tool_use"]  # fmt: skip
    assert len(ids) == len(set(ids)) == 8


def test_calls_without_and_with_equal_ids(ctx: loom.Context) -> None:
    """Every call of a reply gets an id of its own."""
    ctx.reply(calls("", "", "x", "x"))
    assert len({call.id for call in ctx.calls}) == 4
    for call in ctx.calls:
        ctx.result(call, "ok")
    ctx.turn()


def test_finish_clears_working_and_keeps_it(ctx: loom.Context, tmp_path: Path) -> None:
    """At the end of a task C_working is cleared, its snapshot kept, every time."""
    snapshots = tmp_path / "w" / "snapshots"
    for number in range(3):
        ctx.user(f"task {number}")
        ctx.working.plan([f"item {number}"])
        before = ctx.window.working
        ctx.finish("done")
        assert ctx.window.working.plan == ()
        saved = [read(path.read_bytes()) for path in snapshots.iterdir()]
        assert before in [made.working for made in saved if isinstance(made, Snapshot)]
        assert len(saved) == number + 1


def test_resize_down_and_up(ctx: loom.Context) -> None:
    """The next turn fits the smaller window; the larger one loses nothing more."""
    for number in range(40):
        ctx.reply(calls(f"c{number}"))
        ctx.result(f"c{number}", "some output\n" * 200)
    ctx.turn()
    ctx.resize(6_000)
    small = ctx.turn().pressure
    assert small.rho <= 1.0
    assert small.capacity == 4_500
    ctx.resize(100_000)
    assert ctx.turn().pressure.rho < 0.1
    assert ctx.history.restore(1).results == {"c0": "some output\n" * 200}


def test_threads(ctx: loom.Context) -> None:
    """Results given by many threads all arrive, each once."""
    ids = [f"c{number}" for number in range(24)]
    ctx.reply(calls(*ids))
    threads = [Thread(target=ctx.result, args=(id, f"result {id}")) for id in ids]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ctx.history.restore(1).results == {id: f"result {id}" for id in ids}
    ctx.turn()


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


def test_json_is_never_cut_inside_its_syntax(tmp_path: Path) -> None:
    """A JSON result too large to enter is shown as valid JSON."""
    value = {"rows": [{"id": n, "name": f"row {n}"} for n in range(5_000)]}
    with plain(tmp_path / "j", window=8_000) as ctx:
        ctx.reply(calls("a"))
        ctx.result("a", value)
        (shown,) = [m for m in ctx.turn().request()["messages"] if m["role"] == "tool"]
        assert json.decode(shown["content"])["rows"][0] == {"id": 0, "name": "row 0"}
        assert len(shown["content"]) < 15_000
