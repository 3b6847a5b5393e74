"""The figures of many replays, as tables and as one JSON object."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rich.table import Table

from loom_bench.recorded.labels import KINDS, SCORED
from loom_bench.recorded.run import Met, ReplayOutcome
from loom_bench.recorded.verdicts import FIRST, MISSES, NEXT, PAGE_IN, RESIDENT, VERDICTS
from loom_bench.tables import table

ROUNDED = 4
Report = dict[str, dict[str, dict[str, Any]]]


def figures(outcomes: Sequence[ReplayOutcome]) -> dict[str, Any]:
    """The figures of some replays by one strategy at one capacity.

    The verdicts are shares of the needs of SCORED kinds; `by_kind` has each kind's resident share.
    """
    met = [one for outcome in outcomes for one in outcome.met]
    scored = [one for one in met if one.kind in SCORED]
    calls, tokens = added(outcomes, "calls"), added(outcomes, "tokens")
    kinds = {kind: [one for one in met if one.kind == kind] for kind in KINDS}
    return {
        **{
            verdict: share(sum(one.verdict == verdict for one in scored), len(scored))
            for verdict in VERDICTS
        },
        **by_name(scored),
        "needs": len(scored),
        "tokens_sent": round(tokens / max(calls, 1)),
        "calls": calls,
        "cuts": added(outcomes, "cuts"),
        "reuse": share(added(outcomes, "reused"), tokens),
        "overflow": added(outcomes, "overflow"),
        "rescued": sum(outcome.rescued for outcome in outcomes),
        "peak": max((outcome.sums.peak for outcome in outcomes), default=0),
        "failed": sum(bool(outcome.failed) for outcome in outcomes),
        "by_kind": {
            kind: {
                "needs": len(of),
                **{
                    verdict: share(sum(one.verdict == verdict for one in of), len(of))
                    for verdict in VERDICTS
                },
            }
            for kind, of in kinds.items()
        },
    }


def by_name(scored: Sequence[Met]) -> dict[str, Any]:
    """Shares of the needs that the answer to the newest fitting name meets, at once or continued.

    `misses` counts why it does not meet the others that are not resident.
    """
    found = Counter(one.asked for one in scored)
    return {
        "page_in_real": share(found[FIRST], len(scored)),
        "page_in_next": share(found[NEXT], len(scored)),
        "misses": {why: found[why] for why in MISSES},
    }


def added(outcomes: Iterable[ReplayOutcome], name: str) -> int:
    """The sum of one of the ledger's sums."""
    return sum(int(getattr(outcome.sums, name)) for outcome in outcomes)


def share(part: int, whole: int) -> float:
    """A part of a whole, 0 of nothing."""
    return round(part / whole, ROUNDED) if whole else 0.0


def grouped(outcomes: Iterable[ReplayOutcome]) -> dict[tuple[str, int], list[ReplayOutcome]]:
    """Replays by strategy and capacity."""
    groups: dict[tuple[str, int], list[ReplayOutcome]] = {}
    for outcome in outcomes:
        groups.setdefault((outcome.job.strategy, outcome.job.capacity), []).append(outcome)
    return groups


def report_of(
    groups: Mapping[tuple[str, int], Sequence[ReplayOutcome]],
    strategies: Sequence[str],
    capacities: Sequence[int],
    made: Callable[[Sequence[ReplayOutcome]], dict[str, Any]] = figures,
) -> Report:
    """{capacity: {strategy: figures}}."""
    return {
        str(capacity): {name: made(groups[name, capacity]) for name in strategies}
        for capacity in capacities
    }


def equal_share(
    share: float, tokens: int, curve: Sequence[tuple[float, int]]
) -> dict[str, float | int]:
    """A strategy's tokens against those with which another reaches the same share.

    `curve` has the other's (share, mean tokens) by rising capacity; between two of its points the
    tokens are interpolated. Past its last share its last tokens stand.
    """
    other = float(curve[-1][1])
    for place, (reached, sent) in enumerate(curve):
        if reached >= share:
            other = float(sent)
            if place:
                below, less = curve[place - 1]
                part = (share - below) / (reached - below) if reached > below else 1.0
                other = less + part * (sent - less)
            break
    return {"tail_tokens": round(other), "ratio": round(tokens / max(other, 1), ROUNDED)}


# Figure → its column.
COLUMNS = {
    RESIDENT: "held",
    PAGE_IN: PAGE_IN,
    "page_in_real": "real",
    "page_in_next": "next",
    **{verdict: verdict for verdict in VERDICTS[2:]},
    "tokens_sent": "tokens",
    "cuts": "cuts",
    "reuse": "reuse",
    "overflow": "over",
    "rescued": "rescued",
    "failed": "failed",
}


def tables(report: Report) -> list[Table]:
    """A table for each capacity: a row for each strategy."""
    made = []
    for capacity, strategies in report.items():
        rows = [
            [
                name,
                *(cell(found[column]) for column in COLUMNS),
                *(cell(found["by_kind"][kind][RESIDENT]) for kind in KINDS),
                cell(found.get("equal_share", {}).get("ratio", "")),
            ]
            for name, found in strategies.items()
        ]
        some = next(iter(strategies.values()))
        kinds = [f"{kind[:6]} ({some['by_kind'][kind]['needs']})" for kind in KINDS]
        heads = ["strategy", *COLUMNS.values(), *kinds, "÷ tail"]
        made.append(table(f"Needs at {int(capacity):,} ({some['needs']})", heads, rows))
    return made


def cell(value: object) -> str:
    """A figure as a table shows it."""
    if isinstance(value, float):
        return f"{value:.3f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
