"""Work spread over processes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from loom.fleet.ahead import AHEAD, ahead
from loom.fleet.processes import Processes

Given = TypeVar("Given")
Made = TypeVar("Made")
Tell = Callable[[str], None]  # takes a line about work that goes on


def quiet(line: str) -> None:
    """Tell nobody."""


def spread(work: Callable[[Given], Made], jobs: Iterable[Given], workers: int) -> Iterator[Made]:
    """The answers to jobs as they come; with one worker in this process, in order.

    Only a few jobs wait at a time, so that many large ones are never in memory together.
    """
    if workers <= 1:
        yield from map(work, jobs)
        return
    with Processes(workers) as pool:
        try:
            for _, future in ahead(pool, work, jobs, workers * AHEAD):
                yield future.result()
        except BaseException:
            pool.stop()
            raise
