"""The search for constants: trials in processes, a climb on each half.

At first the values of SCAN for λ are tried, then in each round BATCH neighbours of the best so far,
by the constants of the score or, where asked for, by a number of the policy (`SHARES`); a round
that found a better one makes the steps longer, one that did not shorter. The search looks at the
sources with most questions for a call alone, until they hold DENSE of the half's: the others cost a
good part of the time and decide little. The test is on all sources of the other half, which the
search never saw.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from random import Random
from types import TracebackType
from typing import Self

from msgspec import Struct, json
from msgspec.structs import replace

from loom_bench.fit.constants import SCAN, middle, moved, policy_between, policy_moved, scanned
from loom_bench.fit.objective import Gain, Row, gain, objective
from loom_bench.fit.replay import (
    Candidate,
    Source,
    dense,
    name_of,
    replayed,
    size_of,
)

Wanted = tuple[Candidate, Sequence[Source]]


class Bench:
    """Runs trials; one that ran on a session is not run on it again.

    `tell` is called with how many replays were done.
    """

    def __init__(
        self, capacities: Sequence[int], workers: int, tell: Callable[[int], None] = lambda _: None
    ) -> None:
        self.capacities = tuple(capacities)
        self._tell = tell
        self._rows: dict[tuple[bytes, Source], Row] = {}
        self._pool = (
            ProcessPoolExecutor(workers, mp_context=get_context("spawn")) if workers > 1 else None
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def run(self, wanted: Iterable[Wanted]) -> None:
        """Run trials on sessions: a session goes to one worker with all that is wanted of it."""
        jobs: dict[Source, dict[bytes, Candidate]] = {}
        for trial, paths in wanted:
            name = _name(trial)
            for path in paths:
                if (name, path) not in self._rows:
                    jobs.setdefault(path, {})[name] = trial
        for path, rows in self._answers({path: list(jobs[path].values()) for path in jobs}):
            self._rows |= {(n, path): row for n, row in zip(jobs[path], rows, strict=True)}
            self._tell(len(rows) * len(self.capacities))

    def rows(self, trial: Candidate, paths: Sequence[Source]) -> list[Row]:
        """The sums of each session, run when they were not."""
        self.run([(trial, paths)])
        name = _name(trial)
        return [self._rows[name, path] for path in paths]

    def objective(self, trial: Candidate, paths: Sequence[Source]) -> float:
        """The objective over sessions."""
        return objective(self.rows(trial, paths), self.capacities)

    def _answers(
        self, jobs: Mapping[Source, list[Candidate]]
    ) -> Iterator[tuple[Source, list[Row]]]:
        if self._pool is None:
            for path, trials in jobs.items():
                yield path, replayed(path, trials, self.capacities)
            return
        running = {
            self._pool.submit(replayed, path, jobs[path], self.capacities): path
            for path in sorted(jobs, key=lambda one: (-size_of(one), str(one)))
        }
        for future in as_completed(running):
            yield running[future], future.result()


def _name(trial: Candidate) -> bytes:
    return json.encode(trial, order="sorted")


BATCH = 2
STEP, LEAST, MOST = 0.5, 0.15, 1.0  # deviation of a move on the log scale
LONGER, SHORTER = 1.3, 0.85
WORTH_IT = 0.003  # of the objective, about one needle: for less no constant changes

Sources = tuple[Source, ...]


class Climb:
    """The way up on one half."""

    def __init__(
        self,
        start: Candidate,
        paths: Sources,
        random: Random,
        only: Collection[str] = (),
        shares: bool = False,
    ) -> None:
        self.best = start
        self._only, self._shares = only, shares
        self.paths = dense(paths)
        self._random = random
        self._step = STEP

    def proposed(self) -> list[Candidate]:
        """The neighbours to try next."""
        return [self._neighbour() for _ in range(BATCH)]

    def _neighbour(self) -> Candidate:
        best, step, random = self.best, self._step, self._random
        if self._shares and random.random() < 0.5:
            return replace(best, policy=policy_moved(best.policy, step, random))
        made = moved(best.fitted, step, random, best.policy.ageing, self._only)
        return replace(best, fitted=made)

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

    paths: Sources
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


def halves(sources: Sequence[Source]) -> tuple[Sources, Sources]:
    """The even and the odd sessions by sorted name."""
    ordered = sorted(sources, key=lambda one: (name_of(one), str(one)))
    number = {name: at for at, name in enumerate(dict.fromkeys(map(name_of, ordered)))}
    one, other = (tuple(s for s in ordered if number[name_of(s)] % 2 == at) for at in (0, 1))
    return one, other


def most_replays(paths: Sequence[Source], rounds: int) -> int:
    """Sessions replayed by a search at one capacity, at most."""
    first = max(map(len, SCAN.values())) if rounds else 0
    tried = first + rounds * BATCH
    return tried * sum(len(dense(part)) for part in halves(paths)) + 4 * len(paths)


def cross_validated(
    bench: Bench,
    paths: Sequence[Source],
    start: Candidate,
    rounds: int,
    seed: int,
    say: Callable[[str], None] = lambda _: None,
    only: Collection[str] = (),
    shares: bool = False,
) -> Fit:
    """Fit on each half, test on the other; `say` is told how far the halves have come. Where
    constants are named in `only`, the others stay; with `shares` numbers of the policy move too."""
    parts = halves(paths)
    climbs = [
        Climb(start, part, Random(f"{seed} {at}"), only, shares) for at, part in enumerate(parts)
    ]
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
    between = Candidate(middle(one.fitted, other.fitted), policy_between(one.policy, other.policy))
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
