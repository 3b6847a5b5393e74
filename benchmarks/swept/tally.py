"""Findings of many replays added up: what a sweep prints, and its one JSON object."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct

from loom.replay.audit import BROKEN, Findings

ERRORS_MAX = 50
ROUNDED = 4


class Replayed(Struct, frozen=True):
    """One session through one window.

    `failed` says what was raised, "" when nothing was; `refused` names the partition the window
    was too small for. `tokens` and `counted` are the sum and the number of recounted requests;
    `head` is the share of the capacity that instructions took.
    """

    session: str
    source: str
    window: int
    findings: Findings
    tokens: int = 0
    counted: int = 0
    failed: str = ""
    refused: str = ""
    head: float = 0.0

    @property
    def column(self) -> str:
        """The window, and the share of it that instructions took."""
        return f"{self.window}+{self.head:g}" if self.head else str(self.window)


def added(replays: Sequence[Replayed]) -> dict[str, Any]:
    """Some replays as JSON members. `prefix_reuse` is a share of bytes, 0 to 1."""
    found = [one.findings for one in replays]
    levels: Counter[str] = Counter()
    for one in found:
        levels.update(one.levels)

    def of(name: str) -> int:
        return sum(getattr(one, name) for one in found)

    sent, counted = of("sent"), sum(one.counted for one in replays)
    return {
        "sessions": len({(one.source, one.session) for one in replays}),
        "turns": of("turns"),
        **{law: of(law) for law in BROKEN},
        "failed": sum(bool(one.failed) for one in replays),
        "refused": dict(sorted(Counter(one.refused for one in replays if one.refused).items())),
        "prefix_reuse": round(of("reused") / sent, ROUNDED) if sent else 1.0,
        "levels": dict(sorted(levels.items())),
        "renewals": of("renewals"),
        "cuts": of("cuts"),
        "peak": round(max((one.peak for one in found), default=0.0), ROUNDED),
        "mean_tokens": round(sum(one.tokens for one in replays) / counted) if counted else 0,
    }


def totals(replays: Iterable[Replayed], wall: float) -> dict[str, Any]:
    """The JSON object of a sweep: sums over all windows, then each window by itself."""
    given = list(replays)
    windows: dict[tuple[int, float, str], list[Replayed]] = {}
    for one in given:
        windows.setdefault((one.window, one.head, one.column), []).append(one)
    errors = [
        f"{one.session} at {one.column}: {line}"
        for one in given
        for line in (*one.findings.details, *([one.failed] if one.failed else ()))
    ]
    return {
        **added(given),
        "errors": errors[:ERRORS_MAX],
        "wall_s": round(wall, 1),
        "windows": {key[-1]: added(windows[key]) for key in sorted(windows)},
    }
