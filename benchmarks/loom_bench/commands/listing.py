"""`loom bench list`: what there is to run, and what each column of a table means."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from loom.cli.columns import middle, width_for
from loom.cli.exits import FINE
from loom.cli.show import AsJson, console, emit, line, lines
from loom.cli.styled import columns_of
from loom.text import visible
from loom_bench.judge import HIGH, LOW, MetricColumn
from loom_bench.parts import KnownPart, known_parts
from loom_bench.report.table import ordered

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
