"""The figures of one life as JSON, and as tables: ratios first, then milliseconds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.table import Table

from benchmarks.measures.speed.figures import ENOUGH, FIFTHS, KINDS, Histogram, TurnCosts
from benchmarks.measures.speed.floor import CostFloor
from benchmarks.measures.speed.keepers import LoomKeeper
from benchmarks.measures.speed.lives import KeeperLife
from benchmarks.measures.speed.verdict import standing
from loom_bench.sessions.planted import RULE, PlantedItem
from loom_bench.tables import table

RATIOS = {
    "cost ÷ floor": "of_floor",
    "growth of the median plain turn": "growth",
    "characters counted ÷ ingested": "counted_of_ingested",
    "wall ÷ CPU (durable=False)": "wall_of_cpu",
}
KEEPERS = (
    "CPU of a turn, and what the last request shows; that of loom includes the wire form of the"
    " request and the journal, that of the others is the trimming of messages alone"
)
FLOORS = {
    "floor": "floor",
    "floor: counting (CPU)": "counting",
    "floor: redaction (CPU)": "redaction",
    "floor: append (CPU)": "append",
    "append + fdatasync (wall)": "synced_wall",
    "copy of the request's bytes (CPU)": "copied",
}


def life_report(life: KeeperLife, floor: CostFloor, steps: int) -> dict[str, Any]:
    """Loom's life beside the floor: ratios of all turns, milliseconds a turn, then the fifths."""
    costs = life.costs
    cpu = sum(costs.cpu(at) for at in range(FIFTHS))
    owed = sum(one.total for one in floor.fifths)
    turns = max(steps, 1)
    counted = (
        life.keeper.context._engine.sizes.count.characters
        if isinstance(life.keeper, LoomKeeper)
        else 0
    )
    return {
        "of_floor": _ratio(cpu, owed),
        "growth": round(costs.growth(), 2),
        "growth_turns": costs.compared(),
        "counted_of_ingested": _ratio(counted, floor.characters),
        "wall_of_cpu": _ratio(sum(costs.wall), cpu),
        "cpu": round(cpu / turns, 3),
        "wall": round(sum(costs.wall) / turns, 3),
        "floor": round(owed / turns, 3),
        **{part: round(spent / turns, 3) for part, spent in floor.parts.items()},
        "synced_wall": round(floor.synced.mean, 3),
        "copied": round(floor.copied.mean, 4),
        "rss_mb": _peak_mb(),
        "fifths": [
            _fifth(costs, floor, at, steps) for at in range(FIFTHS) if floor.fifths[at].count
        ],
    }


def _peak_mb() -> float:
    """The most memory this process has held, in megabytes; 0 where the system does not tell it."""
    try:
        from resource import RUSAGE_SELF, getrusage
    except ModuleNotFoundError:  # Windows
        return 0.0
    return round(getrusage(RUSAGE_SELF).ru_maxrss / 1_024, 1)


def _fifth(costs: TurnCosts, floor: CostFloor, at: int, steps: int) -> dict[str, Any]:
    """One fifth, its kinds of turns apart; `steps` are those until its end."""
    cpu, owed = costs.cpu(at), floor.fifths[at]
    first = costs.fifths[0]["plain"].quantile(0.5)
    told: dict[str, Any] = {
        "steps": -(-steps * (at + 1) // FIFTHS),
        "of_floor": _ratio(cpu, owed.total),
        "growth": _ratio(costs.fifths[at]["plain"].quantile(0.5), first),
        "wall_of_cpu": _ratio(costs.wall[at], cpu),
        "cpu": round(cpu / owed.count, 3),
        "wall": round(costs.wall[at] / owed.count, 3),
        "floor": round(owed.mean, 3),
    }
    for kind in KINDS:
        turns = costs.fifths[at][kind]
        told[kind] = turns.count
        told |= {f"{kind}_{name}": value for name, value in _spread(turns).items()}
    return told


def _spread(turns: Histogram) -> dict[str, float]:
    """Milliseconds of turns: quantiles where there are enough of them, else the largest."""
    if turns.count < ENOUGH:
        return {"largest": round(turns.largest, 3)} if turns.count else {}
    return {"p50": round(turns.quantile(0.5), 3), "p99": round(turns.quantile(0.99), 3)}


def _ratio(one: float, other: float) -> float:
    return round(one / other, 2) if other else 0.0


def life_table(window: int, told: Mapping[str, Any]) -> Table:
    """A column for the whole life and for each fifth of it."""
    kinds = [f"{kind}{figure}" for kind in KINDS for figure in ("", "_p50", "_p99", "_largest")]
    names = {
        **RATIOS,
        "CPU of a turn, ms": "cpu",
        "wall time of a turn, ms (durable=False)": "wall",
        **{name.replace("_", ", "): name for name in kinds},
        **FLOORS,
    }
    parts = (told, *told["fifths"])
    rows = [
        [said, *(part.get(name, "") for part in parts)]
        for said, name in names.items()
        if any(name in part for part in parts)
    ]
    heads = ["steps", "all", *(f"{one['steps']:,}" for one in told["fifths"])]
    return table(f"A window of {window:,} tokens: ratios, then milliseconds", heads, rows)


def keepers_report(
    lives: Mapping[str, KeeperLife], items: Sequence[PlantedItem]
) -> dict[str, dict[str, Any]]:
    """A row a keeper: milliseconds of CPU of all its turns, then what its requests were worth."""
    return {name: _keeper(life, items) for name, life in lives.items()}


def _keeper(life: KeeperLife, items: Sequence[PlantedItem]) -> dict[str, Any]:
    turns = life.costs.all()
    verdict = life.verdict
    return {
        "turns": turns.count,
        **dict.fromkeys(("p50", "p99", "largest"), ""),
        **_spread(turns),
        "mean": round(turns.mean, 3),
        "growth": round(life.costs.growth(), 2),
        **standing(items, life.keeper.request),
        "broken": verdict.broken if verdict else 0,
        "refused": verdict.refused if verdict else 0,
        "over": verdict.over if verdict else 0,
        "failed": life.failed,
    }


def keepers_table(
    window: int,
    told: Mapping[str, Mapping[str, Any]],
    absent: Mapping[str, str],
    items: Iterable[PlantedItem],
) -> Table:
    """The keepers in the order given, then those that could not run, with the reason."""
    kinds = [item.kind for item in items]
    rules = kinds.count(RULE)
    heads = [
        f"of {window:,} tokens", "turns", "p50 ms", "p99 ms", "largest ms", "mean ms", "growth",
        f"rules of {rules}", f"facts of {len(kinds) - rules}", "broken pairs", "in requests",
        "over budget", "",
    ]  # fmt: skip
    rows = [[name, *figures.values()] for name, figures in told.items()]
    blank = [""] * (len(heads) - 2)
    rows += [[name, *blank, f"left out: {why}"] for name, why in absent.items()]
    return table(KEEPERS, heads, rows)


def curves(lives: Mapping[str, KeeperLife]) -> dict[str, list[tuple[float, float]]]:
    """Steps and median milliseconds of a plain turn, by keeper; those without points are not in."""
    found = {name: life.costs.curve() for name, life in lives.items()}
    return {name: points for name, points in found.items() if points}
