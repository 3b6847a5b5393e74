"""`needs`: of what the calls of recorded sessions needed, how much the window still held.

Every session is replayed; before each labelled call the request is searched for the exact text the
call needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from cyclopts import Parameter

from benchmarks.options import CAPACITIES, FromOne, FromZero, Sessions, refuse, sizes
from benchmarks.show import end, on_stderr
from loom.replay.importers.unreadable import BadSession
from loom_bench.errors import BadBench
from loom_bench.recorded.labels import Source, labelled
from loom_bench.recorded.named import known
from loom_bench.recorded.report import CURVE, lines, report_on, tables
from loom_bench.recorded.run import measured
from loom_bench.recorded.sources import interleaved

OURS = "loom"
OTHER = "tail"


@Parameter(name="*")
@dataclass(frozen=True)
class Interleaving:
    """How sessions are interleaved into long histories.

    Parameters
    ----------
    interleave
        Join so many sessions into each history, worked on by turns; 0 leaves each on its own.
    groups
        At most this many histories; 0 is all there are sessions for.
    stretch
        Tokens of a turn on one session, at four characters a token.
    seed
        Of the shuffle that says which sessions come together.
    """

    interleave: FromZero = 0
    groups: FromZero = 0
    stretch: FromOne = 8_000
    seed: int = 1

    def told(self) -> dict[str, Any]:
        """What the report says of it: nothing when each session is on its own."""
        return {"interleaving": asdict(self)} if self.interleave else {}


APART = Interleaving()


class Selection(NamedTuple):
    """Sessions, names of strategies, capacities in tokens."""

    sources: Sequence[Source]
    strategies: list[str]
    capacities: list[int]

    @property
    def pairs(self) -> list[tuple[str, int]]:
        """Every strategy at every capacity."""
        return [(name, size) for size in self.capacities for name in self.strategies]


def chosen(
    sessions: Sequence[Path],
    capacity: str,
    strategies: Sequence[str] | None,
    limit: int,
    how: Interleaving = APART,
) -> Selection:
    """The options, checked. Raises ValueError, or BadSession for a file that cannot be read.

    A strategy whose package is not installed is left out, with a word on stderr.
    """
    capacities = sizes("--capacity", capacity)
    if how.interleave < 0 or how.groups < 0 or how.stretch < 1:
        raise ValueError("--interleave, --groups: give 0 or more, --stretch 1 or more")
    names = known(strategies or (OURS, OTHER), tell=on_stderr)
    sources: Sequence[Source] = (
        interleaved(sessions, how.interleave, how.stretch, how.seed, how.groups, limit)
        if how.interleave
        else labelled(sessions, limit)
    )
    if not sources or not names:
        few = f"too few labelled sessions for --interleave {how.interleave}"
        none = few if how.interleave else "no label there is measured"
        what = "--strategy: none can run" if sources else f"--sessions: {none}"
        raise ValueError(f"{what}, so nothing was shown")
    return Selection(sources, names, capacities)


def needs(
    *,
    sessions: Sessions,
    capacity: str = CAPACITIES,
    strategy: Annotated[list[str] | None, Parameter(consume_multiple=True, negative=())] = None,
    workers: FromOne = 2,
    limit: FromZero = 0,
    interleaving: Interleaving = APART,
    curve: bool = True,
    json: bool = False,
    details: Path | None = None,
) -> int:
    """Replay labelled sessions and look for what each labelled call needs.

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
    curve
        Simulate the tail at more capacities, to compare tokens at an equal share.
    json
        No table, only the JSON line.
    details
        A file that gets one JSON line for each need, strategy and capacity.
    """
    try:
        given = chosen(sessions, capacity, strategy, limit, interleaving)
    except (ValueError, BadBench, BadSession) as error:
        return refuse(error)
    simulated = [(OTHER, size) for size in CURVE] if curve and OURS in given.strategies else []
    pairs = list(dict.fromkeys((*given.pairs, *simulated)))
    outcomes = list(measured(given.sources, pairs, workers, tell=on_stderr))
    if details is not None:
        wanted = (one for one in outcomes if (one.job.strategy, one.job.capacity) in given.pairs)
        details.write_text("\n".join([*lines(wanted), ""]), "utf-8")
    report = report_on(outcomes, given.strategies, given.capacities, CURVE if simulated else ())
    end({**interleaving.told(), **report}, [] if json else tables(report))
    ours = [found[OURS] for found in report.values() if OURS in found]
    return int(any(found["overflow"] or found["failed"] for found in ours))
