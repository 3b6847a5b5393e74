"""The cost of a cut, level by level, by the length of the window it is made in.

A cut is decided, carried out on a copy and certified; nothing is applied. Whether it pays is left
out of it, as that depends on a provider's prices.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from benchmarks.conftest import squeezed
from loom.compress.ladder import LADDER, STEP, Level
from loom.engine import Engine
from loom.engine.certify import Cut
from loom_partitions.window import Window

ROUNDS = 3
PRESSURES = {"snip": 0.72, "micro": 0.82, "collapse": 0.92, "auto": 0.97}
LEVELS = {level.name: level for level in LADDER}


def _attempt(engine: Engine, level: Level, window: Window) -> Cut | None:
    cutter = engine.relief.cutter
    return cutter.attempt(level, cutter.scene(window, engine.notices.widest(window)))


def _timed(benchmark: Any, level: str, window: Window, cut: Callable[[], Cut | None]) -> None:
    """Time a cut that is of this level, and frees something."""
    made = benchmark.pedantic(cut, rounds=ROUNDS)
    assert made is not None and made.record.level == level
    freed = window.tokens.total - made.after.tokens.total
    assert freed > 0
    benchmark.extra_info.update(level=level, freed=freed)


@pytest.mark.benchmark(group="cut")
@pytest.mark.parametrize("level", PRESSURES)
def test_cut(benchmark: Any, engine: Engine, level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A level of the ladder, at a pressure at which it is the highest crossed."""
    cutter = engine.relief.cutter
    monkeypatch.setattr(cutter, "policy", replace(cutter.policy, priced=False))
    window = squeezed(engine.window, PRESSURES[level])
    _timed(benchmark, level, window, lambda: _attempt(engine, LEVELS[level], window))


@pytest.mark.benchmark(group="cut")
def test_cut_step(benchmark: Any, eager: Engine) -> None:
    """The level of the eager layout, which acts when more than five steps stand in full."""
    window = squeezed(eager.window, 0.5)
    _timed(benchmark, "step", window, lambda: _attempt(eager, STEP, window))


@pytest.mark.benchmark(group="cut")
def test_cut_reactive(benchmark: Any, engine: Engine) -> None:
    """The level that acts when a provider refused a request."""
    window = squeezed(engine.window, 0.97)
    cutter, reserve = engine.relief.cutter, engine.notices.widest(window)
    down = cutter.refused(window)
    _timed(benchmark, "reactive", window, lambda: cutter.react(window, reserve, down))


@pytest.mark.benchmark(group="renew")
def test_renew(benchmark: Any, engine: Engine) -> None:
    """A fresh window at pressure 1.0."""
    window = squeezed(engine.window, 1.0)
    made = benchmark.pedantic(
        engine.relief.cutter.renew,
        args=(window, engine.notices.widest(window), lambda after, record: record),
        rounds=ROUNDS,
    )
    assert made is not None
    assert made.record.generation == window.sent.generation + 1
    freed = window.tokens.total - made.after.tokens.total
    assert made.after.tokens.total <= window.low < window.tokens.total
    benchmark.extra_info["freed"] = freed
