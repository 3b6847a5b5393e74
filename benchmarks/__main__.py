"""`python -m benchmarks NAME`: the last line on stdout is one JSON object, progress on stderr.

The exit code is 0 when every law held and every figure was reached, else 1.
"""

from __future__ import annotations

import sys
import traceback
from types import TracebackType
from typing import Literal

from cyclopts import App
from msgspec.structs import replace

from benchmarks import seeds as seed_figures
from benchmarks import sweep as sweeping
from benchmarks.agents_md.command import agents_md
from benchmarks.ask import ask
from benchmarks.cache.command import cache
from benchmarks.calibration import calibration
from benchmarks.carryover import carryover
from benchmarks.closed_loop import closed_loop
from benchmarks.figures.command import figures
from benchmarks.figures.picture import picture
from benchmarks.fit import fit
from benchmarks.longrun.command import longrun
from benchmarks.longterm import longterm
from benchmarks.memory import memory
from benchmarks.mutate.command import mutate
from benchmarks.needs import needs
from benchmarks.options import FromOne, FromZero, Sessions, refuse, sizes
from benchmarks.policies import policies
from benchmarks.pressure.command import pressure
from benchmarks.reach import reach
from benchmarks.reduction import reduction
from benchmarks.scale import scale
from benchmarks.secrets.command import secrets
from benchmarks.served.command import served
from benchmarks.show import end, sweep_table
from benchmarks.speed.command import speed
from benchmarks.tools import tools
from benchmarks.truth import truth
from benchmarks.weeks import weeks
from loom.cli.show import failed
from loom.policy import PRESETS
from loom.replay.audit import BROKEN
from loom.replay.importers.unreadable import BadSession
from loom.text import visible_lines

app = App(
    name="benchmarks",
    help="Measure Loom: laws under pressure, and the seed's figures.",
    error_formatter=lambda error: visible_lines(str(error)),
)
app.command(closed_loop, name=("closed_loop", "closed-loop"))
app.command(agents_md, name=("agents_md", "agents-md"))
COMMANDS = (
    calibration, needs, carryover, reduction, memory, longrun, longterm, pressure, cache, fit,
    policies, tools, reach, mutate, truth, ask, secrets, weeks, speed, served,
    scale, figures, picture,
)  # fmt: skip
for one in COMMANDS:
    app.command(one)


@app.command
def sweep(
    *,
    sessions: Sessions | None = None,
    windows: str = ",".join(map(str, sweeping.WINDOWS)),
    preset: Literal["lazy", "graduated", "eager"] = "lazy",
    ageing: Literal["log", "steps"] = "log",
    workers: FromOne = 2,
    limit: FromZero = 0,
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
        How detail is lowered: by pressure, when it pays or at each mark, or as each step ages.
    ageing
        How the score falls with age.
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
        chosen = sizes("--windows", windows)
        given = list(sweeping.sessions(sessions or (), limit))
        if not given:
            return refuse("--sessions: there is no session there, so nothing was shown")
        report = sweeping.sweep(
            given,
            chosen,
            replace(PRESETS[preset], ageing=ageing),
            workers=workers,
            working=working,
            project=project,
        )
    except ValueError as error:
        return refuse(error)
    except BadSession as error:
        return refuse(f"--sessions: {error}")
    end(report, [] if json else [sweep_table(report)])
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
    end(report, [] if json else tables)
    return int(bool(seed_figures.missed(report)))


def _hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print what nobody expected; Python would print its text as it is."""
    failed("".join(traceback.format_exception(kind, error, trace)))


if __name__ == "__main__":
    sys.excepthook = _hook
    sys.exit(app())
