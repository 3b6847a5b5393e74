"""Replies with four to eight calls at once, of very unequal results; few of them say something."""

from __future__ import annotations

from loom_bench.scenarios.planting.bodies import BODIES
from loom_bench.scenarios.planting.kinds import ToldFact
from loom_bench.scenarios.planting.planter import FactPlanter
from loom_bench.script import SessionScript

SIZES = (10, 20, 60, 60, 200, 600, 1_500, 4_000)  # tokens of a result, about
MOST = 6_000  # tokens of one reply's results, about
LENGTH = (65_000, 105_000)  # tokens of a session
GROUPS = 6  # replies that say something
SHAPES = tuple(BODIES)


def parallel(script: SessionScript) -> None:
    """Replies with four to eight calls at once, of very unequal results; few say something."""
    planter = FactPlanter(script)
    planter.begin()
    length = script.rng.randint(*LENGTH)
    told: list[list[ToldFact]] = []
    for number in range(GROUPS):
        _until(planter, int(length * (number + script.rng.random() * 0.7) / GROUPS))
        # At least every second reply says two things, in two of its results.
        facts = [planter.fresh() for _ in range(2 - number % 2 * script.rng.randint(0, 1))]
        _fan(planter, facts)
        told.append(facts)
        _until(planter, script.tokens + script.rng.randrange(1_500, 9_000))
        planter.need(*script.rng.choice(told))
    _until(planter, length)
    script.work(1)
    planter.end()


def _fan(planter: FactPlanter, facts: list[ToldFact]) -> None:
    """One reply with several calls; the facts stand in different results, of any size."""
    rng = planter.rng
    count = rng.randint(4, 8)
    sizes = _sizes(planter, count)
    carried = dict(zip(rng.sample(range(count), len(facts)), facts, strict=True))
    asked = [
        planter.result(rng.choice(SHAPES), size, carried.get(at), rng.random())
        for at, size in enumerate(sizes)
    ]
    results = planter.script.calls(asked)
    for at, fact in carried.items():
        planter.plant(fact, results[at])


def _sizes(planter: FactPlanter, count: int) -> list[int]:
    """Sizes of the results of one reply, in tokens: unequal, and not too many in all."""
    while True:
        sizes = planter.rng.choices(SIZES, k=count)
        if sum(sizes) <= MOST and max(sizes) >= 10 * min(sizes):
            return sizes


def _until(planter: FactPlanter, tokens: int) -> None:
    """More such replies that say nothing, and ordinary work between them."""
    while planter.script.tokens < tokens:
        planter.script.work(planter.rng.randint(1, 3))
        if planter.rng.random() < 0.6:
            _fan(planter, [])
