"""A very long run, the user seldom heard; what the first minutes said is needed to the end."""

from __future__ import annotations

from loom_bench.scenarios.planting.kinds import ToldFact
from loom_bench.scenarios.planting.planter import FactPlanter
from loom_bench.script import SessionScript

LENGTH = 250_000  # tokens of a session
FIRST = 8  # facts of the first minutes
LATER = 3  # facts that come on the way
STRETCHES = 14  # between which something is needed

WORDING = (
    {
        "rule": ("Never restart the {subject} yourself.",
                 "Do not ask anybody outside the team about the {subject}."),
        "brief": ("{said} {rule} I will be mostly away, so work on by yourself.",
                  "{rule} {said} Expect few answers, I am in meetings."),
    },
    {
        "rule": ("Nobody touches the {subject} overnight.",
                 "You must document every step concerning the {subject}."),
        "brief": ("{rule} Moreover: {said} Continue unattended, I travel.",
                  "Background: {said} {rule} My replies will be rare."),
    },
)  # fmt: skip


def haul(script: SessionScript) -> None:
    """A very long run, the user seldom heard; what the first minutes said is needed to the end."""
    planter = FactPlanter(script)
    planter.begin()
    known = planter.facts(FIRST + LATER)
    _first(planter, known[:FIRST])
    later = script.rng.sample(range(1, STRETCHES - 1), LATER)
    for stretch in range(STRETCHES):
        script.work(tokens=5_000 + (LENGTH - 5_000) * (stretch + 1) // STRETCHES)
        if stretch in later:
            fact = known[FIRST + later.index(stretch)]
            asked = planter.result(script.rng.choice(("log", "json", "code")), 800, fact)
            planter.plant(fact, script.call(*asked))
            script.work(3)
            planter.need(fact)
        elif stretch % 2:
            script.work(1)
            planter.need(*script.rng.sample(known[:FIRST], script.rng.randint(1, 3)))
    script.work(2)
    planter.end()


def _first(planter: FactPlanter, facts: list[ToldFact]) -> None:
    """The user's brief says some of the facts and a rule, what the model looks at the others."""
    script, rng = planter.script, planter.rng
    rng.shuffle(facts)
    table = script.pick(WORDING[:1], WORDING[1:])
    rule = rng.choice(table["rule"]).format(subject=planter.subject())
    told, read = facts[:3], facts[3:]
    said = " ".join(planter.said(fact) for fact in told)
    script.work(1)
    at = script.user(rng.choice(table["brief"]).format(said=said, rule=rule))
    script.rule(rule, at)
    for fact in told:
        planter.plant(fact, at)
    for fact in read:
        shape = rng.choice(("prose", "code", "log", "table", "json"))
        asked = planter.result(shape, rng.choice((200, 500)), fact, rng.random())
        planter.plant(fact, script.call(*asked))
