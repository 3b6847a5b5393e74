"""Figures of predicted sizes over many sessions, the targets they are held to, and the table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import Any

import numpy as np
from rich.table import Table

from benchmarks.measures.calibrated.predicted import FIRST, HALVES, Measured
from loom_bench.tables import table

ROUNDED = 4
# Figure → what it has to stay below.
TARGETS = {"median_abs": 0.03, "p95_abs": 0.10, "bound_exceeded": 0.01, "margin_median": 0.08}


def figures(measured: Iterable[Measured]) -> dict[str, Any]:
    """The figures over all calls of some sessions that come after their first samples."""
    given = list(measured)
    calls = [call for one in given for call in one.calls[FIRST:]]
    slopes = [call.slope for one in given for call in one.calls if call.slope > 0]
    errors = [abs(call.estimate / call.truth - 1) for call in calls]
    shares = {
        "median_abs": _quantile(errors, 0.5),
        "p95_abs": _quantile(errors, 0.95),
        "bound_exceeded": sum(call.truth > call.bound for call in calls) / max(len(calls), 1),
        "uncalibrated_median": _quantile([abs(call.prior / call.truth - 1) for call in calls], 0.5),
        "margin_median": _quantile([call.bound / call.truth - 1 for call in calls], 0.5),
        "margin_mean": fmean([call.bound / call.truth - 1 for call in calls] or [0.0]),
        "ratio_median": _quantile(slopes, 0.5),
        "ratio_p90": _quantile(slopes, 0.9),
    }
    rounded = {name: round(share, ROUNDED) for name, share in shares.items()}
    return {"sessions": len(given), "calls": len(calls), **rounded}


def _quantile(values: Sequence[float], share: float) -> float:
    return float(np.quantile(values, share)) if values else 0.0


def missed(report: dict[str, Any]) -> list[str]:
    """The names of the figures that missed their targets."""
    return [name for name, target in TARGETS.items() if report[name] >= target]


# Figure → its column.
COLUMNS = {
    "sessions": "sessions",
    "calls": "calls",
    "median_abs": "median",
    "p95_abs": "p95",
    "bound_exceeded": "exceeded",
    "margin_median": "margin",
    "margin_mean": "mean",
    "uncalibrated_median": "prior",
    "ratio_median": "ratio",
    "ratio_p90": "p90",
}


def calibration_table(measured: Sequence[Measured]) -> Table:
    """The figures of each folder's halves, and of all."""
    groups: dict[str, list[Measured]] = {}
    for one in sorted(measured, key=lambda one: (one.group, HALVES.index(one.half))):
        groups.setdefault(f"{one.group}, {one.half}", []).append(one)
    groups["all"] = list(measured)
    rows = []
    for name, members in groups.items():
        report = figures(members)
        rows.append([name, *(report[figure] for figure in COLUMNS)])
    return table("Calibration", ["", *COLUMNS.values()], rows)


def line(one: Measured) -> str:
    """The calls of one session on one line."""
    own = figures([one])
    return f"{own['calls']} calls, off by {own['median_abs']}, exceeded {own['bound_exceeded']}"
