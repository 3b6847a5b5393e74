"""`python -m benchmarks reduction`: large results through each strategy, and what is left."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Annotated, Any

from cyclopts import Parameter
from rich.console import Console
from rich.progress import Progress

from benchmarks.options import FromOne, Sessions, refuse
from benchmarks.reduction.material import Large, large, needles
from benchmarks.reduction.measure import Measurement, all_reduced, figures
from benchmarks.reduction.peers import PEERS, PeerFailed, peer, pythons
from benchmarks.reduction.report import cell, tables
from benchmarks.reduction.scaling import KINDS, WORST, scaling
from benchmarks.reduction.strategies import LOOM, STRATEGIES, STRUCTURE, Strategy, there
from benchmarks.show import end, on_stderr
from loom.providers.counts import counter_for
from loom.replay.importers import find
from loom.replay.importers.unreadable import BadSession

LIMIT = 4_000  # characters: the seed's limit
SCALE = "1,2,4,8"
TOLD = 3  # errors written out for each strategy

Named = Annotated[list[str] | None, Parameter(consume_multiple=True, negative=())]


def reduction(
    *,
    sessions: Sessions,
    limit: FromOne = LIMIT,
    strategy: Named = None,
    peer_python: Named = None,
    scale: str = SCALE,
    json: Annotated[bool, Parameter(negative=())] = False,
) -> int:
    """Reduce the large tool results of sessions, and look for what later calls needed of them.

    Parameters
    ----------
    sessions
        Files or folders of recorded sessions; labels beside them say what was needed.
    limit
        Characters a result is reduced to; only longer ones are.
    strategy
        Names of what is measured; without any, all that are built in and the peers given.
    peer_python
        NAME=PATH: the interpreter that has the package of a peer, headroom or distil.
    scale
        Megabytes of the made-up texts, separated by commas; "" leaves them out.
    json
        No tables, only the JSON line.
    """
    try:
        interpreters = pythons(peer_python or ())
        names = chosen(strategy, interpreters)
        megabytes = sizes(scale)
        if limit < 1:
            raise ValueError(f"--limit {limit}: give one or more characters")
        results = large(find(sessions), limit)
        if not results:
            raise ValueError(f"--sessions: no result there has more than {limit} characters")
        with ExitStack() as stack:
            opened = {name: _open(name, interpreters, stack) for name in names if _there(name)}
            report = measured(opened, results, limit, megabytes)
    except (ValueError, BadSession, PeerFailed) as error:
        return refuse(error)
    end(report, [] if json else tables(report))
    return int(LOOM in names and not sound(report))


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


def sizes(scale: str) -> list[float]:
    """Megabytes, each larger than the one before. Raises ValueError for anything else."""
    try:
        found = [float(size) for size in scale.split(",")] if scale else []
    except ValueError:
        found = [0.0]
    if any(size <= 0 for size in found) or found != sorted(set(found)):
        raise ValueError(f"--scale {scale!r}: give rising megabytes, as {SCALE}")
    return found


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
) -> dict[str, Any]:
    """The report: what was given, each strategy's figures, and how its time grows."""
    count = counter_for()
    console = Console(stderr=True)
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
    with Progress(console=console, disable=not console.is_terminal) as bar:
        for name, strategy in strategies.items():
            tell = _advance(bar, name, len(results))
            made = all_reduced(strategy, results, limit, count, tell)
            report["strategies"][name] = figures(made)
            _say(name, made, report["strategies"][name])
        if megabytes:
            tell = _advance(bar, "scaling", len(strategies) * len(KINDS))
            report["scaling"] = scaling(strategies, megabytes, limit, tell)
    grown = report["scaling"].items()
    for name, one in grown:
        for error in one["errors"]:
            on_stderr(f"{name}, made-up texts: {error}")
    return report | {worst: {name: one[worst] for name, one in grown} for worst in WORST}


def _there(name: str) -> bool:
    """True when a strategy can run here; says on stderr what is missing."""
    here = name in PEERS or there(name)
    if not here:
        on_stderr(f"{name}: left out, this build has no {STRUCTURE}")
    return here


def _open(name: str, interpreters: dict[str, str], stack: ExitStack) -> Strategy:
    if name in PEERS:
        return stack.enter_context(peer(name, interpreters[name]))
    return STRATEGIES[name]


def _advance(bar: Progress, name: str, total: int) -> Callable[[], None]:
    task = bar.add_task(name, total=total)
    return lambda: bar.advance(task)


def _say(name: str, made: Sequence[Measurement], found: dict[str, Any]) -> None:
    """One strategy on stderr, with the first of what went wrong."""
    figures = f"{cell(found['mean_tokens'])} tokens, {cell(found['needles_kept'])} of the needles"
    on_stderr(f"{name}: {figures}, {found['errors']} errors")
    for one in [one for one in made if one.error][:TOLD]:
        on_stderr(f"  {one.large.ref}: {one.error}")
