"""A life lived by one keeper or by several: turn by turn on the same events, each one timed."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice

from benchmarks.measures.speed.figures import TurnCosts
from benchmarks.measures.speed.floor import SAMPLED, CostFloor
from benchmarks.measures.speed.keepers import LOOM, Keeper, LoomKeeper
from benchmarks.measures.speed.verdict import RequestVerdict
from loom.inputs import Event, Reply

COLLECTED = 64  # turns after which garbage is collected, in a life of several keepers
TELLS = 50  # how often progress is told, at most


class KeeperLife:
    """One keeper, what its turns cost, and what its requests were worth where that is judged.

    `failed` says what its package raised and at which turn; it then has no more turns.
    """

    def __init__(self, keeper: Keeper, steps: int, verdict: RequestVerdict | None = None) -> None:
        self.keeper = keeper
        self.costs = TurnCosts(steps)
        self.verdict = verdict
        self.failed = ""

    def turn(self, number: int, events: list[Event]) -> None:
        """One turn, timed; then judged, which is not."""
        begun, started = time.thread_time(), time.perf_counter()
        self.keeper.turn(events)
        cpu, wall = time.thread_time() - begun, time.perf_counter() - started
        self.costs.add(number, self.keeper.told(), 1_000 * cpu, 1_000 * wall)
        if self.verdict is not None:
            self.verdict.judge(self.keeper.request)


def live(
    lives: Mapping[str, KeeperLife],
    events: Iterable[Event],
    steps: int,
    floor: CostFloor,
    tell: Callable[[int, str], None],
) -> None:
    """Live so many turns. The keeper that goes first changes from turn to turn.

    `tell` is called after each with 1, and at times with a word for where no bar is drawn.
    Raises what Loom raises; what another keeper raises ends its life alone.
    """
    names = list(lives)
    often = -(-steps // TELLS)
    with _collected_between(len(names) > 1) as collect:
        for number, batch in enumerate(islice(batches(events), steps)):
            floor.turn(number, batch)
            first = number % len(names)
            for name in names[first:] + names[:first]:
                _turn(name, lives[name], number, batch)
            ours = lives[LOOM].keeper
            if number % SAMPLED == 0 and isinstance(ours, LoomKeeper):
                floor.sample(batch, ours.wire)
            if collect and number % COLLECTED == 0:
                gc.collect()
            done = number + 1
            tell(1, "steps" if done % often == 0 or done == steps else "")


def batches(events: Iterable[Event]) -> Iterator[list[Event]]:
    """What comes in before each request: the reply before it and all up to the next."""
    came: list[Event] = []
    for event in events:
        if isinstance(event, Reply):
            yield came
            came = []
        came.append(event)


def _turn(name: str, life: KeeperLife, number: int, batch: list[Event]) -> None:
    if life.failed:
        return
    try:
        life.turn(number, batch)
    except Exception as error:
        if name == LOOM:
            raise
        life.failed = f"turn {number + 1}: {type(error).__name__}: {error}"


@contextmanager
def _collected_between(several: bool) -> Iterator[bool]:
    """With several keepers garbage is collected between turns only: no keeper pays for another's.

    Gives whether the caller is to collect.
    """
    if not several:
        yield False
        return
    before = gc.isenabled()
    gc.disable()
    try:
        yield True
    finally:
        if before:
            gc.enable()
