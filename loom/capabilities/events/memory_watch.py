"""Memory: the share of it that can still be had, before the system ends the agent.

Read from /proc/meminfo, and from the control group when it sets a limit of its own: in a container
the machine's memory says nothing. Elsewhere from `resource`: what the process itself took at its
peak, of all there is, so that without /proc only the agent's own appetite is seen.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from loom.capabilities.events.signal import Signal, checked_urgency, occurred
from loom.capabilities.events.threshold import CLEAR, Threshold


class MemoryWatch:
    """A signal when the available share of memory falls below `below` (0 to 1).

    It is told again after the share has grown to `clear` times the mark. `read` gives the share.
    """

    def __init__(
        self,
        below: float = 0.10,
        *,
        clear: float = CLEAR,
        urgency: str = "high",
        read: Callable[[], float] | None = None,
        name: str = "memory",
    ) -> None:
        if not 0 < below < 1:
            raise ValueError(f"a memory mark of {below!r}: it is a share between 0 and 1")
        self.name = name
        self._below = below
        self._urgency = checked_urgency(urgency)
        self._read = read or available
        self._mark = Threshold(clear)

    def look(self) -> list[Signal]:
        """One signal when the share has fallen below the mark; raises OSError."""
        share = self._read()
        if not self._mark.fell(share / self._below):
            return []
        summary = f"memory is short: {share:.1%} of it can be had (the mark is {self._below:.1%})"
        return [occurred("memory", summary, self._urgency, self.name, self._below, time.time_ns())]

    def close(self) -> None:
        """Nothing is held."""


def available(root: Path = Path("/")) -> float:
    """The share of memory that can be had, 0 to 1; `root` is where proc and sys lie.

    Raises OSError on a system that tells nothing.
    """
    shares = [share for share in (_machine(root), _group(root)) if share is not None]
    if not shares:
        shares = [_own()]
    return max(0.0, min(shares))


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


def _own() -> float:
    if sys.platform == "win32":
        raise OSError("this system tells no memory figures: give Memory a `read` of your own")
    import resource

    unit = 1 if sys.platform == "darwin" else 1_024  # of ru_maxrss
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    return 1 - peak / (os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))


def _table(path: Path) -> dict[str, int]:
    """The figures of a file of `name number …` lines."""
    rows = (line.split() for line in _text(path).splitlines())
    return {row[0]: int(row[1]) for row in rows if len(row) > 1 and row[1].isdigit()}


def _text(path: Path) -> str:
    try:
        return path.read_text("ascii", "replace")
    except OSError:
        return ""
