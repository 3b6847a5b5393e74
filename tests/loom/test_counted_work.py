"""The cost of a turn does not grow with the history: work is counted, not timed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import loom
from tests.kit.standins import work_of

SIMULATED = os.environ.get("HYPOTHESIS_PROFILE") == "simulate"
FEW, MANY = (1_000, 10_000) if SIMULATED else (200, 2_000)
TURNS = 40
RATIO = 1.03  # at the smaller numbers too, a tenth of a call for each entry is seen
Work = dict[str, int]


def one(ctx: loom.Context, number: int) -> None:
    """A turn of the host: a reply with a call, its result, the next request in wire form.

    Its texts are as long whatever its number is: of very short ones some work is spared.
    """
    call = loom.ToolCall(f"c{100_000 + number}", "Bash", f'{{"command":"run {100_000 + number}"}}')
    ctx.reply(loom.Reply((loom.Speech(f"now {100_000 + number}"), call)))
    ctx.result(call, f"line {100_000 + number}\n" * (120 if number % 4 == 0 else 3))
    ctx.turn().request("openai")


def measured(ctx: loom.Context, start: int) -> Work:
    """Counted work of `TURNS` turns from step `start` on."""
    engine = ctx._engine
    count, rendering = engine.sizes.count, engine.requests.rendering
    before = (count.calls, count.characters, rendering.encoded)

    def turns() -> None:
        for number in range(start, start + TURNS):
            one(ctx, number)

    calls = work_of(turns, lambda event, *_: event == "call")
    after = (count.calls, count.characters, rendering.encoded)
    names = ("counter calls", "characters counted", "bytes encoded")
    work = {name: b - a for name, a, b in zip(names, before, after, strict=True)}
    return {**work, "python calls": calls}


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Work, Work]]:
    """Counted work at FEW and at MANY resident steps of one life in which nothing is cut."""
    path = tmp_path_factory.mktemp("counted")
    with loom.open(path, window=50_000_000, reply=1_000, durable=False) as ctx:
        measures = []
        at = 0
        for steps in (FEW, MANY):
            for number in range(at, steps):
                call = loom.ToolCall(
                    f"c{100_000 + number}", "Bash", f'{{"command":"run {100_000 + number}"}}'
                )
                ctx.reply(loom.Reply((call,)))
                ctx.result(call, f"line {100_000 + number}\n" * (120 if number % 4 == 0 else 3))
            ctx.turn().request("openai")
            measures.append(measured(ctx, steps))
            at = steps + TURNS
        assert ctx.window.sent.cuts == 0
        assert len(ctx.window.history.stream) >= MANY
    yield measures[0], measures[1]


def test_python_calls(work: tuple[Work, Work]) -> None:
    """Ten times the history: the same number of Python calls a turn."""
    few, many = work
    assert many["python calls"] <= RATIO * few["python calls"]


def test_the_guard_can_fail() -> None:
    """Work that walks the history would be seen: each step of a generator is counted."""

    def walk() -> None:
        assert sum(1 for _ in range(MANY)) == MANY

    assert work_of(walk, lambda event, *_: event == "call") > MANY


def test_the_same_request_costs_nothing(tmp_path: Path) -> None:
    """Asking again for a request counts no token and encodes no byte."""
    with loom.open(tmp_path / "w", durable=False) as ctx:
        one(ctx, 1)
        engine = ctx._engine
        before = (engine.sizes.count.calls, engine.requests.rendering.encoded)
        ctx.turn()
        assert (engine.sizes.count.calls, engine.requests.rendering.encoded) == before
