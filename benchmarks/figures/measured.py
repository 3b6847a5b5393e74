"""Run the commands behind the figures, and tell which figures differ from those written down."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from benchmarks.figures.known import FIGURES, RUNS, Figure, command_of

ROOT = Path(__file__).resolve().parents[2]
WRITTEN = ROOT / "docs" / "figures.json"

# A workspace draws its mark by chance, and so may the counts of tokens differ a little.
TOLERANCE = 0.02

Measured = dict[str, dict[str, Any]]  # name → value, shown, about, command


def report_of(run: str) -> dict[str, Any]:
    """The JSON object that a run of `RUNS` ends with. Raises ValueError when it fails."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", *RUNS[run]],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise ValueError(f"{command_of(run)}: exit code {done.returncode}: {done.stderr[-600:]}")
    made: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return made


def figures_of(run: str, report: Mapping[str, Any]) -> Measured:
    """The figures of one run's report, as docs/figures.json holds them."""
    return {
        one.name: {
            "value": (value := _at(report, one)),
            "shown": one.form.format(value).replace("%", " %").replace(".0 %", " %"),
            "about": one.about,
            "command": command_of(run),
        }
        for one in FIGURES
        if one.run == run
    }


def _at(report: Mapping[str, Any], figure: Figure) -> float:
    found: Any = report
    for key in figure.path:
        if key not in found:
            raise ValueError(f"{command_of(figure.run)}: its report has no {figure.path}")
        found = found[key]
    return float(found) if isinstance(found, float) else int(found)


def written() -> Measured:
    """What docs/figures.json holds; nothing where it is not there yet."""
    if not WRITTEN.exists():
        return {}
    made: Measured = json.loads(WRITTEN.read_text("utf-8"))["figures"]
    return made


def write(figures: Measured) -> None:
    """Write docs/figures.json, in the order of `FIGURES`."""
    kept = {one.name: figures[one.name] for one in FIGURES if one.name in figures}
    WRITTEN.write_text(json.dumps({"figures": kept}, indent=1, ensure_ascii=False) + "\n", "utf-8")


def differing(fresh: Measured, kept: Measured, names: Iterable[str]) -> list[str]:
    """The named figures that are not within `TOLERANCE` of what is written down, a line each."""
    found = []
    for name in names:
        was = kept.get(name, {}).get("value")
        now = fresh[name]["value"]
        if was is None or abs(now - was) > TOLERANCE * max(abs(now), abs(was)):
            found.append(f"{name}: {was} is written down, measured is {now}")
    return found
