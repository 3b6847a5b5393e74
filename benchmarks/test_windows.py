"""What a cut, a renewal, a score and a rendering cost, by the length of the window."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from benchmarks.conftest import squeezed
from loom.compress.ladder import LADDER, STEP, Level
from loom.compress.worth.fitted import constants_of
from loom.compress.worth.worth import AGEING, Worths
from loom.context import Context
from loom.engine import Engine
from loom.engine.certify import Cut
from loom.engine.turn import Wire
from loom.providers.formats import FORMATS
from loom.providers.render.render import Rendering
from loom_partitions.window import Window

ROUNDS = 3
PRESSURES = {"snip": 0.72, "micro": 0.82, "collapse": 0.92, "auto": 0.97}
LEVELS = {level.name: level for level in LADDER}


def _timed(benchmark: Any, engine: Engine, level: Level, window: Window) -> None:
    """Time a cut of this level that frees something: decided, made on a copy and certified.

    Nothing is applied.
    """
    cutter = engine.relief.cutter

    def cut() -> Cut | None:
        return cutter.attempt(level, cutter.scene(window, engine.notices.widest(window)))

    made = benchmark.pedantic(cut, rounds=ROUNDS)
    assert made is not None and made.record.level == level.name
    assert made.after.tokens.total < window.tokens.total


@pytest.mark.benchmark(group="cut")
@pytest.mark.parametrize("level", PRESSURES)
def test_cut(benchmark: Any, engine: Engine, level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A level of the ladder, at a pressure at which it is the highest crossed, paying or not."""
    cutter = engine.relief.cutter
    monkeypatch.setattr(cutter, "policy", replace(cutter.policy, priced=False))
    _timed(benchmark, engine, LEVELS[level], squeezed(engine.window, PRESSURES[level]))


@pytest.mark.benchmark(group="cut")
def test_cut_step(benchmark: Any, eager: Engine) -> None:
    """The level of the eager layout, which acts when more than five steps stand in full."""
    _timed(benchmark, eager, STEP, squeezed(eager.window, 0.5))


@pytest.mark.benchmark(group="cut")
def test_cut_reactive(benchmark: Any, engine: Engine) -> None:
    """The level that acts when a provider refused a request."""
    window = squeezed(engine.window, 0.97)
    cutter, reserve = engine.relief.cutter, engine.notices.widest(window)
    down = cutter.refused(window)
    made = benchmark.pedantic(lambda: cutter.react(window, reserve, down), rounds=ROUNDS)
    assert made.record.level == "reactive" and made.after.tokens.total < window.tokens.total


@pytest.mark.benchmark(group="renew")
def test_renew(benchmark: Any, engine: Engine) -> None:
    """A fresh window at pressure 1.0."""
    window = squeezed(engine.window, 1.0)
    given = window, engine.notices.widest(window), lambda after, record: record
    made = benchmark.pedantic(engine.relief.cutter.renew, args=given, rounds=ROUNDS)
    assert made is not None and made.after.tokens.total <= window.low < window.tokens.total


@pytest.mark.benchmark(group="score")
@pytest.mark.parametrize("ageing", AGEING)
def test_score(benchmark: Any, engine: Engine, ageing: str) -> None:
    """All units of the catalog, with the relevance of each to the focus."""
    window, catalog, fitted = engine.window, engine.survey.catalog(), constants_of(engine.policy)
    given = catalog, window.working, fitted, window.limits.capacity, ageing
    worths = benchmark.pedantic(Worths, args=given, rounds=10)
    assert any(worths.of(key) > 0 for key in catalog.units)


@pytest.mark.benchmark(group="render")
def test_render(benchmark: Any, ctx: Context) -> None:
    """Every message of the window anew, as after a cut, before it takes a provider's shape."""

    def rendered() -> Rendering:
        rendering = Rendering()
        rendering.update(ctx.window, ctx._engine.read)
        return rendering

    assert benchmark.pedantic(rendered, rounds=ROUNDS).sha256 == ctx.turn().sha256


@pytest.mark.benchmark(group="render")
@pytest.mark.parametrize("format", FORMATS)
def test_render_format(benchmark: Any, ctx: Context, steps: int, format: str) -> None:
    """Every message of the window in the shape of a provider."""
    form, messages = FORMATS[format], list(ctx.turn().messages)

    def encoded() -> dict[str, Any]:
        wire = Wire(ctx._engine.read.data)
        return wire.request(form, 1, messages, len(messages))[0]

    request = benchmark.pedantic(encoded, rounds=ROUNDS)
    assert len(request[form.encoder().key]) > steps
