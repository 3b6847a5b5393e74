"""The tables of a report, with as many columns as there is room for; `loom bench list`."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from textwrap import wrap

from loom.cli.columns import RankedRow, middle, print_table, shown_columns, width_for
from loom.cli.exits import FINE
from loom.cli.show import AsJson, console, emit, line, lines
from loom.cli.styled import columns_of, flowed
from loom.reduce.lines import counted
from loom.text import visible
from loom_bench.asked import KnownPart, known_parts
from loom_bench.judge import HIGH, LOW, MetricColumn
from loom_bench.report.html import examples
from loom_bench.report.margins import margins
from loom_bench.report.rows import BenchReport
from loom_bench.report.table import (
    BEST,
    FigureTable,
    barred,
    ordered,
    scenario_tables,
    window_tables,
)

FAULTS = 3  # of failed runs that are told in words


def report(made: BenchReport, *, explain: bool, faults: bool = False) -> None:
    """Print the tables, where others beat Loom, faults where they are asked for, what failed."""
    width = width_for(console())
    left: dict[str, None] = {}
    for table, said in zip(window_tables(made), margins(made).values(), strict=True):
        left |= dict.fromkeys(figures(table, width))
        for text in said:
            lines(wrapped(text, width))
        if said:
            line()
    for table in scenario_tables(made) if len(made.plan.scenarios) > 1 else ():
        figures(table, width)
    if left:
        cramped = f"no room for {', '.join(left)}: a wider terminal or --json has them"
        lines(wrapped(cramped, width))
    notes = [f"{BEST} is the best of a column"]
    if not explain:
        notes.append("--explain says what each column means")
    if not faults and any(row.faults for row in made.rows):
        notes.append("--faults tells some faults")
    lines(flowed(notes, width))
    for one in examples(made) if faults else ():
        lines(wrapped(str(one), width))
    if explain:
        line()
        lines(explained(made.columns, width))
    for text in (*barred(made), *failures(made)):
        lines(wrapped(text, width))


def figures(table: FigureTable, width: int) -> list[str]:
    """Print one table and a blank line; returns the names of the columns left out."""
    rows = [RankedRow(name, cells) for name, cells in table.rows]
    line(table.title)
    print_table(table.head, table.columns, rows, width)
    line()
    kept = shown_columns(table.head, table.columns, rows, width)
    return [one.name for one in table.columns if one not in kept]


def failures(made: BenchReport) -> list[str]:
    """What ended runs early: how many, and the first few in words; scenarios and judges."""
    failed = [row for row in made.rows if row.failed]
    raised = [f"raised: {text}" for text in made.broken[:FAULTS]]
    if len(made.broken) > FAULTS:
        raised.append(f"raised: {len(made.broken) - FAULTS:,} more, which --json tells")
    if not failed:
        return raised
    told = [
        f"{row.job.strategy} failed in {row.job.scenario}, seed {row.job.seed}, window"
        f" {row.job.window:,}: {row.failed}"
        for row in failed[:FAULTS]
    ]
    return [f"{counted(len(failed), 'run')} of {len(made.rows):,} failed", *told, *raised]


def wrapped(text: str, width: int) -> Sequence[str]:
    """A sentence on as many lines as it takes, those behind the first indented."""
    return textwrap.wrap(visible(text), max(width, 20), subsequent_indent="  ")


DIRECTIONS = {HIGH: "high is good", LOW: "low is good"}
SCORE = ("score", "mean of the scored columns, 0 to 1; those without a case are left out")


def listed(*, json: AsJson = False) -> int:
    """List scenarios, strategies, judges and columns.

    Those of installed packages are listed too; FILE.py:NAME names one of your own.
    """
    found = known_parts()
    if json:
        emit(found)
        return FINE
    width = width_for(console())
    groups = {
        "scenarios": found.scenarios,
        "strategies": found.strategies,
        "judges": found.judges,
    }
    for title, parts in groups.items():
        line(title)
        lines(_told([(one.name, _about(one)) for one in parts], width))
        line()
    line("columns")
    lines(explained(found.columns, width))
    return FINE


def explained(columns: Sequence[MetricColumn], width: int) -> list[str]:
    """A line for each column of a table: what it counts, and which way is good."""
    rows = [SCORE]
    for one in ordered(columns):
        notes = [*(["scored"] if one.scored else []), DIRECTIONS.get(one.better, "")]
        rows.append((one.name, f"{one.about} ({', '.join(filter(None, notes))})"))
    return list(_told(rows, width))


def _about(part: KnownPart) -> str:
    if part.wrong:
        return f"cannot be used: {part.wrong}"
    return f"needs {part.install}: {part.about}" if part.install else part.about


def _told(rows: Sequence[tuple[str, str]], width: int) -> Iterator[str]:
    """Names and what is said of them, wrapped beside them."""
    size = min(max((columns_of(name) for name, _ in rows), default=0), width // 3)
    for name, said in rows:
        first = middle(name, size)
        head = f"  {first}{' ' * (size - columns_of(first))}  "
        yield from wrap(
            visible(said), max(width, 40), initial_indent=head, subsequent_indent=" " * (size + 4)
        ) or [head.rstrip()]
