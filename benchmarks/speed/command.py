"""`speed`: what a turn costs as a session grows, beside the floor and, if asked, other keepers.

Sessions are chained into one agent's life. A turn is the reply before it, its results, and the
request in wire form. `plain` is a turn without a cut. The floor (`floor.py`) is what any keeper of
these messages would pay. Growth is the median of the last fifth of plain turns over that of the
first; of fewer than JUDGED of them it is told and not judged. All is thread CPU unless it says
wall; the journal is not synced (`durable=False`), so wall times are without waits for the disk.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal

from cyclopts import Parameter
from rich.table import Table

import loom
from benchmarks.longrun.planted import PlantedItem, items
from benchmarks.options import FromOne, Sessions, refuse, sizes
from benchmarks.show import Bar, end, on_stderr
from benchmarks.speed import plot as plots
from benchmarks.speed.figures import JUDGED
from benchmarks.speed.floor import CostFloor
from benchmarks.speed.keepers import LOOM, Keeper, LoomKeeper, left_out, others
from benchmarks.speed.lives import KeeperLife, live
from benchmarks.speed.planting import planted, renamed
from benchmarks.speed.report import (
    curves,
    keepers_report,
    keepers_table,
    life_report,
    life_table,
)
from benchmarks.speed.verdict import RequestVerdict
from loom.bench.sessions.chained import chained, recorded
from loom.inputs import Event
from loom.replay.importers.unreadable import BadSession

GROWTH = 1.3  # asked of the median of plain turns
WINDOW = "32000"


def speed(
    *,
    steps: FromOne = 2_000,
    window: Annotated[Sequence[str], Parameter(consume_multiple=True, negative=())] = (WINDOW,),
    sessions: Sessions | None = None,
    flavour: Literal["coding", "research", "support", "scraps"] = "coding",
    peers: Annotated[bool, Parameter(negative=())] = False,
    plot: Path | None = None,
    json: Annotated[bool, Parameter(negative=())] = False,
) -> int:
    """Time the turns of one long session, by fifths of it.

    Parameters
    ----------
    steps
        Replies of the model.
    window
        Its window in tokens; of several, by commas or repeated, each has a life and a table.
    sessions
        Files or folders of recorded sessions, chained over and over; without any, generated ones.
    flavour
        The kind of generated sessions.
    peers
        Beside Loom, turn by turn on the same events with rules and facts planted in them, the
        built-in strategies and every peer that is installed.
    plot
        Draw the median plain turn over steps into this .png file too (needs the extra `plot`).
    json
        No table, only the JSON line.
    """
    try:
        windows = list(dict.fromkeys(sizes("--window", ",".join(window), "8_000,32_000")))
        given = recorded(sessions)
        if plot is not None:
            plots.drawable(plot)
    except BadSession as error:
        return refuse(f"--sessions: {error}")
    except ValueError as error:
        return refuse(error)
    asked = items(Random("speed")) if peers else []
    absent = left_out() if peers else {}
    report: dict[str, Any] = {"steps": steps, "windows": {}, "left_out": absent}
    shown: list[Table] = []
    lines: dict[str, plots.Curves] = {}
    for size in windows:
        events = chained(given, flavour)
        told = lived(
            planted(renamed(events), steps, asked) if peers else events, size, steps, asked
        )
        report["windows"][str(size)] = told
        lines[f"window of {size:,} tokens"] = told["curves"]
        shown.append(life_table(size, told))
        if peers:
            shown.append(keepers_table(size, told["keepers"], absent, asked))
    if plot is not None:
        plots.save(plot, lines)
    said = "\n\n".join(plots.drawn(title, each) for title, each in lines.items())
    report["missed"], report["not_judged"] = judged(report["windows"])
    for line in (*report["missed"], *report["not_judged"]):
        on_stderr(line)
    end(report, [] if json else shown, "" if json else said)
    return int(bool(report["missed"]))


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
    events: Iterator[Event], window: int, steps: int, asked: Sequence[PlantedItem]
) -> dict[str, Any]:
    """One life at one window, told; with something to be asked for, that of every keeper."""
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
        bar = stack.enter_context(Bar(f"steps at {window:,}", steps))
        live(lives, events, steps, floor, bar)
        told = life_report(lives[LOOM], floor, steps)
        told["curves"] = curves(lives)
        if asked:
            told["keepers"] = keepers_report(lives, asked)
        return told
