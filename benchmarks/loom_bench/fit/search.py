"""The search: from the constants in force, step by step, each half of the sessions on its own.

At first the values of SCAN for λ are tried, then in each round BATCH neighbours of the best so far;
a round that found a better one makes the steps longer, one that did not shorter. The search looks
at the sessions with most needs for a call alone, until they hold DENSE of the half's needs: the
others cost a good part of the time and decide little. The test is on all sessions of the other
half, which the search never saw.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from random import Random

from msgspec import Struct
from msgspec.structs import replace

from loom.inputs import Reply
from loom_bench.fit.bench import Bench
from loom_bench.fit.constants import SCAN, middle, moved, scanned
from loom_bench.fit.objective import Gain, Row, gain
from loom_bench.fit.replay import Candidate, recorded

BATCH = 2
STEP, LEAST, MOST = 0.5, 0.15, 1.0  # deviation of a move on the log scale
LONGER, SHORTER = 1.3, 0.85
WORTH_IT = 0.003  # of the objective, about one needle: for less no constant changes
DENSE = 0.8

Paths = tuple[Path, ...]


class Climb:
    """The way up on one half."""

    def __init__(
        self, start: Candidate, paths: Paths, random: Random, only: Collection[str] = ()
    ) -> None:
        self.best = start
        self._only = only
        self.paths = dense(paths)
        self._random = random
        self._step = STEP

    def proposed(self) -> list[Candidate]:
        """The neighbours to try next."""
        best, ageing = self.best, self.best.policy.ageing
        return [
            replace(best, fitted=moved(best.fitted, self._step, self._random, ageing, self._only))
            for _ in range(BATCH)
        ]

    def learn(self, trials: Sequence[Candidate], bench: Bench) -> float:
        """Go to the best of these when it is better; returns the objective reached."""
        reached = bench.objective(self.best, self.paths)
        found = max(trials, key=lambda trial: bench.objective(trial, self.paths))
        value = bench.objective(found, self.paths)
        if value > reached + WORTH_IT:
            self.best, reached = found, value
            self._step = min(self._step * LONGER, MOST)
        else:
            self._step = max(self._step * SHORTER, LEAST)
        return reached


class Fit(Struct, frozen=True):
    """The result of a fit. `fitted` are the trials of the two halves, in order.

    `tested` are the rows of each session under what was fitted on the half it is not in, `before`
    those under the constants in force. `chosen` did best on all sessions of the two halves' and
    what lies between them.
    """

    paths: Paths
    start: Candidate
    fitted: tuple[Candidate, Candidate]
    before: tuple[Row, ...]
    tested: tuple[Row, ...]
    gain: Gain
    chosen: Candidate

    @property
    def accepted(self) -> bool:
        """True when the test says that fitting helps by more than noise."""
        return self.gain.sure


def halves(paths: Sequence[Path]) -> tuple[Paths, Paths]:
    """The even and the odd sessions by sorted name."""
    ordered = sorted(paths, key=lambda path: (path.stem, path))
    return tuple(ordered[0::2]), tuple(ordered[1::2])


def most_replays(paths: Sequence[Path], rounds: int) -> int:
    """Sessions replayed by a search at one capacity, at most."""
    first = max(map(len, SCAN.values())) if rounds else 0
    tried = first + rounds * BATCH
    return tried * sum(len(dense(part)) for part in halves(paths)) + 4 * len(paths)


def dense(paths: Sequence[Path]) -> Paths:
    """The sessions with most needs for a call, until they hold DENSE of the needs."""
    counts = {}
    for path in paths:
        events, needs = recorded(path)
        calls = sum(isinstance(event, Reply) for event in events)
        counts[path] = (len(needs), calls)
    order = sorted(paths, key=lambda path: (-counts[path][0] / max(counts[path][1], 1), path))
    left = DENSE * sum(needs for needs, _ in counts.values())
    found: list[Path] = []
    for path in order:
        if left <= 0:
            break
        found.append(path)
        left -= counts[path][0]
    return tuple(found)


def cross_validated(
    bench: Bench,
    paths: Sequence[Path],
    start: Candidate,
    rounds: int,
    seed: int,
    say: Callable[[str], None] = lambda _: None,
    only: Collection[str] = (),
) -> Fit:
    """Fit on each half, test on the other; `say` is told how far the halves have come. Where
    constants are named in `only`, the others stay."""
    parts = halves(paths)
    climbs = [Climb(start, part, Random(f"{seed} {at}"), only) for at, part in enumerate(parts)]
    ageing = start.policy.ageing
    first = [replace(start, fitted=one) for one in scanned(start.fitted, ageing) if rounds]
    for number in range(rounds + 1 if rounds else 0):
        proposed = [climb.proposed() if number else first for climb in climbs]
        bench.run(
            (trial, climb.paths)
            for climb, trials in zip(climbs, proposed, strict=True)
            for trial in trials
        )
        reached = [c.learn(trials, bench) for c, trials in zip(climbs, proposed, strict=True)]
        say(f"round {number}/{rounds}: " + ", ".join(f"{value:.4f}" for value in reached))
    one, other = (climb.best for climb in climbs)
    between = replace(start, fitted=middle(one.fitted, other.fitted))
    everything = (*parts[0], *parts[1])
    candidates = [trial for trial in (one, other, between) if trial != start] or [start]
    bench.run((trial, everything) for trial in candidates)
    before = bench.rows(start, everything)
    tested = [*bench.rows(other, parts[0]), *bench.rows(one, parts[1])]
    return Fit(
        paths=everything,
        start=start,
        fitted=(one, other),
        before=tuple(before),
        tested=tuple(tested),
        gain=gain(before, tested, bench.capacities, seed),
        chosen=max(candidates, key=lambda trial: bench.objective(trial, everything)),
    )
