"""Progress of what takes long: one bar with a live line, on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
from rich.table import Column

from loom.cli.jobs import ReplayJob
from loom.cli.show import clip, console, lively, speaks
from loom.engine.pressure import Pressure
from loom.text import visible

SHORT = {"system": "sys", "memory": "mem", "skill": "skl", "history": "his", "working": "wrk"}

# Called in any thread while sessions are replayed, with a job, its events done, and ρ of its newest
# request, None when that is not known.
Tell = Callable[[ReplayJob, int, Pressure | None], None]
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


@contextmanager
def telling(jobs: Sequence[ReplayJob]) -> Iterator[Tell]:
    """One bar over the events of all jobs, in whatever order they come; off a terminal nothing."""
    finished = dict.fromkeys((job.number for job in jobs), 0)
    total = sum(job.events for job in jobs)
    with progress() as watch:

        def tell(job: ReplayJob, done: int, pressure: Pressure | None) -> None:
            finished[job.number] = done
            told = f"{clip(job.name, 12)} {live(pressure) if pressure else ''}"
            watch(told, sum(finished.values()), total)

        yield tell


def live(pressure: Pressure) -> str:
    """ρ and its parts on one short line: `ρ 0.83 sys .02 mem .00 skl .01 his .78 wrk .02 snip`."""
    rho = "ρ" if speaks(sys.stderr, "ρ") else "rho"
    shares = (
        f"{short} {getattr(pressure.tokens, name) / pressure.capacity:.2f}".replace(" 0.", " .")
        for name, short in SHORT.items()
    )
    return f"{rho} {pressure.rho:.2f} {' '.join(shares)} {pressure.level}".rstrip()
