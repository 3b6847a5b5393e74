"""A temporary folder for a command's work, and a progress bar for a terminal. The folder is removed
however the command ends, except by SIGKILL."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

from loom.cli.output import console, is_drawn_on
from loom.text import escape_invisible

# What a closed terminal, or who stops a service, sends. Without a handler the process ends at once
# and what was replayed stays behind; Windows knows one of the two.
ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
SIGNAL = "a signal ended this process"
SIGNALLED = 128  # a shell's exit code for a process that a signal ended, less its number


def is_by_signal(error: BaseException) -> bool:
    """Return True for the SystemExit that `scratch_folder` raises on a signal."""
    return SIGNAL in getattr(error, "__notes__", ())


@contextmanager
def scratch_folder(prefix: str) -> Iterator[Path]:
    """Yield a private temporary folder, which is removed when the block ends. Meanwhile SIGTERM and
    SIGHUP raise SystemExit, unless the process already ignores or handles the signal."""
    main = threading.current_thread() is threading.main_thread()
    held = [number for number in ENDING if main and signal.getsignal(number) is signal.SIG_DFL]
    for number in held:
        signal.signal(number, _exit_on_signal)
    try:
        with TemporaryDirectory(prefix=prefix) as folder:
            yield Path(folder)
    finally:
        for number in held:
            signal.signal(number, signal.SIG_DFL)


def _exit_on_signal(number: int, frame: FrameType | None) -> None:
    error = SystemExit(SIGNALLED + number)
    error.add_note(SIGNAL)
    raise error


Watch = Callable[[str, int, int], None]  # what is at work, how much of it is done, and of how much


@contextmanager
def progress_bar() -> Iterator[Watch]:
    """Yield a function `watch(name, done, total)` that draws a progress bar if stderr is a
    terminal. The bar is removed when the block ends."""
    screen = console(sys.stderr)
    if not is_drawn_on(screen):
        yield lambda name, done, of: None
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
    from rich.table import Column

    text = TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True))
    columns = (BarColumn(bar_width=20), TaskProgressColumn(), text)
    with Progress(*columns, console=screen, transient=True) as drawn:
        task = drawn.add_task("")
        yield lambda name, done, of: drawn.update(
            task, description=escape_invisible(name), completed=done, total=of
        )
