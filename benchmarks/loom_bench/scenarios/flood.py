"""Large tool results one after the other; a few of them say something that is needed later."""

from __future__ import annotations

from loom_bench.scenarios.planting.bodies import BODIES
from loom_bench.scenarios.planting.kinds import ToldFact
from loom_bench.scenarios.planting.planter import FactPlanter
from loom_bench.script import SessionScript

SIZES = (300, 1_200, 2_500, 2_500, 4_000, 6_500)  # tokens of a result, about
PLACES = (0.0, 0.01, 0.5, 0.35, 1.0, 0.99)  # head, middle and end
FACTS = 9
LENGTH = (70_000, 110_000)  # tokens of a session
SHAPES = tuple(BODIES)


def flood(script: SessionScript) -> None:
    """Large tool results one after the other; a few of them say something that is needed later."""
    planter = FactPlanter(script)
    planter.begin()
    length = script.rng.randint(*LENGTH)
    places = list(PLACES) + [script.rng.random() for _ in range(FACTS - len(PLACES))]
    script.rng.shuffle(places)
    known: list[ToldFact] = []
    for number, fact in enumerate(planter.facts(FACTS)):
        _until(planter, int(length * (number + script.rng.random() * 0.8) / FACTS))
        _carry(planter, fact, places[number])
        known.append(fact)
        _until(planter, script.tokens + script.rng.randrange(200, 9_000))
        if script.rng.random() < 0.7:
            planter.need(*script.rng.sample(known, min(len(known), script.rng.choice((1, 1, 2)))))
    _until(planter, length)
    script.work(1)
    planter.end()


def _carry(planter: FactPlanter, fact: ToldFact, place: float) -> None:
    """A large result with a fact at a place; in JSON it is one field deep in the structure."""
    rng = planter.rng
    shape = rng.choice(SHAPES) if rng.random() < 0.6 else "json"
    asked = planter.result(shape, rng.choice(SIZES[1:]), fact, place)
    planter.plant(fact, planter.script.call(*asked))


def _until(planter: FactPlanter, tokens: int) -> None:
    """More large results, and now and then ordinary work, until there are so many tokens."""
    script, rng = planter.script, planter.rng
    while script.tokens < tokens:
        script.call(*planter.result(rng.choice(SHAPES), rng.choice(SIZES)))
        if rng.random() < 0.15:
            script.work(rng.randint(1, 3))
