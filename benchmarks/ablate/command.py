"""Ablate: what each judge loses without each mechanism of the window, with a bound of noise."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.ablate.judges import JUDGES, AblationCount, AblationJob, counted, sessions_of
from benchmarks.ablate.mechanisms import NAMES
from benchmarks.options import Limit, Names, Outcome, Workers, measuring
from benchmarks.show import Bar
from loom_bench.errors import BadBench
from loom_bench.pool import spread
from loom_bench.tables import table

DEFAULT = "needs@16000,needs@32000,takeover@16000,truth@16000,ask@4096,ask@8192"
RESAMPLES = 1_000
NOISE = (5, 95)  # percentiles of the difference over resampled sessions


@measuring
def ablate(
    *,
    data: Path,
    judge: str = DEFAULT,
    without: Names = None,
    together: bool = False,
    limit: Limit = 0,
    workers: Workers = 2,
) -> Outcome:
    """Compare every judge with and without each mechanism.

    Parameters
    ----------
    data
        A folder that holds recorded sessions with labels (`agent-sessions*`) and `takeover`.
    judge
        Names of judges, each at a capacity in tokens, separated by commas.
    without
        Names of mechanisms; without any, each of the table.
    together
        All of them switched off at once, as one row.
    """
    names = tuple(without or NAMES)
    judges = [_judge(one) for one in judge.split(",")]
    if unknown := [one for one in names if one not in NAMES]:
        raise BadBench(f"--without {unknown[0]!r}: give some of {', '.join(NAMES)}")
    given = {name: list(sessions_of(name, data, limit)) for name, _ in judges}
    rows = ((), names) if together else ((), *((one,) for one in names))
    jobs = [
        AblationJob(row, name, capacity, session)
        for name, capacity in judges
        for row in rows
        for session in given[name]
    ]
    found: list[AblationCount] = []
    with Bar("sessions", len(jobs)) as bar:
        for one in spread(counted, jobs, workers):
            found.append(one)
            without_what = ", ".join(one.without) or "nothing off"
            bar.advance(text=f"{one.judge} at {one.capacity:,}, {without_what}: {one.session}")
    report = [_row(row, judges, found) for row in rows]
    heads = ["without", *(f"{name} {capacity:,}" for name, capacity in judges), "cuts", "CPU"]
    cells = [[one["without"], *map(_cell, one["judges"]), *_costs(one)] for one in report]
    return Outcome({"rows": report}, [table("Ablation, in points", heads, cells)])


def _judge(given: str) -> tuple[str, int]:
    name, _, capacity = given.strip().partition("@")
    if name not in JUDGES or not capacity.isdecimal():
        raise BadBench(f"--judge {given!r}: give {'/'.join(JUDGES)}@TOKENS, as {DEFAULT}")
    return name, int(capacity)


def _row(
    row: tuple[str, ...], judges: Iterable[tuple[str, int]], found: Sequence[AblationCount]
) -> dict[str, Any]:
    """One row: each judge's share, and what it loses against nothing switched off, in points."""
    made = []
    for name, capacity in judges:
        some = [one for one in found if (one.judge, one.capacity) == (name, capacity)]
        off = [one for one in some if one.without == row]
        base = [one for one in some if not one.without]
        least, most = _noise(base, off)
        made.append({
            "judge": f"{name}@{capacity}",
            "share": _share(off),
            "change": _share(off) - _share(base),
            "least": least,
            "most": most,
        })  # fmt: skip
    mine = [one for one in found if one.without == row]
    cuts, seconds = sum(one.cuts for one in mine), sum(one.seconds for one in mine)
    return {"without": " + ".join(row), "judges": made, "cuts": cuts, "seconds": round(seconds, 1)}


def _share(some: Iterable[AblationCount]) -> float:
    given = list(some)
    return round(100 * sum(one.held for one in given) / max(sum(one.asked for one in given), 1), 2)


def _noise(base: Sequence[AblationCount], off: Sequence[AblationCount]) -> tuple[float, float]:
    """The 90 % interval of the change in points, sessions resampled with what both made of them."""
    by = {one.session: one for one in off}
    pairs = [(one, by[one.session]) for one in base if one.session in by]
    if not pairs:
        return 0.0, 0.0
    counts = np.array([[a.held, a.asked, b.held, b.asked] for a, b in pairs], float)
    chosen = np.random.default_rng(1).integers(0, len(pairs), (RESAMPLES, len(pairs)))
    held, asked, held_off, asked_off = np.moveaxis(counts[chosen].sum(axis=1), 1, 0)
    change = 100 * (held_off / np.maximum(asked_off, 1) - held / np.maximum(asked, 1))
    least, most = np.percentile(change, NOISE)
    return round(float(least), 2), round(float(most), 2)


def _cell(one: dict[str, Any]) -> str:
    if not one["change"] and not one["least"] and not one["most"]:
        return f"{one['share']:.1f}"
    return f"{one['change']:+.1f} ({one['least']:+.1f} {one['most']:+.1f})"


def _costs(one: dict[str, Any]) -> tuple[str, str]:
    return f"{one['cuts']:,}", f"{one['seconds']:,.0f} s"
