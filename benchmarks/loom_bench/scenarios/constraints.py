"""Side constraints in the middle of the user's messages; some are lifted or narrowed later."""

from __future__ import annotations

from msgspec import Struct

from loom_bench.scenarios.wording import Halves, PlantedWords, Story, capital, hear, session, side
from loom_bench.script import SessionScript
from loom_bench.words import words_of


class SideConstraint(Struct, frozen=True):
    """A kind of constraint. `value` names the table of what it demands, if it demands something
    exact; then `question` is asked and the user has `asks` for work in which it matters."""

    about: str
    says: tuple[str, ...]
    lifts: tuple[str, ...]
    narrows: tuple[str, ...]
    value: str = ""
    question: str = ""
    asks: tuple[str, ...] = ()


TABLES = words_of("constraints", "TABLES", Halves)

KINDS = words_of(
    "constraints", "KINDS", tuple[tuple[SideConstraint, ...], tuple[SideConstraint, ...]]
)
FATES = ("stands", "stands", "lifted", "stands", "narrowed")


def constraints(script: SessionScript) -> None:
    """Fifteen constraints of the user between other matters, some lifted or narrowed later."""

    def stories(words: PlantedWords) -> list[Story]:
        made = [
            _constraint(script, words, kind, FATES[(number + number // 5) % len(FATES)])
            for number, kind in enumerate([*side(script, KINDS)] * 3)
        ]
        script.rng.shuffle(made)
        return made

    session(script, TABLES, stories, 38, (75_000, 110_000), steps=3)


def _constraint(
    script: SessionScript, words: PlantedWords, kind: SideConstraint, fate: str
) -> Story:
    """A constraint from the message that brings it to its end, a turn at a time."""
    given = {
        "thing": words.one(kind.about, kind.says[0]),
        "holder": words.one("holder"),
        "part": words.one("part"),
        "value": words.one(kind.value or "package"),
    }
    said = words.fill(kind.says[0], kind.says, given)
    at = hear(script, words, words.around(said))
    rule = script.rule(said, at)
    stands = fate == "stands" and bool(kind.value)
    if stands:
        script.fact(given["value"], capital(kind.question.format(**given)), at)
    yield
    if stands:
        for ask in script.rng.sample(kind.asks, 2):
            hear(script, words, " ".join((words.say("aside"), capital(ask.format(**given)))))
            script.need(given["value"])
            yield
    if fate == "lifted":
        gone = words.fill(kind.lifts[0], kind.lifts, given)
        script.lift(rule, hear(script, words, words.around(gone)))
        yield
    if fate == "narrowed":
        less = words.fill(kind.narrows[0], kind.narrows, given)
        at = hear(script, words, words.around(less))
        script.lift(rule, at)
        script.rule(less, at)
        yield
