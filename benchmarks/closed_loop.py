"""Closed loop: what it costs to have what a call needs, when the window no longer holds it.

The recorded sessions are replayed as in `needs`; but before a labelled call whose needle is not in
the request, the calls are made that an agent would make to have it: with Loom `page_in` for the
newest name that fits, then `recall` and `page_in`; elsewhere the recorded result is fetched anew.
What they bring enters the window; what comes in twice within a few requests thrashes. Loom's tools
are declared here, and counted in every request.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from cyclopts import Parameter
from rich.table import Table

from benchmarks.measured import APART, OURS, Interleaving, chosen
from benchmarks.options import CAPACITIES, FromOne, FromZero, Sessions, refuse
from benchmarks.show import end, on_stderr
from loom.bench.errors import BadBench
from loom.bench.recorded.labels import SCORED
from loom.bench.recorded.report import Report, added, cell, grouped, report_of
from loom.bench.recorded.run import ReplayOutcome, measured
from loom.bench.recorded.verdicts import RESIDENT
from loom.bench.tables import table
from loom.replay.importers.unreadable import BadSession


def closed_loop(
    *,
    sessions: Sessions,
    capacity: str = CAPACITIES,
    strategy: Annotated[list[str] | None, Parameter(consume_multiple=True, negative=())] = None,
    workers: FromOne = 2,
    limit: FromZero = 0,
    interleaving: Interleaving = APART,
    json: bool = False,
) -> int:
    """Replay labelled sessions, and fetch what a labelled call needs when it is not in the request.

    Parameters
    ----------
    sessions
        Files or folders of recorded sessions; those without labels beside them are passed over.
    capacity
        Tokens of a request, reply not counted, separated by commas.
    strategy
        Names of what is measured; without any, Loom and a plain tail.
    workers
        Processes.
    limit
        At most this many sessions, the largest first; 0 is all.
    interleaving
        How sessions are interleaved into long histories.
    json
        No table, only the JSON line.
    """
    try:
        given = chosen(sessions, capacity, strategy, limit, interleaving)
    except (ValueError, BadBench, BadSession) as error:
        return refuse(error)
    outcomes = list(measured(given.sources, given.pairs, workers, closed=True, tell=on_stderr))
    report = report_of(grouped(outcomes), given.strategies, given.capacities, costs)
    end({**interleaving.told(), **report}, [] if json else cost_tables(report))
    ours = [found[OURS] for found in report.values() if OURS in found]
    return int(any(found["overflow"] or found["failed"] for found in ours))


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
