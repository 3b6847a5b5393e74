"""One life at one window, told: Loom's turns beside the floor, and beside other keepers'."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import loom
from benchmarks.measures.speed.figures import JUDGED
from benchmarks.measures.speed.floor import CostFloor
from benchmarks.measures.speed.keepers import LOOM, Keeper, LoomKeeper, others
from benchmarks.measures.speed.lives import KeeperLife, live
from benchmarks.measures.speed.report import curves, keepers_report, life_report
from benchmarks.measures.speed.verdict import RequestVerdict
from loom.inputs import Event
from loom_bench.sessions.planted import PlantedItem

GROWTH = 1.3  # asked of the median of plain turns


def judged(windows: Mapping[str, Mapping[str, Any]]) -> tuple[list[str], list[str]]:
    """A line for each window whose growth is above GROWTH, and for each with too few turns."""
    missed, not_judged = [], []
    for size, told in windows.items():
        said = f"growth of the median plain turn at {int(size):,} tokens: {told['growth']}"
        if told["growth_turns"] < JUDGED:
            few = f"{told['growth_turns']} plain turns in the first fifth and the last"
            not_judged.append(f"{said}, not judged: {few}, it takes {JUDGED}")
        elif told["growth"] > GROWTH:
            missed.append(f"{said} is above {GROWTH}")
    return missed, not_judged


def lived(
    events: Iterator[Event],
    window: int,
    steps: int,
    asked: Sequence[PlantedItem],
    tell: Callable[[int, str], None],
) -> dict[str, Any]:
    """One life at one window, told; with something to be asked for, that of every keeper.

    `tell` is that of `live`.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="loom-speed-")))
        ctx = stack.enter_context(
            loom.open(folder / "w", goal="Go on.", window=window, durable=False)
        )
        capacity = ctx.window.limits.capacity
        keepers: dict[str, Keeper] = {LOOM: LoomKeeper(ctx)}
        if asked:
            keepers |= others(capacity)
        lives = {}
        for name, keeper in keepers.items():
            stack.callback(keeper.close)
            lives[name] = KeeperLife(keeper, steps, RequestVerdict(capacity) if asked else None)
        floor = CostFloor(folder, steps)
        stack.callback(floor.close)
        live(lives, events, steps, floor, tell)
        told = life_report(lives[LOOM], floor, steps)
        told["curves"] = curves(lives)
        if asked:
            told["keepers"] = keepers_report(lives, asked)
        return told
