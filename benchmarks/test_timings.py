"""What the calls of a host and cuts cost after 1,000 and after 10,000 steps.

Each life is made once for all timings of a run. A window of `ROOMY` tokens keeps every step
resident: what a call costs at length shows there, and nowhere else. Cuts are timed on that window
under limits that put it under pressure; nothing of them is applied, so every timing finds the same
life, longer only by the steps others gave it.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import loom
from loom.compress.ladder import LADDER
from loom.inputs import Reply, Speech, ToolCall
from loom.live import Context
from loom.replay.feed import feed
from loom.rewrite.session_document import session_document
from loom_bench.sessions.generate import session

LENGTHS = (1_000, 10_000)  # steps
ROOMY = 100_000_000
REREAD = 10
ROUNDS = 30
# The pressure at which a level is the highest crossed, and at which a window is renewed.
PRESSURES = {"snip": 0.72, "micro": 0.82, "collapse": 0.92, "auto": 0.97, "renew": 1.0}
LEVELS = {level.name: level for level in LADDER}
TOLD = "The harbour master keeps the spare key under the quokka statue."  # first, then recalled
QUERY = "where is the spare key of the harbour master, quokka"
RESULT = "\n".join(f"{number:6}\tfor each line of a file there is a number" for number in range(80))
NUMBERS = count()
POLICY = loom.Policy(own_tools=False)


def step(ctx: Context) -> None:
    """Give a context one more step: a reply with a call, and its result of 4 KB."""
    call = ToolCall(f"bench_{next(NUMBERS)}", "Read", '{"file_path": "src/main.py"}')
    ctx.reply(Reply((Speech("Let me look at that."), call)))
    ctx.result(ctx.calls[0], RESULT)


@pytest.fixture(scope="session", params=LENGTHS, ids=lambda steps: f"{steps} steps")
def ctx(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Context]:
    """A context with every step resident, its request made and its units known.

    About each tenth step reads one file again, as agents do: of the others few repeat anything.
    """
    steps = int(request.param)
    path = tmp_path_factory.mktemp(f"steps-{steps}") / "w"
    with loom.open(path, window=ROOMY, policy=POLICY, durable=False) as made:
        made.user(TOLD)
        others = session(1, steps - steps // REREAD, flavour="support")
        for number, event in enumerate(others.events):
            feed(made, event)  # requests would change nothing here, and only take time
            if number % (2 * REREAD) == 0 and not made.calls:
                step(made)
        made.turn()
        made._engine.read_ahead.catalog()
        yield made


@pytest.mark.benchmark(group="turn")
@pytest.mark.parametrize("grown", [True, False], ids=["after a step", "again"])
def test_turn(benchmark: Any, ctx: Context, grown: bool) -> None:
    """The request after one more step, or the same again, ready for the wire."""
    before = ctx.turn().number
    setup = (lambda: step(ctx)) if grown else None
    benchmark.pedantic(lambda: ctx.turn().request(), setup=setup, rounds=ROUNDS)
    assert ctx.turn().number == before + grown * ROUNDS


@pytest.mark.benchmark(group="sync")
def test_sync(benchmark: Any, ctx: Context) -> None:
    """A host's own list, given whole and copied as hosts do, that did not grow."""
    messages = session_document(ctx._engine.workspace, "openai")[0]["messages"]
    before = ctx.sync(messages).number

    def given() -> tuple[tuple[list[dict[str, Any]]], dict[str, Any]]:
        return ([*map(dict, messages)],), {}

    assert benchmark.pedantic(ctx.sync, setup=given, rounds=10).number == before


@pytest.mark.benchmark(group="recall")
def test_recall(benchmark: Any, ctx: Context) -> None:
    """What was said first, by its words; what came since is indexed already but for one step."""
    ctx.recall(QUERY)
    found = benchmark.pedantic(ctx.recall, (QUERY,), setup=lambda: step(ctx), rounds=ROUNDS)
    assert TOLD in found


@pytest.mark.benchmark(group="open")
@pytest.mark.parametrize("window", [32_000, None], ids=["small", "all resident"])
def test_open(benchmark: Any, ctx: Context, tmp_path: Path, window: int | None) -> None:
    """A copy of the workspace up to its request, as it stands or brought into a small window."""
    folder = ctx._engine.folder
    assert folder is not None
    shutil.copytree(folder, tmp_path / "w")
    with loom.open(tmp_path / "w", policy=POLICY, durable=False) as copy:
        if window:
            copy.resize(window, reply=window // 4)
        told = copy.turn().sha256

    def reopened() -> str:
        with loom.open(tmp_path / "w", policy=POLICY, durable=False) as again:
            return again.turn().sha256

    assert benchmark.pedantic(reopened, rounds=3) == told


@pytest.mark.benchmark(group="cut")
@pytest.mark.parametrize("level", PRESSURES)
def test_cut(benchmark: Any, ctx: Context, level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cut, paying or not, is decided, made on a copy and certified; nothing of it is applied."""
    engine = ctx._engine
    cutter, limits = engine.cut_decision.cutter, engine.window.limits
    monkeypatch.setattr(cutter, "policy", replace(cutter.policy, tuning=loom.Tuning(priced=False)))
    capacity = int(engine.window.tokens.total / PRESSURES[level])
    window = replace(engine.window, limits=replace(limits, window=capacity + limits.reply))
    reserve = engine.notices.widest_tokens(window)

    def cut() -> Any:
        if level == "renew":
            return cutter.renew(window, reserve, lambda after, record: record)
        return cutter.attempt(LEVELS[level], cutter.cut_input(window, reserve))

    made = benchmark.pedantic(cut, rounds=3)
    assert made.after.tokens.total < window.tokens.total
    assert level == "renew" or made.record.level == level
