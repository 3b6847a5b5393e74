"""Sources beside files and messages: processes that end, times that come, resources that run short.

A child is asked for its end without being reaped (`waitid` with WNOWAIT), so its parent still gets
the status; a `Popen` is polled, which keeps the status in the object. Of another's process only
that it is gone can be seen; where /proc tells when a process started, one that started at another
time is another process.

Memory is read from /proc/meminfo, and from the control group when it sets a limit of its own: in a
container the machine's memory says nothing. A system without /proc tells nothing, and is taken to
have all of its memory.
"""

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

from loom.capabilities.events.poller import Signal, occurred
from loom.errors import BadInput
from loom.text import one_line

NAME_CHARS = 80
PID_MAX = 2**31
UNKNOWN = "has ended; how is not known"
CALM = (UNKNOWN, "ended with exit code 0")

SHORTEST = 0.001  # seconds between two firings

ROOM = 1_000_000_000  # bytes of disk: enough for days of pages, little for any disk
SHARE = 0.10  # of memory
CLEAR = 1.25  # times the threshold a quantity must reach again before another fall is told


class ProcessWatch:
    """Signals for processes that end: normal when all went well or nothing is known, else high."""

    name = "processes"

    def __init__(self, proc: Path = Path("/proc")) -> None:
        self._proc = proc
        # By process id: a name, when it started, and the Popen where one was given.
        self._watches: dict[int, tuple[str, str, subprocess.Popen[Any] | None]] = {}

    def watch(self, process: int | subprocess.Popen[Any], name: str = "") -> None:
        """Tell when a process, a Popen or a process id, has ended; at once when it already has.

        How a `Popen` ended is always known, how an id ended only for a child nobody has waited
        for yet. Raises BadInput for what is no process id, and on Windows for any id, which
        cannot be watched there.
        """
        popen = None if isinstance(process, int) else process
        pid = process if isinstance(process, int) else process.pid
        if not 0 < pid < PID_MAX:
            raise BadInput(f"{process!r} is no process id: give a number above 0, or a Popen")
        if sys.platform == "win32" and popen is None:
            raise BadInput(f"process {pid}: on Windows give the Popen, an id cannot be watched")
        self._watches[pid] = one_line(name, NAME_CHARS), self._state(pid)[1], popen

    def look(self) -> list[Signal]:
        """One signal for each process that has ended."""
        told = []
        for pid, (name, started, popen) in [*self._watches.items()]:
            if how := self._ended(pid, started, popen):
                self._watches.pop(pid, None)
                # What matters first: a line that is cut short loses its end.
                said = f"{name} {how} (process {pid})" if name else f"process {pid} {how}"
                urgency = "normal" if how in CALM else "high"
                told.append(occurred("process", said, urgency, pid, time.time_ns()))
        return told

    def _ended(self, pid: int, begun: str, popen: subprocess.Popen[Any] | None) -> str:
        """How a process ended; "" while it has not."""
        if popen is not None:
            code = popen.poll()
            return "" if code is None else _said(code)
        state, started = self._state(pid)
        if started != begun and started:
            return UNKNOWN
        with suppress(ChildProcessError):
            if hasattr(os, "waitid"):  # not on macOS below Python 3.13
                end = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
                if end is None:
                    return ""
                return _said(end.si_status if end.si_code == os.CLD_EXITED else -end.si_status)
        with suppress(PermissionError):  # somebody else's
            try:
                os.kill(pid, 0)
            except ProcessLookupError:
                return UNKNOWN
        return UNKNOWN if state in ("Z", "X") else ""  # ended, not yet reaped

    def _state(self, pid: int) -> tuple[str, str]:
        """(state, when it started in ticks since the machine did); "" where /proc does not tell."""
        fields = _text(self._proc / str(pid) / "stat").rpartition(")")[2].split()
        return (fields[0], fields[19]) if len(fields) > 19 else ("", "")


def _said(code: int) -> str:
    if code >= 0:
        return f"ended with exit code {code}"
    known = -code in set(signals.Signals)
    return f"was ended by {signals.Signals(-code).name if known else f'signal {-code}'}"


class Timers:
    """Signals at times of `clock` (seconds, monotonic). Every firing is `id#n`, a new number each.

    A beat that comes late tells a repeating timer once.
    """

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
        """Tell `summary` in `seconds`, and then, when `every` is not 0, each `every` seconds.

        A timer of the same id is replaced. Raises BadInput for a bad id, text or urgency, and for
        times that are negative, endless or no numbers.
        """
        if not (0 <= seconds < math.inf and (every == 0 or SHORTEST <= every < math.inf)):
            raise BadInput(
                f"timer {id!r}: {seconds!r} seconds must be 0 or more, and every {every!r} 0 or at"
                f" least {SHORTEST}"
            )
        made = Signal(id, "timer", summary, urgency)
        with self._lock:
            self._timers[id] = self._clock() + seconds, every, made

    def look(self) -> list[Signal]:
        """Return the timers that are due, in the order they were due."""
        now = self._clock()
        with self._lock:
            due = sorted((timer[0], id) for id, timer in self._timers.items() if timer[0] <= now)
            return [self._fired(id, now) for _, id in due]

    def _fired(self, id: str, now: float) -> Signal:
        due, every, signal = self._timers.pop(id)
        if every:
            due += (1 + int((now - due) / every)) * every
            # Lost in rounding, it could be due again already: no firing may come twice.
            self._timers[id] = max(due, math.nextafter(now, math.inf)), every, signal
        return replace(signal, id=f"{id}#{next(self._firings)}")


class Shortage:
    """A signal when a quantity falls below its threshold, and again after it has recovered.

    `measure` gives the quantity ÷ the threshold, and how it is told; one that wavers is told once.
    """

    def __init__(self, name: str, measure: Callable[[], tuple[float, str]]) -> None:
        self.name = name
        self._measure = measure
        self._below = False

    def look(self) -> list[Signal]:
        """One signal when it has just fallen; raises OSError."""
        ratio, told = self._measure()
        was, self._below = self._below, ratio < (CLEAR if self._below else 1)
        fell = self._below and not was
        return [occurred(self.name, told, "high", self.name, time.time_ns())] if fell else []


def disk(folder: Path, least: int = ROOM) -> tuple[float, str]:
    """The bytes left on the disk of a folder ÷ `least`, and how it is told; raises OSError."""
    usage = shutil.disk_usage(folder)
    left = f"{usage.free:,} bytes left ({usage.free / max(usage.total, 1):.1%})"
    return usage.free / least, f"the disk of the workspace is filling: {left}"


def memory(root: Path = Path("/")) -> tuple[float, str]:
    """The share of memory that can be had ÷ SHARE, and how it is told.

    `root` is where proc and sys lie.
    """
    figures = _table(root / "proc" / "meminfo")
    total, free = figures.get("MemTotal:", 0), figures.get("MemAvailable:")
    shares = [1.0, free / total] if total and free is not None else [1.0]
    groups = _text(root / "proc" / "self" / "cgroup").splitlines()  # of version 2 alone
    place = next((line[len("0::/") :] for line in groups if line.startswith("0::/")), "")
    mount = root / "sys" / "fs" / "cgroup"
    for folder in (mount / place, mount):  # in a container the place may be one outside of it
        most, used = _text(folder / "memory.max").strip(), _text(folder / "memory.current").strip()
        if most.isdigit() and used.isdigit() and int(most):  # "max" is no limit
            cache = _table(folder / "memory.stat").get("inactive_file", 0)  # given back on demand
            shares.append((int(most) - int(used) + cache) / int(most))
            break
    share = max(0.0, min(shares))
    told = f"memory is short: {share:.1%} of it can be had (the mark is {SHARE:.1%})"
    return share / SHARE, told


def _table(path: Path) -> dict[str, int]:
    """The figures of a file of `name number …` lines."""
    rows = (line.split() for line in _text(path).splitlines())
    return {row[0]: int(row[1]) for row in rows if len(row) > 1 and row[1].isdigit()}


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""
