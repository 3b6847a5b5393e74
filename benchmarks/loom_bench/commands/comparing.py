"""`loom bench compare`: two runs of the same sessions, figure by figure."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from loom.cli.exits import FINE, FOUND
from loom.cli.output import (
    AsJson,
    console,
    fill_width,
    print_json,
    print_line,
    print_lines,
    wrap_parts,
)
from loom.cli.text_tables import RankedColumn, RankedRow, print_ranked_table
from loom.errors import BadInput
from loom.reduce.lines import plural
from loom_bench.commands.tables import told
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

# Heading → its rank, 0 for what gives way last.
RANKS = {"column": 0, "verdict": 1, "before": 3, "after": 4, "change": 2, "95 %": 5, "pairs": 6}
COLUMNS = [RankedColumn(name, rank, name) for name, rank in RANKS.items()]


def compare(
    before: Annotated[Path, Parameter(name="A.json")],
    after: Annotated[Path, Parameter(name="B.json")],
    /,
    *,
    fail_on_worse: bool = False,
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
    """
    first, second = BenchReport.read(before), BenchReport.read(after)
    found, lost, others = compared(first, second), losses(first, second), changed(first, second)
    if not found and not lost:
        raise BadInput(f"{before}, {after}: no strategy ran through the same session in both")
    verdicts = Counter(one.verdict for one in found)
    code = FOUND if fail_on_worse and (lost or verdicts[WORSE]) else FINE
    if json:
        versions = {"before": first.version, "after": second.version}
        print_json({**versions, "changed_sessions": others, "lost": lost, "differences": found})
        return code
    width = fill_width(console())
    rows = [_row(one) for one in found if one.verdict in (WORSE, BETTER, OTHER)]
    if rows:
        print_ranked_table("strategy, window", COLUMNS, rows, width)
        print_line()
    said = [f"{verdicts[name]:,} {name}" for name in (BETTER, WORSE)]
    rest = (OTHER, SAME, FEW, CLOCK)
    said += [f"{verdicts[name]:,} {name}" for name in rest if verdicts[name]]
    print_lines(wrap_parts([plural(len(found), "figure"), *said], width))
    told([f"worse: {text}" for text in lost])
    if others:
        print_line(f"left out: {plural(others, 'session')} with other messages in the two runs")
    return code


def _row(one: PairedDifference) -> RankedRow:
    change, low, high = (
        ("-" if value < 0 else "+") + shown(abs(value), one.unit)
        for value in (one.difference, one.low, one.high)
    )
    figures = (shown(one.before, one.unit), shown(one.after, one.unit), change)
    cells = (one.column, one.verdict, *figures, f"{low} to {high}", f"{one.pairs:,}")
    return RankedRow(f"{one.strategy} {one.window:,}", dict(zip(RANKS, cells, strict=True)))
