"""The whole measurement: every strategy over the results, then over made-up texts that grow."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any

from benchmarks.measures.reduction.material import Large, needles
from benchmarks.measures.reduction.measure import Measurement, all_reduced, figures
from benchmarks.measures.reduction.peers import PEERS, peer
from benchmarks.measures.reduction.report import cell
from benchmarks.measures.reduction.scaling import WORST, scaling
from benchmarks.measures.reduction.strategies import LOOM, STRATEGIES, Strategy
from loom.providers.counts import counter_for
from loom_bench.pool import Tell, quiet

SCALE = "1,2,4,8"
TOLD = 3  # errors written out for each strategy


def chosen(strategy: Sequence[str] | None, interpreters: dict[str, str]) -> list[str]:
    """The strategies asked for. Raises ValueError for one nobody knows or can run."""
    names = list(dict.fromkeys(strategy or (*STRATEGIES, *interpreters)))
    for name in names:
        if name in PEERS and name not in interpreters:
            raise ValueError(
                f"--strategy {name}: install {PEERS[name]} in an environment of its own, and give "
                f"--peer-python {name}=PATH of its interpreter"
            )
        if name not in STRATEGIES and name not in PEERS:
            raise ValueError(f"--strategy {name}: there are {', '.join((*STRATEGIES, *PEERS))}")
    return names


def rising(scale: str) -> list[float]:
    """Megabytes, each larger than the one before. Raises ValueError for anything else."""
    try:
        found = [float(size) for size in scale.split(",")] if scale else []
    except ValueError:
        found = [0.0]
    if any(size <= 0 for size in found) or found != sorted(set(found)):
        raise ValueError(f"--scale {scale!r}: give rising megabytes, as {SCALE}")
    return found


def opened(name: str, interpreters: dict[str, str], stack: ExitStack) -> Strategy:
    """A strategy by its name; a peer runs in a process of its own, which the stack ends."""
    if name in PEERS:
        return stack.enter_context(peer(name, interpreters[name]))
    return STRATEGIES[name]


def sound(report: dict[str, Any]) -> bool:
    """True when Loom ran, failed on nothing, kept within the limit, and left all JSON valid."""
    ours = report["strategies"].get(LOOM)
    if ours is None or ours["errors"] or ours["over_limit"]:
        return False
    grown = report["scaling"].get(LOOM)
    return ours["json_valid"] in (None, 1.0) and not (grown and grown["errors"])


def measured(
    strategies: dict[str, Strategy],
    results: Sequence[Large],
    limit: int,
    megabytes: Sequence[float],
    step: Callable[[], None] = lambda: None,
    tell: Tell = quiet,
) -> dict[str, Any]:
    """The report: what was given, each strategy's figures, and how its time grows.

    `step` is called after each result reduced, and each made-up text; `tell` takes a line for each
    strategy, with the first of what went wrong.
    """
    count = counter_for()
    report: dict[str, Any] = {
        "limit": limit,
        "results": len(results),
        "json_results": sum(one.json for one in results),
        "tokens": round(sum(count(one.text) for one in results) / len(results)),
        "needles": len(needles(results)),
        "needles_by_kind": Tally(needle.kind for needle in needles(results).values()),
        "strategies": {},
        "megabytes": list(megabytes),
        "scaling": {},
    }
    for name, strategy in strategies.items():
        made = all_reduced(strategy, results, limit, count, step)
        report["strategies"][name] = figures(made)
        for line in _lines(name, made, report["strategies"][name]):
            tell(line)
    if megabytes:
        report["scaling"] = scaling(strategies, megabytes, limit, step)
    grown = report["scaling"].items()
    for name, one in grown:
        for error in one["errors"]:
            tell(f"{name}, made-up texts: {error}")
    return report | {worst: {name: one[worst] for name, one in grown} for worst in WORST}


def _lines(name: str, made: Sequence[Measurement], found: dict[str, Any]) -> list[str]:
    """One strategy, with the first of what went wrong."""
    figures = f"{cell(found['mean_tokens'])} tokens, {cell(found['needles_kept'])} of the needles"
    wrong = [one for one in made if one.error][:TOLD]
    return [
        f"{name}: {figures}, {found['errors']} errors",
        *(f"  {one.large.ref}: {one.error}" for one in wrong),
    ]
