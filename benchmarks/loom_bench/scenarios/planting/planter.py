"""Who plants: makes facts that were not there before, tells them, and has them needed."""

from __future__ import annotations

import re

from loom_bench.scenarios.planting.bodies import BODIES
from loom_bench.scenarios.planting.held_out import HELD_OUT_WORDS
from loom_bench.scenarios.planting.kinds import PlantedKind, ToldFact
from loom_bench.scenarios.planting.public import PUBLIC_WORDS
from loom_bench.script import AskedFor, SessionScript
from loom_bench.sessions.material import Material

ASKED = 0.6  # of needs: the user asks; for the others the model goes on by itself
REPEATED = 0.2  # of replies say the value again, as the argument of a call
ANSWERED = 0.3  # of replies to the user are without a call
LETTERS = "BCDFGHJKLMNPQRSTVWXZ"


class FactPlanter:
    """Plants facts in a script. No two have the same subject or a value that holds the other's."""

    def __init__(self, script: SessionScript) -> None:
        self.script = script
        self.rng = script.rng
        self.words = script.pick((PUBLIC_WORDS,), (HELD_OUT_WORDS,))
        self.material = Material(script.rng)
        self._subjects: set[str] = set()
        self._values: set[str] = set()

    def phrase(self, use: str) -> str:
        """A sentence of a use, not yet filled in."""
        return self.rng.choice(self.words.phrases[use])

    def begin(self) -> None:
        """The harness speaks, and the user says what it is about."""
        self.script.system(self.phrase("harness"))
        self.script.user(self.phrase("opening"))

    def subject(self, codename: str = "") -> str:
        """A system that was not spoken of before, of that codename if one is given."""
        while True:
            first = codename or self.rng.choice(self.words.codenames)
            made = f"{first} {self.rng.choice(self.words.systems)}"
            if made not in self._subjects:
                self._subjects.add(made)
                return made

    def value(self, kind: PlantedKind) -> str:
        """A value of a kind that neither holds nor is held by one before."""
        while True:
            filled = kind.value.format(**{k: self.rng.choice(t) for k, t in self._tables()})
            made = re.sub("(?<=.)#", lambda _: str(self.rng.randrange(10)), filled)
            made = made.replace("@", self.rng.choice(LETTERS))
            if not any(made in known or known in made for known in self._values):
                self._values.add(made)
                return made

    def fresh(self, kind: PlantedKind | None = None, codename: str = "") -> ToldFact:
        """A new fact, of any kind if none is given. Nothing says it yet."""
        of = kind or self.rng.choice(self.words.kinds)
        subject = self.subject(codename)
        question = self.rng.choice(of.questions).format(subject=subject)
        return ToldFact(subject, of, self.value(of), question)

    def facts(self, count: int) -> list[ToldFact]:
        """New facts of as many kinds as there are."""
        kinds = list(self.words.kinds)
        self.rng.shuffle(kinds)
        return [self.fresh(kinds[at % len(kinds)]) for at in range(count)]

    def said(self, fact: ToldFact) -> str:
        """The fact as a sentence."""
        return fact.fill(self.rng.choice(fact.kind.sayings))

    def result(
        self, shape: str, tokens: int, fact: ToldFact | None = None, place: float = 0.5
    ) -> AskedFor:
        """A call and its result of about so many tokens, with a fact at a place (0.0 to 1.0)."""
        said = self.said(fact) if fact else ""
        text = BODIES[shape](self.material, tokens, fact, said, place)
        name, given = self.asking(shape, fact)
        return name, given, text

    def asking(self, tool: str, fact: ToldFact | None = None) -> tuple[str, dict[str, str]]:
        """A tool's name and its arguments."""
        of = self.words.tools[tool]
        pattern = self.rng.choice(of.given)
        slug = fact.slug if fact else self.material.name()
        filled = re.sub("#", lambda _: str(self.rng.randrange(1, 10)), pattern.format(slug=slug))
        return of.name, {of.key: filled}

    def aside(self, *facts: ToldFact) -> int:
        """The user tells facts; returns where."""
        told = " ".join(self.said(fact) for fact in facts)
        return self.script.user(self.phrase("aside").format(said=told))

    def plant(self, fact: ToldFact, at: int) -> None:
        """Message `at` tells a fact; it is owed from then on."""
        self.script.fact(fact.value, fact.question, at)

    def need(self, *facts: ToldFact) -> None:
        """The next reply needs these facts. The user may ask for it; the reply is written too."""
        asked = self.ask(*facts)
        for fact in facts:
            self.script.need(fact.value)
        self.reply(*facts, asked=asked)

    def ask(self, *facts: ToldFact) -> bool:
        """The user may ask for what needs these facts; True if so."""
        asked = self.rng.random() < ASKED
        if asked:
            tasks = [fact.fill(self.rng.choice(fact.kind.tasks)) for fact in facts]
            self.script.user(" ".join(tasks))
        return asked

    def reply(self, *facts: ToldFact, asked: bool) -> None:
        """The model's reply to a need: a call that may name a value, or a word and on it goes."""
        if asked and self.rng.random() < ANSWERED:
            self.script.says(self.phrase("done"))
            self.script.user(self.phrase("nudge"))
            return
        name, given = self.asking("shell")
        named = [fact.slug for fact in facts]
        if self.rng.random() < REPEATED:
            at = self.rng.randrange(len(facts))
            named[at] += f"={facts[at].value}"
        said = " ".join((*given.values(), *named))
        self.script.call(name, dict.fromkeys(given, said), "ok", self.phrase("done"))

    def end(self) -> None:
        """The user asks for everything."""
        self.script.user(self.phrase("ending"))

    def _tables(self) -> list[tuple[str, tuple[str, ...]]]:
        return list(self.words.tables.items())
