"""The figures of many replays: verdicts, the cost of fetching, tables and one JSON object.

The recorded sessions are replayed as in `needs`; but before a labelled call whose needle is not in
the request, the calls are made that an agent would make to have it: with Loom `page_in` for the
newest name that fits, then `recall` and `page_in`; elsewhere the recorded result is fetched anew.
What they bring enters the window; what comes in twice within a few requests thrashes. Loom's tools
are declared here, and counted in every request.
"""

from __future__ import annotations

import json as jsons
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from loom_bench.recorded.labels import KINDS, SCORED, Source
from loom_bench.recorded.ledger import RESIDENT, VERDICTS
from loom_bench.recorded.run import Met, ReplayOutcome

ROUNDED = 4
READ, WRITTEN = (
    0.1,
    1.25,
)  # prices of a token from the prompt cache and into it, against a plain one
Report = dict[str, dict[str, dict[str, Any]]]


def figures(outcomes: Sequence[ReplayOutcome]) -> dict[str, Any]:
    """The figures of some replays by one strategy at one capacity.

    The verdicts are shares of the needs of SCORED kinds; `by_kind` has those of each kind.
    """
    met = [one for outcome in outcomes for one in outcome.met]
    return {
        **_verdicts([one for one in met if one.kind in SCORED]),
        **_sent(outcomes),
        "reuse": share(reused := added(outcomes, "reused"), tokens := added(outcomes, "tokens")),
        "units": round((READ * reused + WRITTEN * (tokens - reused)) / 1e6, ROUNDED),
        "peak": max((outcome.sums.peak for outcome in outcomes), default=0),
        "by_kind": {kind: _verdicts([one for one in met if one.kind == kind]) for kind in KINDS},
    }


def _verdicts(met: Sequence[Met]) -> dict[str, Any]:
    """How many needs there are, and the share of each verdict."""
    found = Counter(one.verdict for one in met)
    return {"needs": len(met), **{name: share(found[name], len(met)) for name in VERDICTS}}


def _sent(outcomes: Sequence[ReplayOutcome]) -> dict[str, Any]:
    """What was sent; `tokens_sent` is the mean over all requests."""
    calls = added(outcomes, "calls")
    return {
        "calls": calls,
        "tokens_sent": round(added(outcomes, "tokens") / max(calls, 1)),
        "cuts": added(outcomes, "cuts"),
        "overflow": added(outcomes, "overflow"),
        "rescued": sum(outcome.rescued for outcome in outcomes),
        "failed": sum(bool(outcome.failed) for outcome in outcomes),
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
    """{capacity: {strategy: figures}}, of those that were replayed."""
    found = {
        str(capacity): {
            name: made(groups[name, capacity]) for name in strategies if (name, capacity) in groups
        }
        for capacity in capacities
    }
    return {capacity: some for capacity, some in found.items() if some}


def comparable(outcomes: Sequence[ReplayOutcome]) -> list[ReplayOutcome]:
    """Of a run that was ended early the replays of the sessions that each strategy and capacity
    has, of all that the fullest session has."""
    have: dict[Source, set[tuple[str, int]]] = {}
    for one in outcomes:
        have.setdefault(one.job.source, set()).add((one.job.strategy, one.job.capacity))
    wanted = max(have.values(), key=len, default=set())
    return [one for one in outcomes if have[one.job.source] == wanted]


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


def costs(outcomes: Sequence[ReplayOutcome]) -> dict[str, Any]:
    """Return what was missing and what it cost, over some replays by one strategy at one capacity.

    `tokens_per_reply` spreads the tokens of the extra calls over the recorded replies.
    `extra_tokens` are those requests' tokens, `failures` the needs still not in the request after
    the extra calls.
    """
    needed = [one for outcome in outcomes for one in outcome.met if one.kind in SCORED]
    sent, extra = _sent(outcomes), sum(outcome.extra_calls for outcome in outcomes)
    return {
        "needs": len(needed),
        "missing": sum(one.verdict != RESIDENT for one in needed),
        "extra_calls": extra,
        "extra_tokens": sum(outcome.extra_tokens for outcome in outcomes),
        "thrashed": sum(outcome.thrashed for outcome in outcomes),
        "failures": sum(outcome.failures for outcome in outcomes),
        "tokens_per_reply": round(added(outcomes, "tokens") / max(sent["calls"] - extra, 1)),
        **sent,
    }


OURS = "loom"
OTHER = "tail"
# Capacities at which the tail is simulated, to find where it shows as much as Loom does.
CURVE = (
    *(8_000, 12_000, 16_000, 20_000, 24_000, 28_000, 32_000, 36_000, 40_000, 44_000, 48_000),
    *(56_000, 64_000, 72_000, 80_000, 96_000, 128_000, 192_000, 256_000, 10_000_000),
)


def report_on(
    outcomes: Sequence[ReplayOutcome],
    strategies: Sequence[str],
    capacities: Sequence[int],
    curve: Sequence[int] = (),
) -> Report:
    """{capacity: {strategy: figures}}, Loom's with its tokens against a tail that shows as much.

    `curve` are the capacities at which that tail was replayed; without any it is left out.
    """
    groups = grouped(outcomes)
    report = report_of(groups, strategies, capacities)
    if curve:
        points = report_of(groups, [OTHER], curve).values()
        line = [(one[OTHER][RESIDENT], one[OTHER]["tokens_sent"]) for one in points]
        for found in report.values():
            ours = found[OURS]
            ours["equal_share"] = equal_share(ours[RESIDENT], ours["tokens_sent"], line)
    return report


def lines(outcomes: Iterable[ReplayOutcome]) -> Iterator[str]:
    """A JSON line for each need in each replay."""
    for outcome in outcomes:
        head = {
            "session": outcome.session,
            "strategy": outcome.job.strategy,
            "capacity": outcome.job.capacity,
        }
        for met in outcome.met:
            yield jsons.dumps({**head, **msgspec.to_builtins(met)}, ensure_ascii=False)
