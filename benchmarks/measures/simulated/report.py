"""How questions were answered, strategy by strategy: shares of verdicts, lies, and the tables."""

from __future__ import annotations

import json as jsons
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from rich.table import Table

from benchmarks.measures.simulated.asked import RAW, AskOutcome
from loom_bench.simulated.kinds import LIES
from loom_bench.simulated.questions import KINDS, RIGHT, VERDICTS
from loom_bench.tables import table

OURS = "loom"
NEEDED = 0.95  # share of right answers of Loom's
SHOWN = 400  # characters of an answer in the details


def line(outcome: AskOutcome) -> str:
    """One session through one strategy, on one line."""
    job, right = outcome.job, sum(one.verdict == RIGHT for one in outcome.asked)
    share = f"{right}/{len(outcome.asked)} {outcome.failed}"
    return f"seed {job.seed} {job.strategy} at {job.capacity:,}: {share}"


def lines(outcomes: Iterable[AskOutcome]) -> Iterable[str]:
    """A JSON line for each question."""
    for outcome in outcomes:
        head = msgspec.to_builtins(outcome.job)
        for one in outcome.asked:
            row = {**head, **msgspec.to_builtins(one), "given": one.given[:SHOWN]}
            yield jsons.dumps(row, ensure_ascii=False) + "\n"


Figures = dict[str, Any]
AskReport = dict[str, dict[str, Figures]]


def figures(outcomes: Sequence[AskOutcome]) -> Figures:
    """Shares of verdicts over all questions, right ones by kind, and the counts of the lies."""
    every = [one for outcome in outcomes for one in outcome.asked]
    verdicts = Counter(one.verdict for one in every)
    kinds = Counter(one.kind for one in every)
    right = Counter(one.kind for one in every if one.verdict == RIGHT)
    lies = Counter(one.lie for one in every if one.lie)
    return {
        "questions": len(every),
        **{name: round(verdicts[name] / max(len(every), 1), 4) for name in VERDICTS},
        "lies": {name: lies[name] for name in LIES},
        "by_kind": {name: round(right[name] / max(kinds[name], 1), 3) for name in KINDS},
        "failed": sum(bool(outcome.failed) for outcome in outcomes),
    }


def report_on(
    outcomes: Sequence[AskOutcome], names: Sequence[str], capacities: Sequence[int]
) -> AskReport:
    """{capacity: {strategy: figures}}."""
    return {
        str(size): {
            name: figures(
                [one for one in outcomes if (one.job.strategy, one.job.capacity) == (name, size)]
            )
            for name in names
        }
        for size in capacities
    }


def short(report: AskReport) -> bool:
    """True when Loom was asked and answers too little, less than another, or tells a lie."""
    for found in report.values():
        if OURS in found:
            ours = found[OURS]
            others = [one[RIGHT] for name, one in found.items() if name not in (OURS, RAW)]
            if ours["failed"] or ours[RIGHT] < NEEDED or any(ours["lies"].values()):
                return True
            if any(other > ours[RIGHT] for other in others):
                return True
    return False


def tables(report: AskReport) -> list[Table]:
    """A table of shares and lies for each capacity, and one of the kinds."""
    made = []
    for capacity, found in report.items():
        count = next(iter(found.values()))["questions"]
        rows = [
            [
                name,
                *(f"{one[verdict]:.3f}" for verdict in VERDICTS),
                *one["lies"].values(),
                one["failed"],
            ]
            for name, one in found.items()
        ]
        heads = ["strategy", *VERDICTS, *LIES, "failed"]
        made.append(table(f"Answers at {int(capacity):,} ({count} questions)", heads, rows))
        kinds = [
            [kind, *(f"{one['by_kind'][kind]:.2f}" for one in found.values())] for kind in KINDS
        ]
        made.append(table(f"Right by kind at {int(capacity):,}", ["kind", *found], kinds))
    return made
