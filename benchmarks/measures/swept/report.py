"""The report of a sweep for people: a line for each replay, a table with a column a window."""

from __future__ import annotations

from typing import Any

from rich.table import Table

from benchmarks.measures.swept.tally import Replayed
from loom.replay.audit import BROKEN
from loom_bench.tables import table

MEASURED = ("turns", "prefix_reuse", "renewals", "cuts", "peak", "mean_tokens", "working_share")


def line(one: Replayed) -> str:
    """One replay on one line."""
    found = one.findings
    under = f" under {one.head:g}" if one.head else ""
    said = f"{one.session} at {one.window:,}{under}: {found.turns} turns, peak {found.peak:.2f}"
    if one.refused:
        said += f", refused: {one.refused} is too large"
    if one.failed:
        said += f", FAILED: {one.failed}"
    if found.broken:
        said += f", BROKEN {found.broken}: {'; '.join(found.details[:3])}"
    return said


def sweep_table(report: dict[str, Any]) -> Table:
    """The figures of a sweep, a column for each window."""
    windows = report["windows"]
    rows: list[list[object]] = []
    for name in ("sessions", *MEASURED, *BROKEN, "failed", "refused", "levels"):
        cells = [windows[window][name] for window in windows]
        rows.append([name, *(_cell(cell) for cell in cells)])
    heads = ["window", *windows]
    return table("Sweep", heads, rows)


def _cell(value: object) -> str:
    if isinstance(value, dict):
        return "\n".join(f"{name} {count}" for name, count in value.items()) or "–"
    return f"{value:,}" if isinstance(value, int) else str(value)
