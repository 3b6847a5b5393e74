"""`python -m benchmarks pressure`: scenarios by windows, a table, one JSON object."""

from __future__ import annotations

import json as jsons
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from rich.table import Table

from benchmarks.options import FromOne, refuse, sizes
from benchmarks.pressure.checks import WHERE, Verdicts
from benchmarks.pressure.run import Place, run
from benchmarks.pressure.scenarios import SCENARIOS
from benchmarks.show import end, on_stderr
from loom.bench.pool import spread
from loom.bench.tables import table

WINDOWS = "8192,16000,32000"
TOLD = 12  # broken promises that are written out for each run
CONSTRAINTS = Path("conpact/side_constraints.json")

Job = tuple[int, Place]  # a seed and where it runs


def pressure(
    *,
    seeds: FromOne = 1,
    first: int = 1,
    windows: str = WINDOWS,
    scenario: str = "",
    data: Path | None = None,
    workers: FromOne = 2,
    json: bool = False,
) -> int:
    """Drive made-up sessions through several windows and look for what must not get lost.

    Parameters
    ----------
    seeds
        How many seeds; words, names, numbers and places all follow from one.
    first
        The first of them.
    windows
        Window sizes in tokens, separated by commas.
    scenario
        Names of scenarios, separated by commas; without any, all.
    data
        A folder with `conpact/side_constraints.json`: its constraints are planted.
    workers
        Processes.
    json
        No table, only the JSON line.
    """
    chosen = [name for name in scenario.split(",") if name] or list(SCENARIOS)
    unknown = [name for name in chosen if name not in SCENARIOS]
    if unknown:
        return refuse(f"--scenario {', '.join(unknown)}: there are {', '.join(SCENARIOS)}")
    if seeds < 1:
        return refuse("--seeds: nothing can run, so nothing was shown")
    try:
        chosen_windows = sizes("--windows", windows)
    except ValueError as error:
        return refuse(error)
    try:
        constraints = given(data) if data is not None else ()
    except (OSError, ValueError, TypeError, KeyError) as error:
        return refuse(f"--data: {data}/{CONSTRAINTS} cannot be read: {error}")
    found = {(name, size): Verdicts() for name in chosen for size in chosen_windows}
    jobs = [(seed, place) for seed in range(first, first + seeds) for place in found]
    for (seed, place), verdicts in spread(partial(_placed, constraints), jobs, workers):
        found[place].add(verdicts)
        tell(seed, place, verdicts)
    report = figures(found)
    end(report, [] if json else [pressure_table(found)])
    return int(bool(report["failed"]))


def given(folder: Path) -> tuple[str, ...]:
    """The side constraints of a data folder, as sentences."""
    rows = jsons.loads((folder / CONSTRAINTS).read_text("utf-8"))
    return tuple(str(row["sc"]) for row in rows)


def tell(seed: int, place: Place, verdicts: Verdicts) -> None:
    """Print what one run broke on stderr."""
    name, size = place
    on_stderr(f"seed {seed}, {name} at {size:,}: {verdicts.failed} broken promises")
    for line in verdicts.broken[:TOLD]:
        on_stderr(f"  {line}")
    if len(verdicts.broken) > TOLD:
        on_stderr(f"  … and {len(verdicts.broken) - TOLD} more")


def _placed(constraints: tuple[str, ...], job: Job) -> tuple[Job, Verdicts]:
    seed, place = job
    return job, run(place, seed, constraints)


def members(verdicts: Verdicts) -> dict[str, Any]:
    """Verdicts as JSON members: what held, of how many."""
    return {
        "rules": [verdicts.rules_kept, verdicts.rules],
        "constraints": [verdicts.constraints_kept, verdicts.constraints],
        "stale": [verdicts.stale, verdicts.topics],
        **verdicts.facts,
        "renewals": verdicts.renewals,
        "cuts": verdicts.cuts,
        "errors": verdicts.errors,
        "failed": verdicts.failed,
    }


def figures(found: Mapping[Place, Verdicts]) -> dict[str, Any]:
    """The JSON object: each scenario over all windows and at each, and what failed in all."""
    report: dict[str, Any] = {}
    for name in dict.fromkeys(name for name, _ in found):
        own = {size: verdicts for (other, size), verdicts in found.items() if other == name}
        every = Verdicts()
        for verdicts in own.values():
            every.add(verdicts)
        windows = {str(size): members(verdicts) for size, verdicts in own.items()}
        report[name] = {**members(every), "windows": windows}
    return {**report, "failed": sum(verdicts.failed for verdicts in found.values())}


def pressure_table(found: Mapping[Place, Verdicts]) -> Table:
    """A row for each scenario and window; facts are resident, a page-in, a recall away, or lost."""
    heads = ["scenario", "window", "rules", "constraints", "stale", "facts", "cuts", "failed"]
    rows = [
        [
            name,
            f"{size:,}",
            f"{one.rules_kept}/{one.rules}",
            f"{one.constraints_kept}/{one.constraints}",
            f"{one.stale}/{one.topics}",
            " ".join(f"{one.facts[where]}" for where in WHERE),
            f"{one.cuts} ({one.renewals})",
            one.failed,
        ]
        for (name, size), one in found.items()
    ]
    title = f"Pressure (facts: {', '.join(WHERE)}; cuts: renewals among them)"
    return table(title, heads, rows)
