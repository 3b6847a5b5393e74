"""The tables of a report on a terminal or a pipe, with as many columns as there is room for."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from loom.cli.columns import RankedColumn, RankedRow, print_table, shown_columns, width_for
from loom.cli.show import console, line, lines
from loom.cli.styled import flowed
from loom.reduce.lines import counted
from loom.text import visible
from loom_bench.commands.listing import explained
from loom_bench.report.html import examples
from loom_bench.report.margins import margins
from loom_bench.report.rows import BenchReport
from loom_bench.report.table import BEST, FigureTable, barred, scenario_tables, window_tables

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
        who = f"{one.strategy} at {one.window:,} in {one.scenario}, seed {one.seed}"
        lines(wrapped(f"{who}, {one.text}", width))
    if explain:
        line()
        lines(explained(made.columns, width))
    for text in (*barred(made), *failures(made)):
        lines(wrapped(text, width))


def figures(table: FigureTable, width: int) -> list[str]:
    """Print one table and a blank line; returns the names of the columns left out."""
    columns = [RankedColumn(one.name, one.rank, one.name) for one in table.columns]
    rows = [RankedRow(name, cells) for name, cells in table.rows]
    line(table.title)
    print_table(table.head, columns, rows, width)
    line()
    kept = shown_columns(table.head, columns, rows, width)
    return [one.name for one in columns if one not in kept]


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
