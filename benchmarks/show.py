"""Output of a benchmark for people: progress on stderr, tables on stdout before the JSON line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Self

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from loom.cli.output import PIPED, one_line_json
from loom.text import escape_invisible, escape_invisible_lines
from loom_bench.tables import parts, table


def on_stderr(text: object) -> None:
    """Say something on stderr; what cannot be seen is escaped."""
    print(escape_invisible_lines(str(text)), file=sys.stderr)


class Bar:
    """Progress on stderr: a bar on a terminal, lines elsewhere."""

    def __init__(self, description: str, total: int) -> None:
        self._total = total
        self._done = 0
        self._console = Console(stderr=True, highlight=False, soft_wrap=True)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        self._bar = Progress(*columns, TimeRemainingColumn(), console=self._console)
        self._task = self._bar.add_task(escape(escape_invisible(description)), total=total)

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.stop()

    def advance(self, by: int = 1, text: str = "", *, loud: bool = False) -> None:
        """So many more are done; the text is shown elsewhere, on a terminal only when `loud`."""
        self._done += by
        self._bar.advance(self._task, by)
        if text and (loud or not self._console.is_terminal):
            self._console.print(
                f"{self._done}/{self._total} {escape_invisible(text)}", markup=False
            )

    def describe(self, text: str) -> None:
        """Say what is being done now."""
        text = escape_invisible(text)
        self._bar.update(self._task, description=escape(text))
        if not self._console.is_terminal:
            self._console.print(text, markup=False)


def cell(value: object) -> str:
    """A figure as a table shows it; "–" of nothing."""
    if isinstance(value, Mapping):
        return "\n".join(f"{name} {count}" for name, count in value.items()) or "–"
    if isinstance(value, float):
        return f"{value:.3g}" if 0 < abs(value) < 0.01 else f"{value:,.3f}"
    return "–" if value is None else f"{value:,}" if isinstance(value, int) else str(value)


Figures = Mapping[Any, Mapping[str, Any]]  # of what, which figure, how much
Heads = Mapping[str, str]  # a figure, and what a table calls it


def by_capacity(
    found: Sequence[Any],
    names: Iterable[str],
    capacities: Iterable[int],
    key: Callable[[Any], tuple[str, int]],
    figures: Callable[[list[Any]], dict[str, Any]],
) -> dict[str, dict[str, dict[str, Any]]]:
    """{capacity: {name: figures}}; `key` says whose an outcome is, and at which capacity."""
    return {
        str(size): {
            name: figures([one for one in found if key(one) == (name, size)]) for name in names
        }
        for size in capacities
    }


def by_row(title: str, found: Figures, heads: Heads | None = None) -> Table:
    """A row for each of what was measured, a column for each figure of `heads` that any has."""
    names = {name: name for one in found.values() for name in one}
    shown = {name: heads[name] for name in heads if name in names} if heads else names
    rows = [[what, *(cell(one.get(name, "")) for name in shown)] for what, one in found.items()]
    return table(title, ["", *shown.values()], rows)


def by_column(title: str, found: Figures, heads: Heads | None = None) -> Table:
    """The same, turned."""
    names = heads or {name: name for one in found.values() for name in one}
    turned = {
        head: {what: one.get(name, "") for what, one in found.items()}
        for name, head in names.items()
        if any(name in one for one in found.values())
    }
    return by_row(title, turned, {what: str(what) for what in found})


def draw(made: Table, console: Console) -> None:
    """Print a table; one that is wider than the console as several, each with the first column."""
    for part in parts(made, console.width):
        console.print(part)


def end(report: Mapping[str, Any], tables: Iterable[Table], said: str = "") -> None:
    """Print the tables and what is said of them, then the JSON object as the last line."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=PIPED)
    for each in tables:
        draw(each, console)
    if said:
        print(escape_invisible_lines(said))
    print(one_line_json(report))
