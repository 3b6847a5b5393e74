"""`loom bench compare`: two runs of the same sessions, figure by figure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from loom.cli.columns import RankedColumn, RankedRow, print_table, width_for
from loom.cli.exits import FINE, FOUND, BadUsage
from loom.cli.show import AsJson, console, emit, line, lines
from loom.cli.styled import flowed
from loom.reduce.lines import counted
from loom_bench.commands.tables import wrapped
from loom_bench.report.compare import (
    BETTER,
    CLOCK,
    FEW,
    OTHER,
    SAME,
    WORSE,
    PairedDifference,
    changed,
    compared,
    losses,
)
from loom_bench.report.rows import BenchReport
from loom_bench.report.table import shown

COLUMNS = tuple(
    RankedColumn(name, rank, name)
    for name, rank in (
        ("column", 0), ("verdict", 1), ("before", 3), ("after", 4), ("change", 2), ("95 %", 5),
        ("pairs", 6),
    )
)  # fmt: skip
TOLD = (WORSE, BETTER, OTHER)


def compare(
    before: Annotated[Path, Parameter(name="A.json")],
    after: Annotated[Path, Parameter(name="B.json")],
    /,
    *,
    fail_on_worse: bool = False,
    all: bool = False,
    json: AsJson = False,
) -> int:
    """Tell what is better and what is worse in the second run.

    Each strategy is compared with itself over the sessions both runs have, with the same messages.
    A figure is better or worse where 0 is not in the interval that holds 95 % of the differences of
    a resampling of these sessions; fewer than six are too few. Runs that are missing, and that fail
    where they did not, are worse too.

    Parameters
    ----------
    before
        What `loom bench run --out` wrote.
    after
        What it wrote later.
    fail_on_worse
        Exit code 1 where a figure is worse. Those of a clock never are.
    all
        List figures that do not differ too.
    """
    first, second = BenchReport.read(before), BenchReport.read(after)
    found = compared(first, second)
    lost = losses(first, second)
    if not found and not lost:
        raise BadUsage(f"{before}, {after}: no strategy ran through the same session in both")
    worse = bool(lost) or any(one.verdict == WORSE for one in found)
    others = changed(first, second)
    if json:
        versions = {"before": first.version, "after": second.version}
        emit({**versions, "changed_sessions": others, "lost": lost, "differences": found})
    else:
        _told(found, all)
        for text in lost:
            lines(wrapped(f"worse: {text}", width_for(console())))
        if others:
            line(f"left out: {counted(others, 'session')} with other messages in the two runs")
    return FOUND if worse and fail_on_worse else FINE


def _told(found: Sequence[PairedDifference], all: bool) -> None:
    width = width_for(console())
    listed = [one for one in found if all or one.verdict in TOLD]
    if listed:
        print_table("strategy, window", COLUMNS, [_row(one) for one in listed], width)
        line()
    counts = {name: sum(one.verdict == name for one in found) for name in (*TOLD, SAME, FEW, CLOCK)}
    said = [f"{counts[name]:,} {name}" for name in (BETTER, WORSE)]
    said += [f"{counts[name]:,} {name}" for name in (OTHER, SAME, FEW, CLOCK) if counts[name]]
    lines(flowed([counted(len(found), "figure"), *said], width))


def _row(one: PairedDifference) -> RankedRow:
    name = f"{one.strategy} {one.window:,}"
    return RankedRow(name, {
        "column": one.column,
        "verdict": one.verdict,
        "before": shown(one.before, one.unit),
        "after": shown(one.after, one.unit),
        "change": _signed(one.difference, one.unit),
        "95 %": f"{_signed(one.low, one.unit)} to {_signed(one.high, one.unit)}",
        "pairs": f"{one.pairs:,}",
    })  # fmt: skip


def _signed(value: float, unit: str) -> str:
    return f"{'-' if value < 0 else '+'}{shown(abs(value), unit)}"
