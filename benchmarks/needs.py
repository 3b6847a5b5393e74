"""`needs`: of what the calls of recorded sessions needed, how much the window still held.

Every session is replayed; before each labelled call the request is searched for the exact text the
call needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.table import Table

from benchmarks.driven import gathered
from benchmarks.options import (
    CAPACITIES,
    Capacity,
    CommandResult,
    Details,
    FromOne,
    FromZero,
    Limit,
    Names,
    Sessions,
    Workers,
    measuring,
    sizes,
)  # fmt: skip
from benchmarks.show import by_row, on_stderr
from loom_bench.errors import BadBench
from loom_bench.recorded.labels import KINDS, Source, labelled
from loom_bench.recorded.ledger import RESIDENT, VERDICTS
from loom_bench.recorded.named import known
from loom_bench.recorded.report import CURVE, lines, report_on
from loom_bench.recorded.run import jobs_of, name_of, replay
from loom_bench.recorded.sources import MadeUp, interleaved

OURS = "loom"
OTHER = "tail"
# Figure → its column.
HEADS = {name: name for name in VERDICTS} | {
    RESIDENT: "held", "tokens_sent": "tokens", "cuts": "cuts", "reuse": "reuse", "units": "units",
    "overflow": "over", "rescued": "rescued", "failed": "failed",
}  # fmt: skip
STEPS = 300  # of the session that is made up


@measuring
def needs(
    *,
    sessions: Sessions | None = None,
    capacity: Capacity = CAPACITIES,
    strategy: Names = None,
    workers: Workers = 2,
    limit: Limit = 0,
    interleave: FromZero = 0,
    groups: FromZero = 0,
    stretch: FromOne = 8_000,
    seed: int = 1,
    curve: bool = True,
    details: Details = None,
) -> CommandResult:
    """Replay labelled sessions and look for what each labelled call needs.

    Parameters
    ----------
    sessions
        Files or folders of recorded sessions; those without labels beside them are passed over.
        Without any, one is made up.
    strategy
        Names of what is measured; without any, Loom and a plain tail.
    interleave
        Join so many sessions into each history, worked on by turns; 0 leaves each on its own.
    groups
        At most this many histories; 0 is all there are sessions for.
    stretch
        Tokens of a turn on one session, at four characters a token.
    seed
        Of the shuffle that says which sessions come together, and of the one that is made up.
    curve
        Simulate the tail at more capacities, to compare tokens at an equal share.
    """
    capacities = sizes("--capacity", capacity)
    names = known(strategy or (OURS, OTHER), tell=on_stderr)
    sources: Sequence[Source] = [MadeUp(seed, STEPS)]
    if interleave:
        sources = interleaved(sessions or (), interleave, stretch, seed, groups, limit)
    elif sessions:
        sources = labelled(sessions, limit)
    if not sources or not names:
        few = f"too few labelled sessions for --interleave {interleave}"
        none = few if interleave else "no label there is measured"
        what = "--strategy: none can run" if sources else f"--sessions: {none}"
        raise BadBench(f"{what}, so nothing was shown")
    pairs = [(name, size) for size in capacities for name in names]
    simulated = [(OTHER, size) for size in CURVE] if curve and OURS in names else []
    both = list(dict.fromkeys((*pairs, *simulated)))
    outcomes = gathered(
        "replays", replay, jobs_of(sources, both), workers,
        lambda one: (name_of(one), bool(one.failed)),
    )  # fmt: skip
    if details is not None:
        wanted = (one for one in outcomes if (one.job.strategy, one.job.capacity) in pairs)
        details.write_text("\n".join([*lines(wanted), ""]), "utf-8")
    report = report_on(outcomes, names, capacities, CURVE if simulated else ())
    how = {"interleave": interleave, "groups": groups, "stretch": stretch, "seed": seed}
    told = {"interleaving": how} if interleave else {}
    missed = [
        f"loom at {size}: {found[OURS][fault]} {fault}"
        for size, found in report.items()
        for fault in ("overflow", "failed")
        if OURS in found and found[OURS][fault]
    ]
    shown = [_table(int(size), found) for size, found in report.items()]
    return CommandResult({**told, **report}, shown, missed=missed)


def _table(capacity: int, found: dict[str, dict[str, Any]]) -> Table:
    """A row for each way: its figures, what is held by kind, and its tokens against a tail's."""
    some = next(iter(found.values()))
    kinds = {kind: f"{kind[:6]} ({some['by_kind'][kind]['needs']})" for kind in KINDS}
    rows = {
        name: {
            **one,
            **{kind: one["by_kind"][kind][RESIDENT] for kind in KINDS},
            "ratio": one.get("equal_share", {}).get("ratio", ""),
        }
        for name, one in found.items()
    }
    heads = {**HEADS, **kinds, "ratio": "÷ tail"}
    return by_row(f"Needs at {capacity:,} ({some['needs']})", rows, heads)
