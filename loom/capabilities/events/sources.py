"""Sources beside files and messages: processes that end, timers, a disk that fills.

A child is asked for its end without being reaped (`waitid` with WNOWAIT), so its parent still gets
the status; a `Popen` is polled, which keeps the status in the object. Of another's process only the
fact that it is gone can be seen; where /proc tells when a process started, a process that started
at another time is another process."""

from __future__ import annotations

import math
import os
import shutil
import signal as signals
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Any

from msgspec.structs import replace

from loom.capabilities.events.poller import Signal, make_signal
from loom.errors import BadInput
from loom.text import one_line

NAME_CHARS = 80
PID_MAX = 2**31
UNKNOWN = "has ended; how is not known"
CALM = (UNKNOWN, "ended with exit code 0")

SHORTEST = 0.001  # seconds between two firings

ROOM = 1_000_000_000  # bytes of disk: enough for days of pages, little for any disk
CLEAR = 1.25  # times the least that must be left again before another fall is told


class ProcessWatch:
    """A source of signals for processes that end. The urgency is high for an exit code other than
    0, else normal."""

    name = "processes"

    def __init__(self, proc: Path = Path("/proc")) -> None:
        self._proc = proc
        # By process id: a name, when it started, and the Popen where one was given.
        self._watches: dict[int, tuple[str, str, subprocess.Popen[Any] | None]] = {}

    def watch(self, process: int | subprocess.Popen[Any], name: str = "") -> None:
        """Watch a process, given as a Popen or a process id. `name` is shown in the signal of its
        end.

        The exit code of a process given by id is known only if the process is a child that nobody
        has waited for. Raises BadInput for an invalid id, and for any id on Windows."""
        popen = None if isinstance(process, int) else process
        pid = process if isinstance(process, int) else process.pid
        if not 0 < pid < PID_MAX:
            raise BadInput(f"{process!r} is no process id: give a number above 0, or a Popen")
        if sys.platform == "win32" and popen is None:
            raise BadInput(f"process {pid}: on Windows give the Popen, an id cannot be watched")
        self._watches[pid] = one_line(name, NAME_CHARS), self._process_state(pid)[1], popen

    def look(self) -> list[Signal]:
        """Return a signal for each watched process that ended since the previous call."""
        told = []
        for pid, (name, started, popen) in [*self._watches.items()]:
            if how := self._how_ended(pid, started, popen):
                self._watches.pop(pid, None)
                # What matters first: a line that is cut short loses its end.
                said = f"{name} {how} (process {pid})" if name else f"process {pid} {how}"
                urgency = "normal" if how in CALM else "high"
                told.append(make_signal("process", said, urgency, pid, time.time_ns()))
        return told

    def _how_ended(self, pid: int, begun: str, popen: subprocess.Popen[Any] | None) -> str:
        """Return how a process ended, in words; "" while it runs. `begun` is its start time."""
        if popen is not None:
            code = popen.poll()
            return "" if code is None else _exit_text(code)
        state, started = self._process_state(pid)
        if started != begun and started:
            return UNKNOWN
        with suppress(ChildProcessError):
            if hasattr(os, "waitid"):  # not on macOS below Python 3.13
                end = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
                if end is None:
                    return ""
                return _exit_text(end.si_status if end.si_code == os.CLD_EXITED else -end.si_status)
        with suppress(PermissionError):  # somebody else's
            try:
                os.kill(pid, 0)
            except ProcessLookupError:
                return UNKNOWN
        return UNKNOWN if state in ("Z", "X") else ""  # ended, not yet reaped

    def _process_state(self, pid: int) -> tuple[str, str]:
        """Return two texts from /proc, ("", "") if unreadable: the process's state letter, and its
        start time in clock ticks since boot."""
        fields = _text_or_empty(self._proc / str(pid) / "stat").rpartition(")")[2].split()
        return (fields[0], fields[19]) if len(fields) > 19 else ("", "")


def _exit_text(code: int) -> str:
    """Return in words how a process ended: "ended with exit code 1", "was ended by SIGKILL"."""
    if code >= 0:
        return f"ended with exit code {code}"
    known = -code in set(signals.Signals)
    return f"was ended by {signals.Signals(-code).name if known else f'signal {-code}'}"


class Timers:
    """A source of signals at set times. `clock` returns monotonic seconds. The timer "tea" gives
    signals with ids such as "tea#7"; the numbers count from `first`, and none is used twice.

    If a repeating timer was due several times since the last `look`, it gives only one signal."""

    name = "timers"

    def __init__(self, clock: Callable[[], float] = time.monotonic, first: int = 1) -> None:
        self._clock = clock
        self._lock = Lock()
        # By id: when it is due, its interval in seconds (0: once), and what is told.
        self._timers: dict[str, tuple[float, float, Signal]] = {}
        self._firings = count(first)

    def at(
        self, seconds: float, id: str, summary: str, *, every: float = 0.0, urgency: str = "normal"
    ) -> None:
        """Set the timer `id`, or replace the timer with this id: it gives a signal with `summary`
        in `seconds`, then every `every` seconds (0: once). Raises BadInput for a bad id, text or
        urgency, and for times that are negative, infinite or NaN."""
        if not (0 <= seconds < math.inf and (every == 0 or SHORTEST <= every < math.inf)):
            raise BadInput(
                f"timer {id!r}: {seconds!r} seconds must be 0 or more, and every {every!r} 0 or at"
                f" least {SHORTEST}"
            )
        made = Signal(id, "timer", summary, urgency)
        with self._lock:
            self._timers[id] = self._clock() + seconds, every, made

    def look(self) -> list[Signal]:
        """Return the signals of all timers that are due, earliest first."""
        now = self._clock()
        with self._lock:
            due = sorted((timer[0], id) for id, timer in self._timers.items() if timer[0] <= now)
            return [self._fire(id, now) for _, id in due]

    def _fire(self, id: str, now: float) -> Signal:
        """Return the signal of the due timer `id`. Set it again if it repeats, else remove it."""
        due, every, signal = self._timers.pop(id)
        if every:
            due += (1 + int((now - due) / every)) * every
            # Lost in rounding, it could be due again already: no firing may come twice.
            self._timers[id] = max(due, math.nextafter(now, math.inf)), every, signal
        return replace(signal, id=f"{id}#{next(self._firings)}")


class DiskWatch:
    """A source of a signal when fewer than `least` bytes are free on the disk that holds `folder`.
    A second signal comes only after at least 1.25 times `least` was free in between."""

    name = "disk"

    def __init__(self, folder: Path, least: int = ROOM) -> None:
        self._folder, self._least, self._below = folder, least, False

    def look(self) -> list[Signal]:
        """Return one signal when the free space falls below `least`, else []. Raises OSError."""
        usage = shutil.disk_usage(self._folder)
        was, self._below = self._below, usage.free < self._least * (CLEAR if self._below else 1)
        if was or not self._below:
            return []
        left = f"{usage.free:,} bytes left ({usage.free / max(usage.total, 1):.1%})"
        told = f"the disk of the workspace is filling: {left}"
        return [make_signal(self.name, told, "high", self.name, time.time_ns())]


def _text_or_empty(path: Path) -> str:
    """Return the text of a file; "" if it cannot be read."""
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""
