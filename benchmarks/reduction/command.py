"""`reduction`: large results through each strategy, and what is left of them."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Annotated, Any

from cyclopts import Parameter
from rich.table import Table

from benchmarks.options import FromOne, Json, Sessions, refuse
from benchmarks.reduction.material import large, needles
from benchmarks.reduction.measure import LOOM, STRATEGIES, Strategy, figures, reduced
from benchmarks.reduction.peers import PEERS, peer, pythons
from benchmarks.show import Bar, end, on_stderr
from loom.providers.counts import counter_for
from loom.replay.importers import find
from loom.replay.importers.unreadable import BadSession
from loom_bench.errors import BadBench
from loom_bench.tables import table

LIMIT = 4_000  # characters: the seed's limit
TOLD = 3  # errors written out for each strategy
# Figure → its column.
COLUMNS = {
    "mean_tokens": "tokens",
    "json_valid": "JSON",
    "needles_kept": "needles",
    "edit_old_kept": "edit_old",
    "ident_kept": "ident",
    "pointer": "pointer",
    "over_limit": "over",
    "errors": "errors",
}

Named = Annotated[list[str] | None, Parameter(consume_multiple=True, negative=())]


def reduction(
    *,
    sessions: Sessions,
    limit: FromOne = LIMIT,
    strategy: Named = None,
    peer_python: Named = None,
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
    """
    try:
        interpreters = pythons(peer_python or ())
        names = _chosen(strategy, interpreters)
        results = large(find(sessions), limit)
        if not results:
            raise ValueError(f"--sessions: no result there has more than {limit} characters")
        count = counter_for()
        wanted = needles(results)
        report: dict[str, Any] = {
            "limit": limit,
            "results": len(results),
            "json_results": sum(one.json for one in results),
            "tokens": round(sum(count(one.text) for one in results) / len(results)),
            "needles": len(wanted),
            "needles_by_kind": Tally(needle.kind for needle in wanted.values()),
            "strategies": {},
        }
        with ExitStack() as stack:
            ways: dict[str, Strategy] = {
                name: stack.enter_context(peer(name, interpreters[name]))
                if name in PEERS
                else STRATEGIES[name]
                for name in names
            }
            bar = stack.enter_context(Bar("reducing", len(ways) * len(results)))
            for name, way in ways.items():
                made = []
                for one in results:
                    made.append(reduced(way, one, limit, count))
                    bar.advance()
                report["strategies"][name] = figures(made)
                for wrong in [one for one in made if one.error][:TOLD]:
                    on_stderr(f"{name}: {wrong.large.ref}: {wrong.error}")
    except (ValueError, BadSession, BadBench) as error:
        return refuse(error)
    end(report, [] if json else [_table(report)])
    return int(LOOM in names and not _sound(report["strategies"][LOOM]))


def _chosen(strategy: Sequence[str] | None, interpreters: dict[str, str]) -> list[str]:
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


def _sound(ours: Mapping[str, Any]) -> bool:
    """True when Loom failed on nothing, kept within the limit, and left all JSON valid."""
    return not ours["errors"] and not ours["over_limit"] and ours["json_valid"] in (None, 1.0)


def _table(report: Mapping[str, Any]) -> Table:
    """What is left of the results, a row for each strategy."""
    rows = [
        [name, *(_cell(found[figure]) for figure in COLUMNS)]
        for name, found in report["strategies"].items()
    ]
    title = (
        f"Reduction of {report['results']:,} results to {report['limit']:,} characters "
        f"({report['json_results']} JSON, {report['needles']} needles)"
    )
    return table(title, ["strategy", *COLUMNS.values()], rows)


def _cell(value: float | None) -> str:
    """A figure as a table shows it; "–" of nothing."""
    if value is None:
        return "–"
    return f"{value:.3f}" if isinstance(value, float) else f"{value:,}"
