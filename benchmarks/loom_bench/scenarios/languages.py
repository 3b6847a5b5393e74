"""Facts, rules and questions in other languages and scripts."""

from __future__ import annotations

from msgspec import Struct

from loom_bench.scenarios.planter import FactPlanter, PlantedKind, ToldFact
from loom_bench.script import SessionScript
from loom_bench.session import HALVES
from loom_bench.words import words_of


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
LENGTH = (60_000, 95_000)  # tokens of a session
SIZES = (300, 900, 2_500)  # characters of a text in another language
TOLD = 0.35  # of the facts come from the user, the others from a file
RULES = 3


def languages(script: SessionScript) -> None:
    """Facts, rules and questions in other languages and scripts, in files and from the user."""
    planter = FactPlanter(script)
    tongues = script.pick(TONGUES[:1], TONGUES[1:])
    planter.begin()
    length = script.rng.randint(*LENGTH)
    order = script.rng.sample(sorted(tongues), len(tongues))
    ruling = script.rng.sample(order, RULES)
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
    if rng.random() < TOLD:
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
    size = planter.rng.choice(SIZES)
    while sum(map(len, lines)) < size:
        lines.append(_around(planter, tongue))
    if said:
        lines.insert(planter.rng.randint(0, len(lines)), said)
    return "\n".join(" ".join(lines[at : at + 4]) for at in range(0, len(lines), 4))
