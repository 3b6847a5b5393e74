"""The cost of a cut by the length of the window it is made in. Nothing is applied."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import loom
from benchmarks.conftest import ROOMY, SMALL, squeezed
from loom.engine import Engine

ROUNDS = 5


@pytest.mark.parametrize("rho", [0.82, 0.92, 0.97])
def test_cut(benchmark: Any, engine: Engine, rho: float) -> None:
    """A cut at a pressure, decided, and when it pays carried out on a copy and certified."""
    window = squeezed(engine.window, rho)
    made = benchmark.pedantic(
        engine.relief.cutter.compress,
        args=(window, engine.notices.widest(window), rho),
        rounds=ROUNDS,
    )
    freed = window.tokens.total - made.after.tokens.total if made else 0
    benchmark.extra_info.update(level=getattr(made and made.record, "level", ""), freed=freed)


def test_renewal(benchmark: Any, engine: Engine) -> None:
    """A fresh window at pressure 1.0."""
    window = squeezed(engine.window, 1.0)
    made = benchmark.pedantic(
        engine.relief.cutter.renew,
        args=(window, engine.notices.widest(window), lambda after, record: record),
        rounds=ROUNDS,
    )
    benchmark.extra_info["freed"] = window.tokens.total - made.after.tokens.total


@pytest.mark.parametrize("window", [SMALL, ROOMY], ids=["small", "all resident"])
def test_reopen(benchmark: Any, workspaces: Callable[..., Path], steps: int, window: int) -> None:
    """A known workspace opened again, up to its request."""
    path = workspaces(steps, window)

    def reopened() -> None:
        with loom.open(path, policy=loom.Policy(own_tools=False), durable=False) as ctx:
            ctx.turn()

    benchmark.pedantic(reopened, rounds=3)
