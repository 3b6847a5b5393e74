"""`speed`: what a turn costs as a session grows, beside the floor and, if asked, other keepers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Annotated, Any, Literal

from cyclopts import Parameter
from rich.table import Table

from benchmarks.measures.speed import plot as plots
from benchmarks.measures.speed.keepers import left_out
from benchmarks.measures.speed.lived import judged, lived
from benchmarks.measures.speed.planting import planted, renamed
from benchmarks.measures.speed.report import keepers_table, life_table
from benchmarks.options import FromOne, Json, Sessions, refuse, sizes
from benchmarks.show import Bar, end, on_stderr
from loom.cli.styled import spark
from loom.replay.importers.unreadable import BadSession
from loom_bench.sessions.chained import chained, recorded
from loom_bench.sessions.planted import items

WINDOW = "32000"


def speed(
    *,
    steps: FromOne = 2_000,
    window: Annotated[Sequence[str], Parameter(consume_multiple=True, negative=())] = (WINDOW,),
    sessions: Sessions | None = None,
    flavour: Literal["coding", "research", "support", "scraps"] = "coding",
    peers: Annotated[bool, Parameter(negative=())] = False,
    plot: Path | None = None,
    json: Json = False,
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
        if peers:
            events = planted(renamed(events), steps, asked)
        with Bar(f"steps at {size:,}", steps) as bar:
            told = lived(events, size, steps, asked, bar.advance)
        report["windows"][str(size)] = told
        lines[f"window of {size:,} tokens"] = told["curves"]
        shown.append(life_table(size, told))
        if peers:
            shown.append(keepers_table(size, told["keepers"], absent, asked))
    if plot is not None:
        plots.save(plot, lines)
    said = "\n\n".join(plots.drawn(title, each, spark) for title, each in lines.items())
    report["missed"], report["not_judged"] = judged(report["windows"])
    for line in (*report["missed"], *report["not_judged"]):
        on_stderr(line)
    end(report, [] if json else shown, "" if json else said)
    return int(bool(report["missed"]))
