"""How far a run is: a bar on a terminal, elsewhere a line on stderr now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from loom.cli.progress import bar
from loom.cli.show import clip, complain, console, lively
from loom.text import visible
from loom_bench.plan import BenchJob
from loom_bench.pool import Tell

PART = 0.05  # of a run, after which a line is told
PAUSE = 10.0  # seconds between two lines at least
LONG = 60.0  # seconds after which a line is told however little was done

Step = Callable[[BenchJob], None]


class PipedProgress:
    """Tells lines: runs done, of how many, the time so far, and what is left if runs take as long
    as those before. `clock` gives seconds."""

    def __init__(self, total: int, tell: Tell, clock: Callable[[], float] = time.monotonic) -> None:
        self._total = total
        self._tell = tell
        self._clock = clock
        self._began = self._last = clock()
        self._done = self._told = 0

    def step(self, job: BenchJob) -> None:
        """One more run is done."""
        self._done += 1
        now = self._clock()
        quiet = now - self._last
        enough = self._done - self._told >= PART * self._total or quiet >= LONG
        if quiet < PAUSE or not enough or self._done == self._total:
            return
        took = now - self._began
        left = took / self._done * (self._total - self._done)
        self._tell(
            f"{self._done:,} of {self._total:,} runs in {lasting(took)}, about"
            f" {lasting(left)} to go: {job.scenario}, seed {job.seed}"
        )
        self._last, self._told = now, self._done


def lasting(seconds: float) -> str:
    """A time for people: `40 s`, `12 min`."""
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


@contextmanager
def progressing(total: int) -> Iterator[Step]:
    """What is called after each of so many runs."""
    screen = console(sys.stderr)
    if not lively(screen):
        yield PipedProgress(total, complain).step
        return
    with bar(screen) as progress:
        task = progress.add_task("", total=total)

        def step(job: BenchJob) -> None:
            said = clip(visible(f"{job.scenario} {job.strategy} {job.window:,}"), 40)
            progress.update(task, advance=1, description=said)

        yield step
