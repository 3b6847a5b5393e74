"""What the calls of a host cost after 1,000 and after 10,000 steps: it should be the same."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import loom
from benchmarks.conftest import RESULT, TOLD
from loom.context import Context
from loom.providers.counts import counter_for
from loom.rewrite.talk import talk

ROUNDS = 30
WAYS: tuple[dict[str, str], ...] = ({}, {"lines": "2-4"}, {"grep": "e"})
QUERY = "where is the spare key of the harbour master, quokka"
NUMBERS = count()
Messages = list[dict[str, Any]]
Step = Callable[[Context], None]


@pytest.mark.benchmark(group="ingest")
def test_ingest(benchmark: Any, ctx: Context, step: Step) -> None:
    """A reply with a call, and its result of 4 KB."""
    before = ctx.window.history.next_id
    benchmark.pedantic(step, args=(ctx,), rounds=ROUNDS)
    assert ctx.window.history.next_id == before + ROUNDS


@pytest.mark.benchmark(group="count")
def test_count(benchmark: Any) -> None:
    """Tokens of a text of 4 KB that was not counted before."""
    counter = counter_for()

    def fresh() -> tuple[tuple[str], dict[str, Any]]:
        return (RESULT.replace("\n", f" {next(NUMBERS):06}\n"),), {}

    assert benchmark.pedantic(counter, setup=fresh, rounds=ROUNDS) > 0
    assert counter.calls == ROUNDS


@pytest.mark.benchmark(group="turn")
def test_turn(benchmark: Any, ctx: Context, step: Step) -> None:
    """The request after one more step, ready for the wire."""
    before = ctx.turn().number
    benchmark.pedantic(lambda: ctx.turn().request(), setup=lambda: step(ctx), rounds=ROUNDS)
    assert ctx.turn().number == before + ROUNDS


@pytest.mark.benchmark(group="turn")
def test_turn_again(benchmark: Any, ctx: Context) -> None:
    """The same request asked for a second time."""
    before = ctx.turn().sha256
    assert benchmark.pedantic(lambda: ctx.turn().request(), rounds=ROUNDS)["messages"]
    assert ctx.turn().sha256 == before


@pytest.fixture
def listed(ctx: Context) -> Messages:
    """The session as a list of messages that was given once."""
    messages: Messages = talk(ctx._engine.workspace, "openai")[0]["messages"]
    ctx.sync(messages)
    return messages


def _step() -> Messages:
    """A reply with a call, and its result of 4 KB."""
    call = f"sync_{next(NUMBERS)}"
    asked = {"name": "Read", "arguments": '{"file_path": "src/main.py"}'}
    return [
        {"role": "assistant", "content": "Let me look.",
         "tool_calls": [{"id": call, "type": "function", "function": asked}]},
        {"role": "tool", "tool_call_id": call, "content": RESULT},
    ]  # fmt: skip


@pytest.mark.benchmark(group="sync")
def test_sync_grown(benchmark: Any, ctx: Context, listed: Messages) -> None:
    """A host's own list, given whole, that grew by one step."""
    before = ctx.window.sent
    benchmark.pedantic(ctx.sync, args=(listed,), setup=lambda: listed.extend(_step()), rounds=10)
    assert (ctx.window.sent.turn, ctx.window.sent.cuts) == (before.turn + 10, before.cuts)


@pytest.mark.benchmark(group="sync")
def test_sync_equal(benchmark: Any, ctx: Context, listed: Messages) -> None:
    """The same list again, copied as hosts do."""
    before = ctx.turn().sha256
    turn = benchmark.pedantic(ctx.sync, setup=lambda: (([*map(dict, listed)],), {}), rounds=10)
    assert turn.sha256 == before


@pytest.mark.benchmark(group="page in")
@pytest.mark.parametrize("ways", WAYS, ids=lambda ways: next(iter(ways), "whole"))
def test_page_in(benchmark: Any, ctx: Context, ways: dict[str, str]) -> None:
    """A page by name: whole, by lines, by pattern."""
    name = next(
        outcome.text.page
        for entry in ctx.window.history.stream.entries_back
        for outcome in getattr(entry, "outcomes", ())
        if outcome.text.page
    )
    assert benchmark.pedantic(lambda: ctx.page_in(name, **ways), rounds=ROUNDS).text


@pytest.mark.benchmark(group="recall")
@pytest.mark.parametrize("grown", [False, True], ids=["indexed", "after a step"])
def test_recall(benchmark: Any, ctx: Context, step: Step, grown: bool) -> None:
    """What was said first, by its words; what came since is indexed already but for one step."""
    ctx.recall(QUERY)
    setup = (lambda: step(ctx)) if grown else None
    assert TOLD in benchmark.pedantic(ctx.recall, args=(QUERY,), setup=setup, rounds=ROUNDS)


@pytest.mark.benchmark(group="open")
@pytest.mark.parametrize("window", [32_000, None], ids=["small", "all resident"])
def test_open(benchmark: Any, ctx: Context, tmp_path: Path, window: int | None) -> None:
    """A copy of the workspace up to its request, as it stands or brought into a small window."""
    policy = loom.Policy(own_tools=False)
    folder = ctx._engine.folder
    assert folder is not None
    shutil.copytree(folder, tmp_path / "w")
    with loom.open(tmp_path / "w", policy=policy, durable=False) as copy:
        if window:
            copy.resize(window, reply=window // 4)
        told = copy.turn().sha256

    def reopened() -> str:
        with loom.open(tmp_path / "w", policy=policy, durable=False) as again:
            return again.turn().sha256

    assert benchmark.pedantic(reopened, rounds=3) == told
