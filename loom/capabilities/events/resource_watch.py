"""Sources that tell when a resource runs short: the disk of the workspace, and memory.

Each tells a fall below its threshold once, and again after it has grown to CLEAR times that.
Memory is read from /proc/meminfo, and from the control group when it sets a limit of its own: in a
container the machine's memory says nothing. A system without /proc tells nothing, and is taken to
have all of its memory.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path

from loom.capabilities.events.signal import Signal, occurred

ROOM = 1_000_000_000  # bytes: enough for days of pages, little for any disk
SHARE = 0.10  # of memory
CLEAR = 1.25  # times the threshold a quantity must reach again before another fall is told


class Threshold:
    """A threshold with hysteresis. A quantity that wavers around it is told once."""

    def __init__(self) -> None:
        self._below = False

    def fell(self, ratio: float) -> bool:
        """True when `ratio` (quantity ÷ threshold) has just fallen below 1 after being clear."""
        was, self._below = self._below, ratio < (CLEAR if self._below else 1)
        return self._below and not was


class DiskWatch:
    """A signal when fewer than `least` bytes are left on the disk of `folder`."""

    name = "disk"

    def __init__(self, folder: Path, least: int = ROOM) -> None:
        self._folder, self._least = folder, least
        self._threshold = Threshold()

    def look(self) -> list[Signal]:
        """One signal when the room has fallen below the threshold; raises OSError."""
        usage = shutil.disk_usage(self._folder)
        if not self._threshold.fell(usage.free / self._least):
            return []
        left = usage.free / max(usage.total, 1)
        summary = f"the disk of the workspace is filling: {usage.free:,} bytes left ({left:.1%})"
        return [occurred("disk", summary, "high", self.name, self._folder, time.time_ns())]

    def close(self) -> None:
        """Nothing is held."""


class MemoryWatch:
    """A signal when the share of memory that can be had, which `read` gives, is below SHARE."""

    name = "memory"

    def __init__(self, read: Callable[[], float] | None = None) -> None:
        self._read = read or available
        self._threshold = Threshold()

    def look(self) -> list[Signal]:
        """One signal when the share has fallen below the threshold; raises OSError."""
        share = self._read()
        if not self._threshold.fell(share / SHARE):
            return []
        summary = f"memory is short: {share:.1%} of it can be had (the mark is {SHARE:.1%})"
        return [occurred("memory", summary, "high", self.name, SHARE, time.time_ns())]

    def close(self) -> None:
        """Nothing is held."""


def available(root: Path = Path("/")) -> float:
    """The share of memory that can be had, 0 to 1; `root` is where proc and sys lie."""
    shares = [share for share in (_machine(root), _group(root)) if share is not None]
    return max(0.0, min(shares, default=1.0))


def _machine(root: Path) -> float | None:
    figures = _table(root / "proc" / "meminfo")
    total, free = figures.get("MemTotal:", 0), figures.get("MemAvailable:")
    return free / total if total and free is not None else None


def _group(root: Path) -> float | None:
    """The share of the control group (version 2); None when it has no limit."""
    found = _text(root / "proc" / "self" / "cgroup").splitlines()
    place = next((line[len("0::/") :] for line in found if line.startswith("0::/")), "")
    mount = root / "sys" / "fs" / "cgroup"
    for folder in (mount / place, mount):  # in a container the place may be one outside of it
        most, used = _text(folder / "memory.max").strip(), _text(folder / "memory.current").strip()
        if most.isdigit() and used.isdigit() and int(most):  # "max" is no limit
            cache = _table(folder / "memory.stat").get("inactive_file", 0)  # given back on demand
            return (int(most) - int(used) + cache) / int(most)
    return None


def _table(path: Path) -> dict[str, int]:
    """The figures of a file of `name number …` lines."""
    rows = (line.split() for line in _text(path).splitlines())
    return {row[0]: int(row[1]) for row in rows if len(row) > 1 and row[1].isdigit()}


def _text(path: Path) -> str:
    try:
        return path.read_text("ascii", "replace")
    except OSError:
        return ""
