"""Progress of what takes long: one bar with a live line, on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
from rich.table import Column

from loom.cli.show import console, lively
from loom.text import visible

Watch = Callable[[str, int, int], None]  # what is at work, how much of it is done, and of how much


def bar(screen: Console) -> Progress:
    """A bar with a share and a line of text, gone when it is left."""
    columns = (
        BarColumn(bar_width=20),
        TaskProgressColumn(),
        TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True)),
    )
    return Progress(*columns, console=screen, transient=True)


@contextmanager
def progress() -> Iterator[Watch]:
    """One bar for what is at work; off a terminal nothing."""
    screen = console(sys.stderr)
    if not lively(screen):
        yield lambda name, done, of: None
        return
    with bar(screen) as drawn:
        task = drawn.add_task("")
        yield lambda name, done, of: drawn.update(
            task, description=visible(name), completed=done, total=of
        )
