"""Findings of many replays added up: what a sweep prints, and its one JSON object."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import Struct, field

from loom.replay.audit import BROKEN, Findings

ERRORS_MAX = 50
SUMMED = (*BROKEN, "turns", "sent", "reused", "cuts", "renewals")
ROUNDED = 4


class Replayed(Struct, frozen=True):
    """One session through one window.

    `failed` says what was raised, "" when nothing was; `refused` names the partition the window
    was too small for. `tokens` and `counted` are the sum and the number of recounted requests;
    `working` of the `shown` tokens were C_working's, `head` is the share of the capacity that
    instructions took.
    """

    session: str
    source: str
    window: int
    findings: Findings
    tokens: int = 0
    counted: int = 0
    failed: str = ""
    refused: str = ""
    working: int = 0
    shown: int = 0
    head: float = 0.0

    @property
    def column(self) -> str:
        """The window, and the share of it that instructions took."""
        return f"{self.window}+{self.head:g}" if self.head else str(self.window)


class Tally(Struct):
    """Sums over replays. `refused` counts by partition, `levels` cuts by level."""

    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(SUMMED, 0))
    levels: dict[str, int] = field(default_factory=dict)
    refused: dict[str, int] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    names: set[tuple[str, str]] = field(default_factory=set)
    failed: int = 0
    peak: float = 0.0
    tokens: int = 0
    counted: int = 0
    working: int = 0
    shown: int = 0

    def add(self, one: Replayed) -> None:
        """Take in one replay."""
        found = one.findings
        where = f"{one.session} at {one.column}"
        self.names.add((one.source, one.session))
        for name in SUMMED:
            self.counts[name] += getattr(found, name)
        for level, count in found.levels.items():
            self.levels[level] = self.levels.get(level, 0) + count
        if one.refused:
            self.refused[one.refused] = self.refused.get(one.refused, 0) + 1
        self.failed += bool(one.failed)
        self.peak = max(self.peak, found.peak)
        self.tokens += one.tokens
        self.counted += one.counted
        self.working += one.working
        self.shown += one.shown
        lines = [*found.details, *([one.failed] if one.failed else [])]
        room = ERRORS_MAX - len(self.errors)
        self.errors += [f"{where}: {line}" for line in lines][: max(room, 0)]

    @property
    def broken(self) -> int:
        """Broken laws and failed replays together."""
        return sum(self.counts[name] for name in BROKEN) + self.failed

    def report(self) -> dict[str, Any]:
        """The tally as JSON members. `prefix_reuse` is a share of bytes, 0 to 1."""
        counts = self.counts
        reuse = counts["reused"] / counts["sent"] if counts["sent"] else 1.0
        return {
            "sessions": len(self.names),
            "turns": counts["turns"],
            **{law: counts[law] for law in BROKEN},
            "failed": self.failed,
            "refused": dict(sorted(self.refused.items())),
            "prefix_reuse": round(reuse, ROUNDED),
            "levels": dict(sorted(self.levels.items())),
            "renewals": counts["renewals"],
            "cuts": counts["cuts"],
            "peak": round(self.peak, ROUNDED),
            "mean_tokens": round(self.tokens / self.counted) if self.counted else 0,
            "working_share": round(self.working / self.shown, ROUNDED) if self.shown else 0.0,
        }


def totals(replays: Iterable[Replayed], wall: float) -> dict[str, Any]:
    """The JSON object of a sweep: sums over all windows, then each window by itself."""
    every = Tally()
    windows: dict[tuple[int, float, str], Tally] = {}
    for one in replays:
        every.add(one)
        windows.setdefault((one.window, one.head, one.column), Tally()).add(one)
    return {
        **every.report(),
        "errors": every.errors,
        "wall_s": round(wall, 1),
        "windows": {key[-1]: windows[key].report() for key in sorted(windows)},
    }
