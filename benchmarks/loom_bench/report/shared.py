"""The sessions of a report over which strategies are ranked: those that all of them ran through.

A run that was ended early has strategies that got further than others. Their figures would be of
other sessions, so only what all have is looked at.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from loom_bench.report.figures import grouped
from loom_bench.report.rows import BenchReport, BenchRow

Session = tuple[str, int]  # scenario, seed


class SharedSessions(Struct, frozen=True):
    """The rows of one window that are compared, how many sessions they are of, and of how many the
    plan is."""

    rows: tuple[BenchRow, ...]
    sessions: int
    planned: int

    @property
    def partial(self) -> bool:
        """True where sessions of the plan are missing."""
        return self.sessions < self.planned

    @property
    def said(self) -> str:
        """How much of the plan it is, where it is not all; else ""."""
        said = f"partial: {self.sessions:,} of {self.planned:,} sessions"
        return said if self.partial else ""


def shared_by_window(report: BenchReport) -> dict[int, SharedSessions]:
    """Window → what is compared there."""
    planned = len(report.plan.scenarios) * len(report.plan.seeds)
    return {
        window: _shared(rows, planned)
        for window, rows in grouped(report.rows, lambda row: row.job.window).items()
    }


def _shared(rows: Sequence[BenchRow], planned: int) -> SharedSessions:
    """The sessions that all strategies have which the fullest session has."""
    ran: dict[Session, set[str]] = {}
    for row in rows:
        ran.setdefault(_session(row), set()).add(row.job.strategy)
    wanted = max(ran.values(), key=len)
    whole = {session for session, names in ran.items() if wanted <= names}
    kept = [row for row in rows if _session(row) in whole and row.job.strategy in wanted]
    return SharedSessions(tuple(kept), len(whole), planned)


def _session(row: BenchRow) -> Session:
    return row.job.scenario, row.job.seed
