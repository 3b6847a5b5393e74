"""Scenarios of planted facts in long work: strewn, flooded, changed, far away,
said at once, in other languages."""

from __future__ import annotations

from msgspec import Struct

from loom_bench.scenarios.planter import SHAPES, FactPlanter, PlantedKind, ToldFact
from loom_bench.script import SessionScript
from loom_bench.session import HALVES, HELD_OUT, TruthAsked
from loom_bench.simulated.world import world
from loom_bench.wires import wires_of
from loom_bench.words import tables_of, words_of

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


class PlantedTongue(Struct, frozen=True):
    """One language (or script): who or what is spoken of, what is said of it, lines around it.

    `values` are patterns as those of a PlantedKind. Lines of `around` have a number in them: `{n}`.
    """

    subjects: tuple[str, ...]
    values: tuple[str, ...]
    sayings: tuple[str, ...]
    questions: tuple[str, ...]
    tasks: tuple[str, ...]
    around: tuple[str, ...]
    rules: tuple[str, ...]


TONGUES = tuple(words_of(f"tongues_{half}", dict[str, PlantedTongue]) for half in HALVES)


def languages(script: SessionScript) -> None:
    """Facts, rules and questions in other languages and scripts, in files and from the user."""
    planter = FactPlanter(script)
    tongues = script.pick(TONGUES[:1], TONGUES[1:])
    planter.begin()
    length = script.rng.randint(60_000, 95_000)
    order = script.rng.sample(sorted(tongues), len(tongues))
    ruling = script.rng.sample(order, 3)
    known: list[ToldFact] = []
    for number, name in enumerate(order):
        tongue = tongues[name]
        script.work(1, tokens=length * number // len(order))
        if name in ruling:
            rule = script.rng.choice(tongue.rules)
            script.rule(rule, script.user(rule))
            script.work(1)
        known.append(_tell(planter, tongue))
        for other in script.rng.sample(order, 2):
            script.work(script.rng.randint(1, 2))
            script.call(*planter.asking("prose"), _page(planter, tongues[other], ""))
        if script.rng.random() < 0.75:
            planter.need(*script.rng.sample(known, min(len(known), script.rng.choice((1, 2)))))
    script.work(1, tokens=length)
    planter.end()


def _tell(planter: FactPlanter, tongue: PlantedTongue) -> ToldFact:
    """A new fact in a language, told by the user or by a page."""
    rng = planter.rng
    value = rng.choice(tongue.values)
    kind = PlantedKind("", "", value, tongue.sayings, tongue.questions, tongue.tasks)
    subject, value = rng.choice(tongue.subjects), planter.value(kind)
    fact = ToldFact(subject, kind, value, rng.choice(kind.questions).format(subject=subject))
    said = planter.said(fact)
    if rng.random() < 0.35:
        at = planter.script.user(f"{_around(planter, tongue)} {said}")
    else:
        shape = rng.choice(("prose", "code"))
        at = planter.script.call(*planter.asking(shape), _page(planter, tongue, said))
    planter.plant(fact, at)
    planter.script.work(1)
    return fact


def _around(planter: FactPlanter, tongue: PlantedTongue) -> str:
    """A line of a language that says nothing that matters."""
    return planter.rng.choice(tongue.around).format(n=planter.rng.randrange(2, 5_000))


def _page(planter: FactPlanter, tongue: PlantedTongue, said: str) -> str:
    """A text of a language, several sentences a line, with something said anywhere in it."""
    lines: list[str] = []
    size = planter.rng.choice((300, 900, 2_500))
    while sum(map(len, lines)) < size:
        lines.append(_around(planter, tongue))
    if said:
        lines.insert(planter.rng.randint(0, len(lines)), said)
    return "\n".join(" ".join(lines[at : at + 4]) for at in range(0, len(lines), 4))
