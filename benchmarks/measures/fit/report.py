"""The report of a fit: tables and the JSON line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from loom_bench.fit.constants import FIXED, values, written
from loom_bench.fit.objective import PRICE, Row, added, mean_request, objective, share
from loom_bench.fit.search import Fit
from loom_bench.tables import table

ROUNDED = 4
HALVES = ("even", "odd")


def figures(rows: Sequence[Row], capacities: Sequence[int]) -> dict[str, Any]:
    """The objective, and by capacity the share resident, the tokens of a request and the cuts."""
    found: dict[str, Any] = {"objective": round(objective(rows, capacities), ROUNDED)}
    for capacity, sums in zip(capacities, added(rows), strict=True):
        found[str(capacity)] = {
            "needs": sums.needs,
            "resident": round(share(sums), ROUNDED),
            "mean_request": round(mean_request(sums)),
            "cuts": sums.cuts,
            "failed": sums.failed,
        }
    return found


def report_on(
    fit: Fit,
    marks: Mapping[str, Sequence[Row]],
    chosen: Sequence[Row],
    capacities: Sequence[int],
    wrote: bool,
) -> dict[str, Any]:
    """All figures of a fit; `marks` are the rows under each water mark.

    `chosen` are the rows of the constants that would be written, on the sessions that chose them.
    """
    even = (len(fit.paths) + 1) // 2
    parts = ((fit.before[:even], fit.tested[:even]), (fit.before[even:], fit.tested[even:]))
    tests = {
        f"tested on {half}": {
            "in force": figures(before, capacities),
            "fitted on the other": figures(after, capacities),
        }
        for half, (before, after) in zip(HALVES, parts, strict=True)
    }
    return {
        "sessions": len(fit.paths),
        "price": PRICE,
        "low_water": fit.start.policy.low_water,
        "water_marks": {name: figures(rows, capacities) for name, rows in marks.items()},
        "tests": {
            **tests,
            "pooled": {
                "in force": figures(fit.before, capacities),
                "fitted on the other": figures(fit.tested, capacities),
            },
            "untested": {"chosen": figures(chosen, capacities)},
        },
        "gain": round(fit.gain.mean, ROUNDED),
        "interval": [round(fit.gain.low, ROUNDED), round(fit.gain.high, ROUNDED)],
        "accepted": fit.accepted,
        "written": wrote,
        "constants": {
            "in force": values(fit.start.fitted),
            **{h: values(trial.fitted) for h, trial in zip(HALVES, fit.fitted, strict=True)},
            "chosen": values(fit.chosen.fitted),
        },
    }


def tables(report: Mapping[str, Any], capacities: Sequence[int]) -> list[Table]:
    """The water marks, the tests, the constants."""
    heads = [head for size in capacities for head in (f"{size:,}", "request", "cuts")]
    marks = [[name, *_cells(found)] for name, found in report["water_marks"].items()]
    tests = [
        [f"{where}, {whose}", *_cells(found)]
        for where, both in report["tests"].items()
        for whose, found in both.items()
    ]
    columns = report["constants"]
    named = [
        [f"{name} (not fitted)" if name in FIXED else name, *(c[name] for c in columns.values())]
        for name in columns["in force"]
    ]
    title = f"Cross-validation at low_water {report['low_water']}"
    return [
        table("Water marks", ["low_water", *heads, "objective"], marks),
        table(title, ["", *heads, "objective"], tests),
        table("Constants", ["", *columns], named),
    ]


def _cells(found: Mapping[str, Any]) -> list[object]:
    sizes = [found[name] for name in found if name != "objective"]
    cells = [
        cell
        for size in sizes
        for cell in (f"{size['resident']:.3f}", f"{size['mean_request']:,}", size["cuts"])
    ]
    return [*cells, f"{found['objective']:.4f}"]


def verdict(fit: Fit, wrote: bool) -> str:
    """Return the conclusion of the test as a sentence."""
    gain = fit.gain
    said = f"gain {gain.mean:+.4f} (90 % by session: {gain.low:+.4f} to {gain.high:+.4f})"
    if not fit.accepted:
        return f"{said}: no more than noise, the constants in force stay"
    return f"{said}: the new constants " + ("are written" if wrote else "are better; --write them")


def kept(found: Fit, file: Path) -> bool:
    """Write what was chosen when the test accepts it; returns whether it did."""
    if found.accepted:
        file.write_bytes(written(found.chosen.fitted))
    return found.accepted
