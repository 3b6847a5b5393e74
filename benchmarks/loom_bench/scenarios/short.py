"""Scenarios in a few lines each: needle, coding, flood, superseded, parallel, haul."""

from __future__ import annotations

from loom_bench.scenarios.changing import ChangingThing
from loom_bench.scenarios.planter import BODIES, FactPlanter, ToldFact
from loom_bench.script import AskedFor, SessionScript
from loom_bench.session import HELD_OUT, TruthAsked
from loom_bench.simulated.world import world
from loom_bench.wires import wires_of

NEEDLES = (
    ("payments gateway", "nightly importer", "mail relay", "tax service", "audit archive"),
    ("badge printer", "tide forecast", "seat planner", "loan desk", "parcel tracker"),
)
OWNERS = (
    ("Ines Varga", "Tomasz Sato", "Priya Quispe", "Freya Moreau", "Osman Brandt"),
    ("Wanda Kirsch", "Igor Palmer", "Leila Fontaine", "Marta Ekdahl", "Ruben Achebe"),
)
SAYINGS = (
    ("The {thing} is looked after by {owner}.", "{thing}: on call is {owner}."),
    ("Ask {owner} about the {thing}.", "Responsible for the {thing} is {owner}."),
)


def needle(script: SessionScript) -> None:
    """Five facts strewn over a long session of work; each is asked for at the end."""
    script.system("You are a careful engineer who works on this project with tools.")
    script.user(f"Please get the {script.words.name().replace('_', ' ')} work done.")
    half = script.pick((0,), (1,))
    things = script.rng.sample(NEEDLES[half], 5)
    owners = script.rng.sample(OWNERS[half], 5)
    for number, (thing, owner) in enumerate(zip(things, owners, strict=True)):
        script.work(tokens=3_000 + 20_000 * number)
        said = script.rng.choice(SAYINGS[half]).format(thing=thing, owner=owner)
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
FLOOD_LENGTH = (70_000, 110_000)  # tokens of a session
FLOOD_SHAPES = tuple(BODIES)


def flood(script: SessionScript) -> None:
    """Large tool results one after the other; a few of them say something that is needed later."""
    planter = FactPlanter(script)
    planter.begin()
    length = script.rng.randint(*FLOOD_LENGTH)
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
    shape = rng.choice(FLOOD_SHAPES) if rng.random() < 0.6 else "json"
    asked = planter.result(shape, rng.choice(FLOOD_SIZES[1:]), fact, place)
    planter.plant(fact, planter.script.call(*asked))


def _until(planter: FactPlanter, tokens: int) -> None:
    """More large results, and now and then ordinary work, until there are so many tokens."""
    script, rng = planter.script, planter.rng
    while script.tokens < tokens:
        script.call(*planter.result(rng.choice(FLOOD_SHAPES), rng.choice(FLOOD_SIZES)))
        if rng.random() < 0.15:
            script.work(rng.randint(1, 3))


THINGS = 5
LENGTH = (70_000, 110_000)  # tokens of a session
ALIKE = 0.6  # of the moments after a change bring something that looks like a value
NEEDED = 0.65  # of the moments after a change bring a need


def superseded(script: SessionScript) -> None:
    """Values that change two or three times, by file, word, edit, command or answer."""
    planter = FactPlanter(script)
    planter.begin()
    length = script.rng.randint(*LENGTH)
    things = [ChangingThing(planter, fact) for fact in planter.facts(THINGS)]
    # Each thing three or four times: its first value and two or three changes.
    order = [thing for thing in things for _ in range(script.rng.randint(3, 4))]
    script.rng.shuffle(order)
    for number, thing in enumerate(order):
        script.work(1, tokens=length * number // len(order))
        thing.change()
        known = [one for one in things if one.states]
        script.work(script.rng.randint(1, 4))
        if script.rng.random() < ALIKE:
            _alike(planter, script.rng.choice(known))
        script.work(script.rng.randint(1, 3))
        if script.rng.random() < NEEDED:
            script.rng.choice(known).need()
    script.work(1, tokens=length)
    planter.end()
    for thing in things:
        thing.owe()


def _alike(planter: FactPlanter, thing: ChangingThing) -> None:
    """A value of the same kind that was refused, is long past, made up, or of a near namesake."""
    kind, subject = thing.first.kind, thing.first.subject
    use = planter.rng.choice(("rejected", "history", "sample", "namesake"))
    if use == "namesake":
        other = planter.fresh(kind, codename=subject.split()[0])
        planter.script.call(*planter.result("code", 400, other, planter.rng.random()))
        return
    said = ToldFact(subject, kind, planter.value(kind), "").fill(planter.phrase(use))
    if use == "rejected":
        planter.script.user(said)
    else:
        planter.script.call(*_commented(planter, said))


def _commented(planter: FactPlanter, said: str) -> AskedFor:
    """A source file with a comment."""
    tool, given, text = planter.result("code", planter.rng.choice((200, 700)))
    lines = text.split("\n")
    lines.insert(planter.rng.randint(0, len(lines)), f"# {said}")
    return tool, given, "\n".join(lines)


PARALLEL_SIZES = (10, 20, 60, 60, 200, 600, 1_500, 4_000)  # tokens of a result, about
MOST = 6_000  # tokens of one reply's results, about
PARALLEL_LENGTH = (65_000, 105_000)  # tokens of a session
GROUPS = 6  # replies that say something
PARALLEL_SHAPES = tuple(BODIES)


def parallel(script: SessionScript) -> None:
    """Replies with four to eight calls at once, of very unequal results; few say something."""
    planter = FactPlanter(script)
    planter.begin()
    length = script.rng.randint(*PARALLEL_LENGTH)
    told: list[list[ToldFact]] = []
    for number in range(GROUPS):
        _parallel_until(planter, int(length * (number + script.rng.random() * 0.7) / GROUPS))
        # At least every second reply says two things, in two of its results.
        facts = [planter.fresh() for _ in range(2 - number % 2 * script.rng.randint(0, 1))]
        _fan(planter, facts)
        told.append(facts)
        _parallel_until(planter, script.tokens + script.rng.randrange(1_500, 9_000))
        planter.need(*script.rng.choice(told))
    _parallel_until(planter, length)
    script.work(1)
    planter.end()


def _fan(planter: FactPlanter, facts: list[ToldFact]) -> None:
    """One reply with several calls; the facts stand in different results, of any size."""
    rng = planter.rng
    count = rng.randint(4, 8)
    sizes = _sizes(planter, count)
    carried = dict(zip(rng.sample(range(count), len(facts)), facts, strict=True))
    asked = [
        planter.result(rng.choice(PARALLEL_SHAPES), size, carried.get(at), rng.random())
        for at, size in enumerate(sizes)
    ]
    results = planter.script.calls(asked)
    for at, fact in carried.items():
        planter.plant(fact, results[at])


def _sizes(planter: FactPlanter, count: int) -> list[int]:
    """Sizes of the results of one reply, in tokens: unequal, and not too many in all."""
    while True:
        sizes = planter.rng.choices(PARALLEL_SIZES, k=count)
        if sum(sizes) <= MOST and max(sizes) >= 10 * min(sizes):
            return sizes


def _parallel_until(planter: FactPlanter, tokens: int) -> None:
    """More such replies that say nothing, and ordinary work between them."""
    while planter.script.tokens < tokens:
        planter.script.work(planter.rng.randint(1, 3))
        if planter.rng.random() < 0.6:
            _fan(planter, [])


HAUL_LENGTH = 250_000  # tokens of a session
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
        script.work(tokens=5_000 + (HAUL_LENGTH - 5_000) * (stretch + 1) // STRETCHES)
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
