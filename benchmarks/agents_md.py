"""`agents_md`: are a project's rules in force at every request, for Loom and for other agents."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

from benchmarks.measures.guides.guide_report import line, missed, report_of, tables
from benchmarks.measures.guides.guided_life import GuidedLife, LifeFigures, lived
from benchmarks.measures.guides.project_tree import trees_in
from benchmarks.options import FromOne, Json, Workers, refuse, sizes
from benchmarks.show import Bar, end
from loom_bench.pool import spread

WINDOWS = "8192,16000,32000,128000"


def agents_md(
    *,
    trees: Path | None = None,
    seeds: FromOne = 3,
    steps: FromOne = 30,
    windows: str = WINDOWS,
    workers: Workers = 2,
    json: Json = False,
) -> int:
    """Live in projects with AGENTS.md files, and check at every request which rules are in force.

    Exit code 1: Loom broke a law, missed a rule or an edit where the guides fit, or showed a rule
    that does not apply.

    Parameters
    ----------
    trees
        A folder of projects, or one project; without it they are made from the seeds.
    seeds
        How many lives in each project; without projects, how many are made.
    steps
        Calls of a life.
    windows
        Window sizes in tokens, separated by commas.
    """
    if shutil.which("git") is None:
        return refuse("agents_md: there is no git, which is asked what a project ignores")
    try:
        sources = trees_in(trees.resolve()) if trees is not None else [None]
        given = sizes("--windows", windows)
    except ValueError as error:
        return refuse(error)
    jobs = [
        GuidedLife(source, seed, window, steps)
        for source in sources
        for seed in range(seeds)
        for window in given
    ]
    began = time.monotonic()
    found: list[LifeFigures] = []
    with Bar("living", len(jobs)) as bar:
        for one in spread(lived, jobs, workers):
            bar.advance(1, line(one), loud=bool(one.findings.broken))
            found.append(one)
    found.sort(key=lambda one: (one.tree, one.seed, one.window))
    report = report_of(found, time.monotonic() - began)
    said = missed(report)
    end(report, [] if json else tables(report), f"missed: {', '.join(said)}" if said else "")
    return int(bool(said))
