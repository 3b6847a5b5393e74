"""The tables of a report, with as many columns as there is room for; `loom bench list`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from rich.cells import cell_len

from loom.cli import output
from loom.cli.exits import FINE
from loom.cli.text_tables import RankedRow, columns_that_fit, print_ranked_table, shorten_middle
from loom.reduce.lines import plural
from loom.text import escape_invisible
from loom_bench.asked import KnownPart, known_parts
from loom_bench.judge import HIGH, LOW, MetricColumn
from loom_bench.report.rows import BenchReport
from loom_bench.report.table import (
    BEST,
    FigureTable,
    barred,
    by_window,
    caseless,
    examples,
    margins,
    ordered,
    scenario_table,
    window_table,
)

FAULTS = 3  # of failed runs that are told in words
DIRECTIONS = {HIGH: "high is good", LOW: "low is good", "": ""}
SCORE = ("score", "the mean of the scored columns, 0 to 1; one without a case is left out")


def report(made: BenchReport, *, explain: bool, faults: bool = False) -> None:
    """Print the tables, where others beat Loom, faults where they are asked for, what failed."""
    windows = by_window(made)
    left: dict[str, None] = {}
    without = dict.fromkeys(name for at in windows for name in caseless(at))
    for at in windows:
        left |= dict.fromkeys(_figures(window_table(at)))
        if said := margins(at):
            told(said)
            output.print_line()
    for at in windows if len(made.plan.scenarios) > 1 else ():
        left |= dict.fromkeys(f"{name} at {at.window:,}" for name in _figures(scenario_table(at)))
    if left:
        told([f"no room for {', '.join(left)}: a wider terminal or --json has them"])
    if without:
        told([f"no case here asks for {', '.join(without)}"])
    notes = [f"{BEST} is the best of a column"]
    if not explain:
        notes.append("--explain says what each column means")
    if not faults and any(row.faults for row in made.rows):
        notes.append("--faults tells some faults")
    output.print_lines(output.wrap_parts(notes, output.fill_width(output.console())))
    told([*examples(made)] if faults else [])
    if explain:
        output.print_line()
        explained(made.columns)
    told([*(text for at in windows for text in barred(at)), *_failures(made)])


def told(texts: Sequence[str]) -> None:
    """Print sentences, each on as many lines as it takes, those behind its first indented."""
    width = max(output.fill_width(output.console()), 20)
    for text in texts:
        output.print_lines(wrap(escape_invisible(text), width, subsequent_indent="  "))


def _figures(table: FigureTable) -> list[str]:
    """Print one table and a blank line; returns the names of the columns left out."""
    rows = [RankedRow(name, cells) for name, cells in table.rows]
    width = output.fill_width(output.console())
    output.print_line(table.title)
    print_ranked_table(table.head, table.columns, rows, width)
    output.print_line()
    kept = columns_that_fit(table.head, table.columns, rows, width)
    return [one.name for one in table.columns if one not in kept]


def _failures(made: BenchReport) -> Iterator[str]:
    """What ended runs early: how many, and the first few in words; scenarios and judges."""
    failed = [row for row in made.rows if row.failed]
    if failed:
        yield f"{plural(len(failed), 'run')} of {len(made.rows):,} failed"
    for row in failed[:FAULTS]:
        job = row.job
        where = f"{job.scenario}, seed {job.seed}, window {job.window:,}"
        yield f"{job.strategy} failed in {where}: {row.failed}"
    yield from (f"raised: {text}" for text in made.broken[:FAULTS])
    if len(made.broken) > FAULTS:
        yield f"raised: {len(made.broken) - FAULTS:,} more, which --json tells"


def listed(*, json: output.AsJson = False) -> int:
    """List scenarios, strategies, judges and columns.

    Those of installed packages are listed too; FILE.py:NAME names one of your own.
    """
    found = known_parts()
    if json:
        output.print_json(found)
        return FINE
    for title in ("scenarios", "strategies", "judges"):
        output.print_line(title)
        _beside([(one.name, _about(one)) for one in getattr(found, title)])
        output.print_line()
    output.print_line("columns")
    explained(found.columns)
    return FINE


def explained(columns: Sequence[MetricColumn]) -> None:
    """Print a line for each column of a table: what it counts, and which way is good."""
    rows = [SCORE]
    for one in ordered(columns):
        notes = ", ".join(filter(None, ["scored" * one.scored, DIRECTIONS[one.better]]))
        rows.append((one.name, f"{one.about} ({notes})" if notes else one.about))
    _beside(rows)


def _about(part: KnownPart) -> str:
    if part.wrong:
        return f"cannot be used: {part.wrong}"
    return f"needs {part.install}: {part.about}" if part.install else part.about


def _beside(rows: Sequence[tuple[str, str]]) -> None:
    """Print names and what is said of them, wrapped beside them."""
    width = output.fill_width(output.console())
    size = min(max((cell_len(name) for name, _ in rows), default=0), width // 3)
    for name, said in rows:
        first = shorten_middle(name, size)
        head = f"  {first}{' ' * (size - cell_len(first))}  "
        below = " " * (size + 4)
        text = escape_invisible(said)
        wrapped = wrap(text, max(width, 40), initial_indent=head, subsequent_indent=below)
        output.print_lines(wrapped or [head.rstrip()])
