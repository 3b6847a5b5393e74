"""Disk: the room left where the workspace lies."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

from loom.capabilities.events.signal import Signal, checked_urgency, occurred
from loom.capabilities.events.threshold import CLEAR, Threshold

ROOM = 1_000_000_000  # bytes: enough for days of pages, little for any disk


class DiskWatch:
    """A signal when the room left on the disk of `folder` falls below a mark.

    The mark is `bytes`, or the `share` of the disk (0 to 1), whichever is reached first; 0 turns
    one off. It is told again after the room has grown to `clear` times the mark.
    """

    def __init__(
        self,
        folder: Path,
        *,
        bytes: int = ROOM,
        share: float = 0.0,
        clear: float = CLEAR,
        urgency: str = "high",
        name: str = "disk",
    ) -> None:
        if bytes < 0 or not 0 <= share < 1 or not (bytes or share):
            raise ValueError(
                f"disk marks of {bytes!r} bytes and a share of {share!r}: give bytes above 0,"
                " a share between 0 and 1, or both"
            )
        self.name = name
        self._folder = folder
        self._bytes = bytes
        self._share = share
        self._urgency = checked_urgency(urgency)
        self._mark = Threshold(clear)

    def look(self) -> list[Signal]:
        """One signal when the room has fallen below the mark; raises OSError."""
        usage = shutil.disk_usage(self._folder)
        ratios = []
        if self._bytes:
            ratios.append(usage.free / self._bytes)
        if self._share and usage.total:
            ratios.append(usage.free / usage.total / self._share)
        if not ratios or not self._mark.fell(min(ratios)):
            return []
        left = usage.free / max(usage.total, 1)
        summary = f"the disk of the workspace is filling: {usage.free:,} bytes left ({left:.1%})"
        return [occurred("disk", summary, self._urgency, self.name, self._folder, time.time_ns())]

    def close(self) -> None:
        """Nothing is held."""
