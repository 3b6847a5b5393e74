"""`reduction`: large results through each strategy, and what is left of them."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Annotated

from cyclopts import Parameter

from benchmarks.measures.reduction.material import large
from benchmarks.measures.reduction.peers import pythons
from benchmarks.measures.reduction.report import tables
from benchmarks.measures.reduction.run import SCALE, chosen, measured, opened, rising, sound
from benchmarks.measures.reduction.scaling import KINDS
from benchmarks.measures.reduction.strategies import LOOM
from benchmarks.options import FromOne, Json, Sessions, refuse
from benchmarks.show import Bar, end, on_stderr
from loom.replay.importers import find
from loom.replay.importers.unreadable import BadSession
from loom_bench.errors import BadBench

LIMIT = 4_000  # characters: the seed's limit

Named = Annotated[list[str] | None, Parameter(consume_multiple=True, negative=())]


def reduction(
    *,
    sessions: Sessions,
    limit: FromOne = LIMIT,
    strategy: Named = None,
    peer_python: Named = None,
    scale: str = SCALE,
    json: Json = False,
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
    """
    try:
        interpreters = pythons(peer_python or ())
        names = chosen(strategy, interpreters)
        megabytes = rising(scale)
        if limit < 1:
            raise ValueError(f"--limit {limit}: give one or more characters")
        results = large(find(sessions), limit)
        if not results:
            raise ValueError(f"--sessions: no result there has more than {limit} characters")
        with ExitStack() as stack:
            ways = {name: opened(name, interpreters, stack) for name in names}
            total = len(ways) * (len(results) + len(KINDS) * bool(megabytes))
            bar = stack.enter_context(Bar("reducing", total))
            report = measured(ways, results, limit, megabytes, bar.advance, on_stderr)
    except (ValueError, BadSession, BadBench) as error:
        return refuse(error)
    end(report, [] if json else tables(report))
    return int(LOOM in names and not sound(report))
