"""Scenarios of planted facts in long work: strewn, flooded, changed, said at once, far away."""

from __future__ import annotations

from msgspec.structs import replace

from loom_bench.scenarios.changing import ChangingThing
from loom_bench.scenarios.planter import SHAPES, FactPlanter, ToldFact
from loom_bench.script import SessionScript
from loom_bench.session import HELD_OUT, TruthAsked
from loom_bench.simulated.world import world
from loom_bench.wires import wires_of
from loom_bench.words import tables_of

WORDS = tables_of("facts")


def needle(script: SessionScript) -> None:
    """Five facts strewn over a long session of work; each is asked for at the end."""
    script.system("You are a careful engineer who works on this project with tools.")
    script.user(f"Please get the {script.words.name().replace('_', ' ')} work done.")
    half = script.pick((0,), (1,))
    things = script.rng.sample(WORDS["thing"][half], 5)
    owners = script.rng.sample(WORDS["owner"][half], 5)
    for number, (thing, owner) in enumerate(zip(things, owners, strict=True)):
        script.work(tokens=3_000 + 20_000 * number)
        said = script.rng.choice(WORDS["said"][half]).format(thing=thing, owner=owner)
        lines = script.words.code(40)
        lines.insert(script.rng.randrange(10, 30), f"# {said}")
        at = script.call("read", {"path": script.words.path()}, "\n".join(lines))
        script.fact(owner, f"Who looks after the {thing}?", at)
    script.work(tokens=110_000)
    script.user(script.pick(("Who looks after what?",), ("Give me the names, please.",)))


def coding(script: SessionScript) -> None:
    """Edits, runs of tests, rules, decisions and tasks, strewn over a long session."""
    simulated = world(script.seed, held_out=script.half == HELD_OUT)
    script.take(wires_of(simulated.events))
    for at in simulated.moments:
        script.owes(TruthAsked(at, simulated.truths[at - 1]))


FLOOD_SIZES = (300, 1_200, 2_500, 2_500, 4_000, 6_500)  # tokens of a result, about
PLACES = (0.0, 0.01, 0.5, 0.35, 1.0, 0.99)  # head, middle and end
FACTS = 9
LENGTH = (70_000, 110_000)  # tokens of a session
KINDS = tuple(SHAPES)


def flood(script: SessionScript) -> None:
    """Large tool results one after the other; a few of them say something that is needed later."""
    planter, rng = FactPlanter(script), script.rng
    planter.begin()
    length = rng.randint(*LENGTH)
    places = list(PLACES) + [rng.random() for _ in range(FACTS - len(PLACES))]
    rng.shuffle(places)

    def until(tokens: int) -> None:
        """More large results, and now and then ordinary work."""
        while script.tokens < tokens:
            script.call(*planter.result(rng.choice(KINDS), rng.choice(FLOOD_SIZES)))
            if rng.random() < 0.15:
                script.work(rng.randint(1, 3))

    known: list[ToldFact] = []
    for number, fact in enumerate(planter.facts(FACTS)):
        until(int(length * (number + rng.random() * 0.8) / FACTS))
        shape = rng.choice(KINDS) if rng.random() < 0.6 else "json"
        planter.find(fact, shape, rng.choice(FLOOD_SIZES[1:]), places[number])
        known.append(fact)
        until(script.tokens + rng.randrange(200, 9_000))
        if rng.random() < 0.7:
            planter.need(*rng.sample(known, min(len(known), rng.choice((1, 1, 2)))))
    until(length)
    script.work(1)
    planter.end()


def superseded(script: SessionScript) -> None:
    """Values that change two or three times, by file, word, edit, command or answer."""
    planter, rng = FactPlanter(script), script.rng
    planter.begin()
    length = rng.randint(*LENGTH)
    things = [ChangingThing(planter, fact) for fact in planter.facts(5)]
    # Each thing three or four times: its first value and two or three changes.
    order = [thing for thing in things for _ in range(rng.randint(3, 4))]
    rng.shuffle(order)
    for number, thing in enumerate(order):
        script.work(1, tokens=length * number // len(order))
        thing.change()
        known = [one for one in things if one.states]
        script.work(rng.randint(1, 4))
        if rng.random() < 0.6:
            _alike(planter, rng.choice(known).now)
        script.work(rng.randint(1, 3))
        if rng.random() < 0.65:
            rng.choice(known).need()
    script.work(1, tokens=length)
    planter.end()
    for thing in things:
        thing.owe()


def _alike(planter: FactPlanter, now: ToldFact) -> None:
    """A value of the same kind that was refused, is long past, made up, or of a near namesake."""
    script, rng = planter.script, planter.rng
    use = rng.choice(("rejected", "history", "sample", "namesake"))
    if use == "namesake":
        other = planter.fresh(now.kind, codename=now.subject.split()[0])
        script.call(*planter.result("code", 400, other, rng.random()))
        return
    said = replace(now, value=planter.value(now.kind)).fill(planter.phrase(use))
    if use == "rejected":
        script.user(said)
        return
    tool, given, text = planter.result("code", rng.choice((200, 700)))
    lines = text.split("\n")
    lines.insert(rng.randint(0, len(lines)), f"# {said}")
    script.call(tool, given, "\n".join(lines))


PARALLEL_SIZES = (10, 20, 60, 60, 200, 600, 1_500, 4_000)  # tokens of a result, about
MOST = 6_000  # tokens of one reply's results, about
GROUPS = 6  # replies that say something


def parallel(script: SessionScript) -> None:
    """Replies with four to eight calls at once, of very unequal results; few say something."""
    planter, rng = FactPlanter(script), script.rng
    planter.begin()
    length = rng.randint(65_000, 105_000)

    def until(tokens: int) -> None:
        """More such replies that say nothing, and ordinary work between them."""
        while script.tokens < tokens:
            script.work(rng.randint(1, 3))
            if rng.random() < 0.6:
                _fan(planter, [])

    told: list[list[ToldFact]] = []
    for number in range(GROUPS):
        until(int(length * (number + rng.random() * 0.7) / GROUPS))
        # At least every second reply says two things, in two of its results.
        facts = [planter.fresh() for _ in range(2 - number % 2 * rng.randint(0, 1))]
        _fan(planter, facts)
        told.append(facts)
        until(script.tokens + rng.randrange(1_500, 9_000))
        planter.need(*rng.choice(told))
    until(length)
    script.work(1)
    planter.end()


def _fan(planter: FactPlanter, facts: list[ToldFact]) -> None:
    """One reply with several calls of unequal results; the facts stand in different ones."""
    rng = planter.rng
    count, sizes = rng.randint(4, 8), [0]
    while sum(sizes) > MOST or max(sizes) < 10 * min(sizes) or not all(sizes):
        sizes = rng.choices(PARALLEL_SIZES, k=count)
    carried = dict(zip(rng.sample(range(count), len(facts)), facts, strict=True))
    asked = [
        planter.result(rng.choice(KINDS), size, carried.get(at), rng.random())
        for at, size in enumerate(sizes)
    ]
    results = planter.script.calls(asked)
    for at, fact in carried.items():
        planter.plant(fact, results[at])


HAUL_LENGTH = 250_000  # tokens of a session
FIRST = 8  # facts of the first minutes
LATER = 3  # facts that come on the way
STRETCHES = 14  # between which something is needed


def haul(script: SessionScript) -> None:
    """A very long run, the user seldom heard; what the first minutes said is needed to the end."""
    planter, rng = FactPlanter(script), script.rng
    planter.begin()
    known = planter.facts(FIRST + LATER)
    first, others = known[:FIRST], known[FIRST:]
    _brief(planter, first)
    later = rng.sample(range(1, STRETCHES - 1), LATER)
    for stretch in range(STRETCHES):
        script.work(tokens=5_000 + (HAUL_LENGTH - 5_000) * (stretch + 1) // STRETCHES)
        if stretch in later:
            fact = others[later.index(stretch)]
            planter.find(fact, rng.choice(("log", "json", "code")), 800)
            script.work(3)
            planter.need(fact)
        elif stretch % 2:
            script.work(1)
            planter.need(*rng.sample(known[:FIRST], rng.randint(1, 3)))
    script.work(2)
    planter.end()


def _brief(planter: FactPlanter, facts: list[ToldFact]) -> None:
    """The user's brief says some of the facts and a rule, what the model looks at the others."""
    script, rng = planter.script, planter.rng
    rng.shuffle(facts)
    half = script.pick((0,), (1,))
    rule = rng.choice(WORDS["rule"][half]).format(subject=planter.subject())
    said = " ".join(planter.said(fact) for fact in facts[:3])
    script.work(1)
    at = script.user(rng.choice(WORDS["brief"][half]).format(said=said, rule=rule))
    script.rule(rule, at)
    for fact in facts[:3]:
        planter.plant(fact, at)
    for fact in facts[3:]:
        shape = rng.choice(("prose", "code", "log", "table", "json"))
        planter.find(fact, shape, rng.choice((200, 500)), rng.random())
