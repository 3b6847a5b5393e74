"""Processes: those the agent waits for, and how they ended.

A child is asked for its end without being reaped (`waitid` with WNOWAIT), so its parent still gets
the status; a `Popen` is polled, which keeps the status in the object. Of another's process only
that it is gone can be seen. A process id is used again sooner or later: where /proc tells when a
process started, one that started at another time is another process.
"""

from __future__ import annotations

import os
import signal as signals
import subprocess
import sys
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Any

from msgspec import Struct

from loom.capabilities.events.signal import BadSignal, Signal, occurred
from loom.text import one_line

NAME_CHARS = 80
PID_MAX = 2**31
UNKNOWN = "has ended; how is not known"
WELL = "ended with exit code 0"
CALM = (UNKNOWN, WELL)


class _Watch(Struct, frozen=True):
    """A process that is waited for; `number` tells two watches of one id apart."""

    number: int
    pid: int
    name: str
    started: str
    popen: subprocess.Popen[Any] | None


class ProcessWatch:
    """Signals for processes that end: normal when all went well or nothing is known, else high."""

    name = "processes"

    def __init__(self, proc: Path = Path("/proc")) -> None:
        self._proc = proc
        self._lock = Lock()
        self._watches: dict[int, _Watch] = {}
        self._numbers = count(1)

    def watch(self, process: int | subprocess.Popen[Any], name: str = "") -> None:
        """Tell when a process, a Popen or a process id, has ended; at once when it already has.

        How a `Popen` ended is always known, how an id ended only for a child nobody has waited
        for yet. Raises BadSignal for what is no process id, and on Windows for any id, which
        cannot be watched there.
        """
        popen = None if isinstance(process, int) else process
        pid = process if isinstance(process, int) else process.pid
        if isinstance(process, bool) or not 0 < pid < PID_MAX:
            raise BadSignal(f"{process!r} is no process id: give a number above 0, or a Popen")
        if sys.platform == "win32" and popen is None:
            raise BadSignal(f"process {pid}: on Windows give the Popen, an id cannot be watched")
        label = one_line(name, NAME_CHARS)
        with self._lock:
            self._watches[pid] = _Watch(
                next(self._numbers), pid, label, started(pid, self._proc), popen
            )

    def look(self) -> list[Signal]:
        """One signal for each process that has ended."""
        with self._lock:
            watches = list(self._watches.values())
        told = []
        for watch in watches:
            how = self._ended(watch)
            if not how:
                continue
            with self._lock:
                if self._watches.get(watch.pid) is watch:
                    del self._watches[watch.pid]
            # What matters first: a line that is cut short loses its end.
            said = f"process {watch.pid}"
            said = f"{watch.name} {how} ({said})" if watch.name else f"{said} {how}"
            marks = (os.getpid(), watch.number, watch.pid, watch.started)
            urgency = "normal" if how in CALM else "high"
            told.append(occurred("process", said, urgency, *marks))
        return told

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    def _ended(self, watch: _Watch) -> str:
        """How a process ended; "" while it has not."""
        if watch.popen is not None:
            code = watch.popen.poll()
            return "" if code is None else _said(code)
        if sys.platform == "win32":
            return UNKNOWN
        if watch.started and started(watch.pid, self._proc) not in ("", watch.started):
            return UNKNOWN
        if not hasattr(os, "waitid"):  # macOS below Python 3.13
            return "" if self._alive(watch.pid) else UNKNOWN
        try:
            end = os.waitid(os.P_PID, watch.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return "" if self._alive(watch.pid) else UNKNOWN
        if end is None:
            return ""
        return _said(end.si_status if end.si_code == os.CLD_EXITED else -end.si_status)

    def _alive(self, pid: int) -> bool:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            return True  # somebody else's
        return _fields(pid, self._proc)[:1] not in (["Z"], ["X"])  # ended, not yet reaped


def started(pid: int, proc: Path = Path("/proc")) -> str:
    """When a process started, in ticks since the machine did; "" where that cannot be known."""
    fields = _fields(pid, proc)
    return fields[19] if len(fields) > 19 else ""


def _fields(pid: int, proc: Path) -> list[str]:
    """The fields of /proc/PID/stat from the state on; see proc(5)."""
    try:
        text = (proc / str(pid) / "stat").read_text("utf-8", "replace")
    except OSError:
        return []
    return text.rpartition(")")[2].split()  # the name before it may hold anything


def _said(code: int) -> str:
    if code >= 0:
        return f"ended with exit code {code}"
    try:
        return f"was ended by {signals.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"
