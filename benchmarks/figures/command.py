"""`python -m benchmarks figures`: measure what the documentation states, and write it there."""

from __future__ import annotations

from benchmarks.figures.known import FIGURES, RUNS
from benchmarks.figures.marked import fill
from benchmarks.figures.measured import Measured, differing, figures_of, report_of, write, written
from benchmarks.options import Json, refuse
from benchmarks.show import Bar, end
from loom_bench.tables import table


def figures(*runs: str, check: bool = False, json: Json = False) -> int:
    """Measure the figures that README.md and docs/ state, and write them into the pages.

    Exit code 1 when `--check` finds one that differs by more than 2 %.

    Parameters
    ----------
    runs
        Those to measure: sweep, ask, seeds, tools; all without any.
    check
        Compare with docs/figures.json and write nothing.
    """
    if unknown := sorted({*runs} - {*RUNS}):
        return refuse(f"{unknown[0]!r} is no run: give some of {', '.join(RUNS)}")
    fresh: Measured = {}
    try:
        with Bar("measuring", len(runs or RUNS)) as bar:
            for run in runs or RUNS:
                fresh |= figures_of(run, report_of(run))
                bar.advance(1, run)
        kept = written()
        off = differing(fresh, kept, fresh)
        changed: list[str] = []
        if not check:
            write(kept | fresh)
            changed = fill(kept | fresh)
    except ValueError as error:
        return refuse(error)
    shown = [(one.about, fresh[one.name]["shown"]) for one in FIGURES if one.name in fresh]
    made = table("Figures of the documentation", ["what", "measured"], shown)
    end({"figures": len(fresh), "differ": off, "changed": changed}, [] if json else [made])
    return int(check and bool(off))
