"""`python -m benchmarks NAME`: the last line on stdout is one JSON object, progress on stderr.

The exit code is 0 when every law held and every figure was reached, else 1.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import App, Parameter
from rich.console import Console
from rich.table import Table

from benchmarks import seeds as seed_figures
from benchmarks import sweep as sweeping
from benchmarks.cache import cache
from benchmarks.calibration import calibration
from benchmarks.carryover import carryover
from benchmarks.fit import fit
from benchmarks.longterm import longterm
from benchmarks.memory import memory
from benchmarks.pressure.command import pressure
from benchmarks.reach import reach
from benchmarks.reduction import reduction
from benchmarks.retention.closed_loop import closed_loop
from benchmarks.retention.needs import needs
from benchmarks.show import sweep_table
from benchmarks.tools import tools
from loom.replay.audit import BROKEN
from loom.replay.importers.unreadable import BadSession

app = App(name="benchmarks", help="Measure Loom: laws under pressure, and the seed's figures.")
app.command(closed_loop, name=("closed_loop", "closed-loop"))
COMMANDS = (
    calibration, needs, carryover, reduction, memory, longterm, pressure, cache, fit, tools, reach,
)  # fmt: skip
for one in COMMANDS:
    app.command(one)


@app.command
def sweep(
    *,
    sessions: Annotated[list[Path] | None, Parameter(consume_multiple=True, negative=())] = None,
    windows: str = ",".join(map(str, sweeping.WINDOWS)),
    preset: Literal["lazy", "eager"] = "lazy",
    workers: int = 2,
    limit: int = 0,
    working: bool = False,
    project: bool = False,
    json: bool = False,
) -> int:
    """Replay sessions at several windows and count broken laws.

    Parameters
    ----------
    sessions
        Files or folders of recorded sessions; without any, generated ones are replayed.
    windows
        Window sizes in tokens, separated by commas.
    preset
        How detail is lowered: by pressure, or as each step ages.
    workers
        Processes.
    limit
        At most this many sessions; 0 is all.
    working
        Declare Loom's tools and keep C_working busy: plan, events, notes, questions, evidence.
    project
        In a project whose AGENTS.md files and skills are three times what a window has for them,
        edited and used all along.
    json
        No table, only the JSON line.
    """
    try:
        sizes = [int(size) for size in windows.replace("_", "").split(",")]
    except ValueError:
        return _refuse(f"--windows {windows!r}: give sizes in tokens, as 8192,16000")
    try:
        given = list(sweeping.sessions(sessions or (), limit))
        if not given:
            return _refuse("--sessions: there is no session there, so nothing was shown")
        report = sweeping.sweep(
            given, sizes, preset=preset, workers=workers, working=working, project=project
        )
    except BadSession as error:
        return _refuse(f"--sessions: {error}")
    _end(report, [] if json else [sweep_table(report)])
    return int(any(report[law] for law in (*BROKEN, "failed")))


@app.command
def seeds(*, json: bool = False) -> int:
    """Reproduce the figures of the design documents through the real engine.

    Parameters
    ----------
    json
        No tables, only the JSON line.
    """
    report, tables = seed_figures.figures()
    _end(report, [] if json else tables)
    return int(bool(seed_figures.missed(report)))


def _refuse(why: str) -> int:
    print(why, file=sys.stderr)
    return 2


def _end(report: dict[str, Any], tables: list[Table]) -> None:
    """Print the tables, then the JSON object as the last line."""
    console = Console()
    for table in tables:
        console.print(table)
    print(json.dumps(report, ensure_ascii=False))


if __name__ == "__main__":
    sys.exit(app())
