"""What an object store says while it is waited for, told on stderr: the tries that failed."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from loom.cli.show import complain

LOGGER = "loom.store"  # of the object stores, at level INFO
EVERY = 5.0  # seconds between two lines, at least


class WaitLines(logging.Handler):
    """Complains of what is logged, at most once every so many seconds of a clock."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(logging.INFO)
        self._clock = clock
        self._next = clock()

    def emit(self, record: logging.LogRecord) -> None:
        """Tell one record, or leave it out. Nothing is raised where stderr has gone."""
        if (now := self._clock()) < self._next:
            return
        self._next = now + EVERY
        try:
            complain(record.getMessage())
        except OSError:
            self.handleError(record)


@contextmanager
def told_waits() -> Iterator[None]:
    """Tell of the tries that fail while the block runs."""
    logger, lines = logging.getLogger(LOGGER), WaitLines()
    before = logger.level
    logger.addHandler(lines)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(lines)
        logger.setLevel(before)
