"""Closed loop: what it costs to have what a call needs, when the window no longer holds it.

The recorded sessions are replayed as in `needs`; but before a labelled call whose needle is not in
the request, the calls are made that an agent would make to have it: with Loom `page_in` for the
newest name that fits, then `recall` and `page_in`; elsewhere the recorded result is fetched anew.
What they bring enters the window; what comes in twice within a few requests thrashes. Loom's tools
are declared here, and counted in every request.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.table import Table

from loom_bench.recorded.labels import SCORED
from loom_bench.recorded.report import Report, added, cell
from loom_bench.recorded.run import ReplayOutcome
from loom_bench.recorded.verdicts import RESIDENT
from loom_bench.tables import table


def costs(outcomes: Sequence[ReplayOutcome]) -> dict[str, Any]:
    """Return what was missing and what it cost, over some replays by one strategy at one capacity.

    `tokens_sent` is the mean over all requests; `tokens_per_reply` spreads those of the extra calls
    over the recorded replies. `extra_tokens` are those requests' tokens, `failures` the needs still
    not in the request after the extra calls.
    """
    needed = [one for outcome in outcomes for one in outcome.met if one.kind in SCORED]
    calls, tokens = added(outcomes, "calls"), added(outcomes, "tokens")
    extra = sum(outcome.extra_calls for outcome in outcomes)
    return {
        "needs": len(needed),
        "missing": sum(one.verdict != RESIDENT for one in needed),
        "extra_calls": extra,
        "extra_tokens": sum(outcome.extra_tokens for outcome in outcomes),
        "thrashed": sum(outcome.thrashed for outcome in outcomes),
        "failures": sum(outcome.failures for outcome in outcomes),
        "tokens_sent": round(tokens / max(calls, 1)),
        "tokens_per_reply": round(tokens / max(calls - extra, 1)),
        "calls": calls,
        "cuts": added(outcomes, "cuts"),
        "overflow": added(outcomes, "overflow"),
        "rescued": sum(outcome.rescued for outcome in outcomes),
        "failed": sum(bool(outcome.failed) for outcome in outcomes),
    }


# Figure → its column.
COLUMNS = {
    "missing": "missing",
    "extra_calls": "extra calls",
    "extra_tokens": "extra tokens",
    "thrashed": "thrashed",
    "failures": "failures",
    "tokens_sent": "tokens",
    "tokens_per_reply": "per reply",
    "cuts": "cuts",
    "overflow": "over",
    "rescued": "rescued",
    "failed": "failed",
}


def cost_tables(report: Report) -> list[Table]:
    """A table for each capacity: a row for each strategy."""
    made = []
    for capacity, strategies in report.items():
        rows = [
            [name, *(cell(found[column]) for column in COLUMNS)]
            for name, found in strategies.items()
        ]
        needed = next(iter(strategies.values()))["needs"]
        title = f"Closed loop at {int(capacity):,} ({needed} needs)"
        made.append(table(title, ["strategy", *COLUMNS.values()], rows))
    return made
