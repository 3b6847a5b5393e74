"""What the calls of a host, and cuts, renewals, scores and renderings cost after 1,000 and after
10,000 steps.

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
from loom.compress.ladder import LADDER, STEP
from loom.compress.worth.fitted import constants_of
from loom.compress.worth.worth import AGEING, Worths
from loom.context import Context
from loom.engine import Engine
from loom.engine.turn import Wire
from loom.inputs import Reply, Speech, ToolCall
from loom.policy import PRESETS
from loom.providers.counts import counter_for
from loom.providers.formats import FORMATS
from loom.providers.render.render import Rendering
from loom.redact import Redactor
from loom.replay.feed import feed
from loom.rewrite.talk import talk
from loom_bench.sessions.generate import session
from loom_partitions.window import Window

LENGTHS = (1_000, 10_000)  # steps
ROOMY = 100_000_000
REREAD = 10
ROUNDS = 30
PRESSURES = {"snip": 0.72, "micro": 0.82, "collapse": 0.92, "auto": 0.97, STEP.name: 0.5}
LEVELS = {level.name: level for level in (*LADDER, STEP)}
WAYS: tuple[dict[str, str], ...] = ({}, {"lines": "2-4"}, {"grep": "e"})
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
        made._engine.survey.catalog()
        yield made


@pytest.fixture(scope="session")
def engines(ctx: Context) -> dict[bool, Engine]:
    """The engine of that context, and one of the eager preset over the same workspace."""
    eager = Engine(ctx._engine.workspace, PRESETS["eager"], counter_for(), Redactor(), None)
    eager.survey.catalog()
    return {False: ctx._engine, True: eager}


def squeezed(window: Window, rho: float) -> Window:
    """The same window with a capacity that puts it at pressure `rho`."""
    limits, capacity = window.limits, int(window.tokens.total / rho)
    return replace(window, limits=replace(limits, window=capacity + limits.reply))


@pytest.mark.benchmark(group="ingest")
def test_ingest(benchmark: Any, ctx: Context) -> None:
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
@pytest.mark.parametrize("grown", [True, False], ids=["after a step", "again"])
def test_turn(benchmark: Any, ctx: Context, grown: bool) -> None:
    """The request after one more step, or the same again, ready for the wire."""
    before = ctx.turn().number
    setup = (lambda: step(ctx)) if grown else None
    benchmark.pedantic(lambda: ctx.turn().request(), setup=setup, rounds=ROUNDS)
    assert ctx.turn().number == before + grown * ROUNDS


@pytest.mark.benchmark(group="sync")
@pytest.mark.parametrize("grown", [10, 0], ids=["grown", "equal"])
def test_sync(benchmark: Any, ctx: Context, grown: int) -> None:
    """A host's own list, given whole and copied as hosts do, that grew by one step or did not."""
    messages: list[dict[str, Any]] = talk(ctx._engine.workspace, "openai")[0]["messages"]
    before = ctx.sync(messages).number

    def given() -> tuple[tuple[list[dict[str, Any]]], dict[str, Any]]:
        if grown:
            id = f"sync_{next(NUMBERS)}"
            function = {"name": "Read", "arguments": '{"file_path": "src/main.py"}'}
            call = {"id": id, "type": "function", "function": function}
            messages.append({"role": "assistant", "content": "Looking.", "tool_calls": [call]})
            messages.append({"role": "tool", "tool_call_id": id, "content": RESULT})
        return ([*map(dict, messages)],), {}

    assert benchmark.pedantic(ctx.sync, setup=given, rounds=10).number == before + grown


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
def test_recall(benchmark: Any, ctx: Context, grown: bool) -> None:
    """What was said first, by its words; what came since is indexed already but for one step."""
    ctx.recall(QUERY)
    setup = (lambda: step(ctx)) if grown else None
    assert TOLD in benchmark.pedantic(ctx.recall, args=(QUERY,), setup=setup, rounds=ROUNDS)


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
@pytest.mark.parametrize("level", [*PRESSURES, "reactive"])
def test_cut(
    benchmark: Any, engines: dict[bool, Engine], level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A level of the ladder, at a pressure at which it is the highest crossed, paying or not: the
    cut is decided, made on a copy and certified. `reactive` acts when a provider refused."""
    engine = engines[level == STEP.name]
    cutter = engine.relief.cutter
    monkeypatch.setattr(cutter, "policy", replace(cutter.policy, priced=False))
    window = squeezed(engine.window, PRESSURES.get(level, 0.97))
    reserve = engine.notices.widest(window)
    if level == "reactive":
        down = cutter.refused(window)
        made = benchmark.pedantic(lambda: cutter.react(window, reserve, down), rounds=3)
    else:
        made = benchmark.pedantic(
            lambda: cutter.attempt(LEVELS[level], cutter.scene(window, reserve)), rounds=3
        )
    assert made is not None and made.record.level == level
    assert made.after.tokens.total < window.tokens.total


@pytest.mark.benchmark(group="renew")
def test_renew(benchmark: Any, engines: dict[bool, Engine]) -> None:
    """A fresh window at pressure 1.0."""
    engine = engines[False]
    window = squeezed(engine.window, 1.0)
    given = window, engine.notices.widest(window), lambda after, record: record
    made = benchmark.pedantic(engine.relief.cutter.renew, args=given, rounds=3)
    assert made is not None and made.after.tokens.total <= window.low < window.tokens.total


@pytest.mark.benchmark(group="score")
@pytest.mark.parametrize("ageing", AGEING)
def test_score(benchmark: Any, ctx: Context, ageing: str) -> None:
    """All units of the catalog, with the relevance of each to the focus."""
    engine, window = ctx._engine, ctx.window
    catalog, fitted = engine.survey.catalog(), constants_of(engine.policy)
    given = catalog, window.working, fitted, window.limits.capacity, ageing
    worths = benchmark.pedantic(Worths, args=given, rounds=10)
    assert any(worths.of(key) > 0 for key in catalog.units)


@pytest.mark.benchmark(group="render")
@pytest.mark.parametrize("format", [None, *FORMATS])
def test_render(benchmark: Any, ctx: Context, format: str | None) -> None:
    """Every message of the window anew, as after a cut: plain, or in the shape of a provider."""
    messages = list(ctx.turn().messages)

    def rendered() -> int:
        if format is not None:
            form = FORMATS[format]
            wire = Wire(ctx._engine.read.data)
            request = wire.request(form, 1, messages, len(messages))[0]
            return len(request[form.encoder().key])
        rendering = Rendering()
        rendering.update(ctx.window, ctx._engine.read)
        return len(rendering.messages)

    assert benchmark.pedantic(rendered, rounds=3) > min(LENGTHS)
