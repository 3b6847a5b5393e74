"""A folder for a command's work, removed however the command ends but by SIGKILL."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

# What a closed terminal, or who stops a service, sends. Without a handler the process ends at once
# and what was replayed stays behind; Windows knows one of the two.
ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
SIGNAL = "a signal ended this process"
SIGNALLED = 128  # a shell's exit code for a process that a signal ended, less its number


def by_signal(error: BaseException) -> bool:
    """True for what a signal has a process leave by, and not for a `sys.exit` of what it runs."""
    return SIGNAL in getattr(error, "__notes__", ())


@contextmanager
def scratch(prefix: str) -> Iterator[Path]:
    """A private folder below the system's for temporary files, removed when it is left."""
    with _unwinding(), TemporaryDirectory(prefix=prefix) as folder:
        yield Path(folder)


@contextmanager
def _unwinding() -> Iterator[None]:
    """Signals that end the process leave by SystemExit. One that is ignored stays so."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in ENDING}
    for number, held in before.items():
        if held is signal.SIG_DFL:
            signal.signal(number, _leave)
    try:
        yield
    finally:
        for number, held in before.items():
            if held is signal.SIG_DFL:
                signal.signal(number, held)


def _leave(number: int, frame: FrameType | None) -> None:
    error = SystemExit(SIGNALLED + number)
    error.add_note(SIGNAL)
    raise error
