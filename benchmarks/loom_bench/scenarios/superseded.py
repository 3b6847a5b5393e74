"""Values that change two or three times, by file, word, edit, command or answer."""

from __future__ import annotations

from loom_bench.scenarios.planting.changing import ChangingThing
from loom_bench.scenarios.planting.kinds import ToldFact
from loom_bench.scenarios.planting.planter import FactPlanter
from loom_bench.script import AskedFor, SessionScript

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
