"""Output of a benchmark for people: progress on stderr, tables on stdout before the JSON line."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Column, Table
from rich.text import TextType

from benchmarks.tally import Replayed
from loom.bench.tables import table
from loom.cli.show import one_line_json
from loom.replay.audit import BROKEN
from loom.text import visible, visible_lines

FRAME = 3  # characters a column of a table takes beside its text
WIDTH = 160  # characters of a table that goes to no terminal
MEASURED = ("turns", "prefix_reuse", "renewals", "cuts", "peak", "mean_tokens", "working_share")


def on_stderr(text: object) -> None:
    """Say something on stderr; what cannot be seen is escaped."""
    print(visible_lines(str(text)), file=sys.stderr)


def say(text: str) -> None:
    """Say something on stdout; what cannot be seen is escaped."""
    print(visible_lines(text))


def give(report: Mapping[str, Any]) -> None:
    """Print the JSON object, on one line."""
    print(one_line_json(report))


class Bar:
    """Progress on stderr: a bar on a terminal, lines elsewhere."""

    def __init__(self, description: str, total: int) -> None:
        self._total = total
        self._done = 0
        self._console = Console(stderr=True, highlight=False, soft_wrap=True)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        self._bar = Progress(*columns, TimeRemainingColumn(), console=self._console)
        self._task = self._bar.add_task(escape(visible(description)), total=total)

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def advance(self, by: int = 1, text: str = "", *, loud: bool = False) -> None:
        """So many more are done; the text is shown elsewhere, on a terminal only when `loud`."""
        self._done += by
        self._bar.advance(self._task, by)
        if text and (loud or not self._console.is_terminal):
            self._console.print(f"{self._done}/{self._total} {visible(text)}", markup=False)

    def describe(self, text: str) -> None:
        """Say what is being done now."""
        text = visible(text)
        self._bar.update(self._task, description=escape(text))
        if not self._console.is_terminal:
            self._console.print(text, markup=False)


def line(one: Replayed) -> str:
    """One replay on one line."""
    found = one.findings
    said = f"{one.session} at {one.window:,}: {found.turns} turns, peak {found.peak:.2f}"
    if one.refused:
        said += f", refused: {one.refused} is too large"
    if one.failed:
        said += f", FAILED: {one.failed}"
    if found.broken:
        said += f", BROKEN {found.broken}: {'; '.join(found.details[:3])}"
    return said


def sweep_table(report: dict[str, Any]) -> Table:
    """The figures of a sweep, a column for each window."""
    windows = report["windows"]
    rows: list[list[object]] = []
    for name in ("sessions", *MEASURED, *BROKEN, "failed", "refused", "levels"):
        cells = [windows[window][name] for window in windows]
        rows.append([name, *(_cell(cell) for cell in cells)])
    heads = ["window", *(f"{int(window):,}" for window in windows)]
    return table("Sweep", heads, rows)


def _cell(value: object) -> str:
    if isinstance(value, dict):
        return "\n".join(f"{name} {count}" for name, count in value.items()) or "–"
    return f"{value:,}" if isinstance(value, int) else str(value)


def draw(made: Table, console: Console) -> None:
    """Print a table; one that is wider than the console as several, each with the first column."""
    made.columns[0].no_wrap = True  # the name of the row
    if 1 + sum(_least(one, str(one.header)) + FRAME for one in made.columns) <= console.width:
        console.print(made)
        return
    first, *others = made.columns
    most = max(console.width // 2 - FRAME, 1)
    label = min(_least(first), most)
    groups: list[list[Column]] = [[]]
    left = console.width - 1 - label - FRAME
    for column in others:
        size = min(_least(column), console.width - 1 - label - 2 * FRAME) + FRAME
        if groups[-1] and size > left:
            groups.append([])
            left = console.width - 1 - label - FRAME
        groups[-1].append(column)
        left -= size
    for at, group in enumerate(groups):
        title = f"{made.title} ({at + 1} of {len(groups)})" if len(groups) > 1 else made.title
        console.print(_part(title, first, group, label, console.width))


def _part(
    title: TextType | None, first: Column, others: Sequence[Column], label: int, width: int
) -> Table:
    """A table of some columns of another, as wide as they need to be, at most `width`."""
    part = Table(title=title, title_justify="left")
    room = width - 1 - label - 2 * FRAME
    for column in (first, *others):
        size = label if column is first else min(_least(column), room)
        part.add_column(
            column.header, justify=column.justify, width=size, overflow="fold", no_wrap=False
        )
    for cells in zip(*(column.cells for column in (first, *others)), strict=True):
        part.add_row(*cells)
    return part


def _least(column: Column, head: str = "") -> int:
    """Columns of a terminal that a column of a table needs, its head by the word or as it is."""
    words = [head] if head else str(column.header).split()
    lines = [line for cell in column.cells for line in str(cell).splitlines()]
    return max(map(cell_len, (*words, *lines)), default=1)


def end(report: Mapping[str, Any], tables: Iterable[Table], said: str = "") -> None:
    """Print the tables and what is said of them, then the JSON object as the last line."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=WIDTH)
    for each in tables:
        draw(each, console)
    if said:
        say(said)
    give(report)
