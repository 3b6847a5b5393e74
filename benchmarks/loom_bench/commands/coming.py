"""Work that takes long: told as it goes, and kept where an interrupt or a signal ends it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator
from contextlib import closing
from typing import TypeVar

from loom.cli.exits import INTERRUPTED
from loom.cli.output import clip, complain, console, is_drawn_on
from loom.cli.scratch import progress_bar

PAUSE = 20.0  # seconds between two lines where stderr is no terminal

Made = TypeVar("Made")


def taken(
    coming: Generator[Made, None, None], total: int, named: Callable[[Made], str]
) -> tuple[list[Made], BaseException | None]:
    """What comes of so many runs, and what ended it before its end: an interrupt, a signal."""
    came: list[Made] = []
    tell = _piped_progress(total)
    try:
        with progress_bar() as watch, closing(coming):
            for one in coming:
                came.append(one)
                watch(clip(named(one), 40), len(came), total)
                tell(len(came), named(one))
    except (KeyboardInterrupt, SystemExit) as error:
        return came, error
    return came, None


def ended(stopped: BaseException, done: int, total: int) -> int:
    """Say how far it came; returns the exit code."""
    complain(f"interrupted after {done:,} of {total:,} runs")
    code = stopped.code if isinstance(stopped, SystemExit) else INTERRUPTED
    return code if isinstance(code, int) and code else INTERRUPTED


def _piped_progress(total: int) -> Callable[[int, str], None]:
    """Tells runs done, of how many, and what is left if runs take as long as those before; nothing
    on a terminal, which has a bar."""
    began = last = time.monotonic()
    silent = is_drawn_on(console(sys.stderr))

    def tell(done: int, name: str) -> None:
        nonlocal last
        now = time.monotonic()
        if silent or now - last < PAUSE or done == total:
            return
        last, took = now, now - began
        left = took / done * (total - done)
        complain(f"{done:,} of {total:,} runs in {took:.0f} s, {left:.0f} s to go: {name}")

    return tell
