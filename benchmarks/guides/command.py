"""`agents_md`: are a project's rules in force at every request, for Loom and for other agents."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rich.table import Table

from benchmarks.guides.life import OURS, GuidedLife, LifeFigures, lived
from benchmarks.guides.project import trees_in
from benchmarks.options import FromOne, Json, Workers, refuse, sizes
from benchmarks.show import Bar, end
from loom.replay.audit import BROKEN
from loom_bench.pool import spread
from loom_bench.tables import table

FAULTS_MOST = 40  # of each kind, in the JSON line
FAULTS_SHOWN = 4  # of each kind
ROUNDED = 4
# Figure → its share of what; None where there was nothing to share in.
SHARES = {
    "fit_in_force": ("fit_in_force", "fit_rules"),
    "all_in_force": ("in_force", "rules"),
    "fit_edits": ("fit_edits_in_force", "fit_edits"),
    "all_edits": ("edits_in_force", "edits"),
    "named": ("named_guides", "cut_guides"),
    "tokens_per_rule": ("guide_tokens", "in_force"),
    "prefix_reuse": ("reused", "sent"),
}
COUNTED = ("requests", "rules", "edits", "stale", "over")
COLUMNS = {
    "fit_in_force": "in force where they fit",
    "all_in_force": "in force, all",
    "named": "missing, with a way back",
    "fit_edits": "edits by next turn",
    "stale": "stale or foreign",
    "tokens_per_rule": "tokens a rule",
    "prefix_reuse": "prefix reused",
    "over": "too large to send",
}
PLAIN = ("stale", "over", "tokens_per_rule")
PROMISED = ("fit_rules_missed", "fit_edits_missed", "stale")  # counts that are to be 0
SEVERE = ("missing", "edit", "stale", "unnamed")  # faults, the worst first


def report_of(lives: Iterable[LifeFigures], wall: float) -> dict[str, Any]:
    """The JSON object of a run."""
    every = list(lives)
    laws = {law: sum(getattr(one.findings, law) for one in every) for law in BROKEN}
    windows = sorted({one.window for one in every})
    faults = _faults(every)
    return {
        "trees": sorted({one.tree for one in every}),
        "lives": len(every),
        **laws,
        "refused": sum(bool(one.refused) for one in every),
        "details": [_detail(one, said) for one in every for said in one.findings.details][:20],
        "windows": {
            str(window): _agents([one.counts for one in every if one.window == window])
            for window in windows
        },
        "faults": [
            one
            for kind in SEVERE
            for one in [each for each in faults if each["kind"] == kind][:FAULTS_MOST]
        ],
        "fault_kinds": {kind: sum(one["kind"] == kind for one in faults) for kind in SEVERE},
        "wall_s": round(wall, 1),
    }


def missed(report: Mapping[str, Any]) -> list[str]:
    """Where Loom breaks a law, or misses what is promised where the guides fit."""
    said = [law for law in BROKEN if report[law]]
    for window, agents in report["windows"].items():
        ours = agents.get(OURS, {})
        said += [f"{ours[name]:,} {name} at {window}" for name in PROMISED if ours.get(name)]
    return said


def tables(report: Mapping[str, Any]) -> list[Table]:
    """A table for each window, an agent a row; and what Loom missed."""
    made = []
    for window, agents in report["windows"].items():
        rows = [
            [name, *(_cell(column, found[column]) for column in COLUMNS)]
            for name, found in agents.items()
        ]
        requests = next(iter(agents.values()))["requests"]
        title = f"Guides in force at {int(window):,} ({requests:,} requests)"
        made.append(table(title, ["agent", *COLUMNS.values()], rows))
    shown = [
        one
        for kind in SEVERE
        for one in [each for each in report["faults"] if each["kind"] == kind][:FAULTS_SHOWN]
    ]
    if shown:
        rows = [
            [one["kind"], one["where"], one["path"], one["lives"], one["case"]] for one in shown
        ]
        heads = ["fault", "first at", "guide", "lives", "case"]
        made.append(
            table(f"Missed by Loom ({sum(report['fault_kinds'].values())} in all)", heads, rows)
        )
    return made


def line(one: LifeFigures) -> str:
    """One life on one line."""
    counts = one.counts.get(OURS, {})
    held, rules = counts.get("in_force", 0), counts.get("rules", 0)
    said = (
        f"{one.tree}, seed {one.seed}, at {one.window:,}: {held:.0f} of {rules:.0f} rules in force"
    )
    if one.refused:
        said += f", refused: {one.refused} is too large"
    if one.findings.broken:
        said += f", BROKEN {one.findings.broken}: {'; '.join(one.findings.details[:3])}"
    return said


def _agents(lives: list[dict[str, dict[str, float]]]) -> dict[str, dict[str, Any]]:
    sums: dict[str, dict[str, float]] = {}
    for one in lives:
        for agent, counts in one.items():
            whole = sums.setdefault(agent, {})
            for name, by in counts.items():
                whole[name] = whole.get(name, 0) + by
    return {agent: _figures(counts) for agent, counts in sums.items()}


def _figures(counts: Mapping[str, float]) -> dict[str, Any]:
    shares = {
        name: round(counts.get(part, 0) / counts[whole], ROUNDED) if counts.get(whole) else None
        for name, (part, whole) in SHARES.items()
    }
    left = {
        f"{whole}_missed": int(counts.get(whole, 0) - counts.get(part, 0))
        for part, whole in (SHARES["fit_in_force"], SHARES["fit_edits"])
    }
    return {**shares, **{name: int(counts.get(name, 0)) for name in COUNTED}, **left}


def _faults(lives: Iterable[LifeFigures]) -> list[dict[str, Any]]:
    """Each fault of a guide once, the worst kinds first: its first case, and in how many lives."""
    found: dict[tuple[str, str, str], dict[str, Any]] = {}
    for life in lives:
        for (kind, path, case), turn in life.faults.items():
            where = f"{life.tree}, seed {life.seed}, {life.window:,}, request {turn}"
            new = {"kind": kind, "path": path, "where": where, "case": case, "lives": set()}
            known = found.setdefault((kind, life.tree, path), new)
            known["lives"].add((life.seed, life.window))
    ordered = sorted(found.values(), key=lambda one: SEVERE.index(one["kind"]))
    return [{**one, "lives": len(one["lives"])} for one in ordered]


def _detail(life: LifeFigures, said: str) -> str:
    return f"{life.tree}, seed {life.seed}, {life.window:,}: {said}"


def _cell(column: str, value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.4g}" if column in PLAIN else f"{value:.1%}"


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
