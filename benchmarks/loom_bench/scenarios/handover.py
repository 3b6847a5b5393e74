"""The user comes back after days; rules, returns, failures, what was done, decided, left."""

from __future__ import annotations

from msgspec import Struct

from loom_bench.scenarios.changing import ChangingThing
from loom_bench.scenarios.planter import FactPlanter, PlantedKind, ToldFact
from loom_bench.script import SessionScript
from loom_bench.session import HALVES
from loom_bench.words import words_of


class HandoverWords(Struct, frozen=True):
    """The words of a half: sentences by use, and what is told of the work."""

    phrases: dict[str, tuple[str, ...]]
    kinds: dict[str, PlantedKind]


WORDING = tuple(words_of("standing", dict[str, HandoverWords])[half] for half in HALVES)
LENGTH = (70_000, 105_000)  # tokens of a session
RESTATED = 0.5  # of the model's accounts name again what they speak of
EPISODES = ("done", "decided", "open", "fact", "fact", "change", "change", "failure", "failure")


class Handover:
    """A session in three parts: days of work, the user's return and what follows, a second one."""

    def __init__(self, script: SessionScript) -> None:
        self.script = script
        self.rng = script.rng
        self.planter = FactPlanter(script)
        self.words = script.pick(WORDING[:1], WORDING[1:])
        self.facts: list[ToldFact] = []
        self.things: list[ChangingThing] = []
        self.failures: list[tuple[str, str, int, int | None]] = []
        self.rules: list[tuple[str, int]] = []  # what of, number for `lift`

    def write(self) -> None:
        """The whole session."""
        length = self.rng.randint(*LENGTH)
        self.planter.begin()
        self._brief()
        for first, last in ((0.03, 0.48), (0.55, 0.9)):
            self._days(int(length * first), int(length * last))
            self.script.work(1)
            self.script.user(self._phrase("return"))
            if last < 0.5:
                self._resume()
        for thing in self.things:
            thing.owe()
        for failure in self.failures:
            self.script.fails(*failure)

    def _phrase(self, use: str) -> str:
        return self.rng.choice(self.words.phrases[use])

    def _brief(self) -> None:
        """The user says what must be kept to."""
        self.script.work(1)
        for template in self.rng.sample(self.words.phrases["rule"], 3):
            subject = self.planter.subject()
            rule = template.format(subject=subject)
            at = self.script.user(self._phrase("lay").format(rule=rule))
            self.rules.append((subject, self.script.rule(rule, at)))
            self.script.work(1)

    def _days(self, begin: int, end: int) -> None:
        """Work, with everything that a return has to give account of strewn over it."""
        episodes = list(EPISODES)
        self.rng.shuffle(episodes)
        for number, episode in enumerate(episodes):
            self.script.work(1, tokens=begin + (end - begin) * number // len(episodes))
            match episode:
                case "fact":
                    self._fact()
                case "change":
                    self._change()
                case "failure":
                    self._failure()
                case _:
                    self._says(episode)
        self.script.work(1, tokens=end)

    def _resume(self) -> None:
        """The account the user asked for, and the first things done after it."""
        known = self.rng.sample(self.facts, min(4, len(self.facts)))
        thing = self.rng.choice(self.things)
        for fact in known:
            self.script.need(fact.value)
        thing.due()
        said = [fact.fill("{subject}: {value}.") for fact in known]
        restated = " ".join(said) if self.rng.random() < RESTATED else ""
        self.script.says(f"{self._phrase('account')} {restated}".strip())
        self.script.user(self._phrase("resume"))
        self.script.work(1)
        self.planter.need(*self.rng.sample([one for one in self.facts if one not in known], 1))
        self.script.work(2)
        self.rng.choice(self.things).need()
        self._lift()

    def _lift(self) -> None:
        """The user takes a rule back."""
        subject, number = self.rules.pop()
        self.script.work(1)
        self.script.lift(number, self.script.user(self._phrase("lift").format(subject=subject)))

    # Episodes.

    def _says(self, kind: str) -> None:
        """The user or the model says what is done (always the model), decided or open."""
        by_user = kind != "done" and self.rng.random() < (0.6 if kind == "decided" else 0.3)
        fact = self.planter.fresh(self.words.kinds[kind])
        if by_user:
            at = self.planter.aside(fact)
        else:
            at = self.script.says(self.planter.said(fact))
            self.script.user(self.planter.phrase("nudge"))
        self._plant(fact, at)

    def _fact(self) -> None:
        fact = self.planter.fresh()
        if self.rng.random() < 0.4:
            self._plant(fact, self.planter.aside(fact))
        else:
            shape = self.rng.choice(("log", "prose", "json", "code"))
            asked = self.planter.result(shape, 900, fact, self.rng.random())
            self._plant(fact, self.script.call(*asked))

    def _plant(self, fact: ToldFact, at: int) -> None:
        self.facts.append(fact)
        self.planter.plant(fact, at)

    def _change(self) -> None:
        """A value, and its next one; the second part of the session changes those of the first."""
        if len(self.things) < 2:
            thing = ChangingThing(self.planter, self.planter.fresh())
            self.things.append(thing)
        else:
            thing = self.rng.choice(self.things)
        for _ in range(1 if thing.states else 2):
            thing.change()
            self.script.work(2)

    def _failure(self) -> None:
        """A check fails. Every second one passes when it is run again; the others stay open."""
        slug = self.planter.subject().lower().replace(" ", "_")
        command = self._phrase("check").format(slug=slug)
        says = self._phrase("broken").format(slug=slug, number=self.rng.randrange(10_000, 99_999))
        log = self.planter.material.log(self.rng.choice((2, 10, 40)))
        at = self._run(command, "\n".join([*log, says, self._phrase("exit")]))
        resolved = None
        if len(self.failures) % 2 == 0:
            self.script.work(self.rng.randint(2, 4))
            resolved = self._run(command, self._phrase("passed").format(slug=slug))
        self.failures.append((command, says, at, resolved))

    def _run(self, command: str, result: str) -> int:
        tool, given = self.planter.asking("shell")
        return self.script.call(tool, dict.fromkeys(given, command), result)


def handover(script: SessionScript) -> None:
    """The user comes back after days: “where were we?”, and everything is needed right after."""
    Handover(script).write()
