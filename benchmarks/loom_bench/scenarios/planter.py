"""Plants facts in a session: kinds of them, words of each half, texts that hold them.

Templates name what is filled in: `{subject}` (a system, such as `Alder importer`), `{value}`,
`{label}` (what the value is of the subject), `{slug}` (the subject as one word of a file name),
`{old}` (a value that no longer holds) and `{other}` (another subject).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from loom_bench.scenarios.teller import LETTERS
from loom_bench.script import CHARACTERS, AskedFor, SessionScript
from loom_bench.session import HALVES
from loom_bench.sessions.material import Material
from loom_bench.words import words_of


class PlantedKind(Struct, frozen=True):
    """One thing that is known of a subject: how it is called, said, asked for and needed.

    Questions can be answered from `{label}` or `key` and value alone, which is all JSON shows.

    `value` is a pattern: `#` is any digit (but not where it is the first
    character), `@` any letter, `{table}` a word of that table.
    """

    label: str
    key: str
    value: str
    sayings: tuple[str, ...]
    questions: tuple[str, ...]
    tasks: tuple[str, ...]


class PlantedTool(Struct, frozen=True):
    """A tool by name, the key of its one argument, and patterns of what that argument says."""

    name: str
    key: str
    given: tuple[str, ...]


class PlantedHalf(Struct, frozen=True):
    """Everything a half plants. `tables` are the words of values, `phrases` sentences by use."""

    codenames: tuple[str, ...]
    systems: tuple[str, ...]
    kinds: tuple[PlantedKind, ...]
    tables: dict[str, tuple[str, ...]]
    tools: dict[str, PlantedTool]
    phrases: dict[str, tuple[str, ...]]


class ToldFact(Struct, frozen=True):
    """One fact of a session: what of which subject has which value, and how it is asked for."""

    subject: str
    kind: PlantedKind
    value: str
    question: str

    @property
    def slug(self) -> str:
        """The subject as one word."""
        return self.subject.lower().replace(" ", "_")

    def fill(self, template: str, **more: str) -> str:
        """A template with this fact in it."""
        given = {"subject": self.subject, "slug": self.slug, "label": self.kind.label}
        return template.format(**{**given, "value": self.value, "key": self.kind.key, **more})


BRANCHES = ("data", "page", "result", "body", "payload")  # names of levels in nested JSON


def _deep(material: Material, fact: ToldFact, said: str) -> str:
    """A record in which the value is a field three to six levels down."""
    deep: Any = {"name": fact.subject, fact.kind.key: fact.value, **material.record(2)}
    for _ in range(material.rng.randint(1, 4)):
        deep = {**material.record(1), material.name(): deep}
    return _json({**material.record(2), material.noun(): deep})


def _nested(material: Material, lines: Sequence[str]) -> str:
    document: Any = {"total": len(lines), "items": [json.loads(line) for line in lines]}
    for branch in material.rng.sample(BRANCHES, 2):
        document = {branch: document}
    return _json(document, indent=material.rng.choice((None, 1)))


def _commented(material: Material, fact: ToldFact, said: str) -> str:
    return material.rng.choice((f"    # {said}", fact.fill(SETTING)))


def _paragraphs(material: Material, lines: Sequence[str]) -> str:
    return "\n\n".join(" ".join(lines[at : at + 6]) for at in range(0, len(lines), 6))


def _json(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


class ResultShape(Struct, frozen=True):
    """What a result looks like: its lines, the one that says what is planted, the whole."""

    line: Callable[[Material], str]
    planted: Callable[[Material, ToldFact, str], str]
    whole: Callable[[Material, Sequence[str]], str] = lambda material, lines: "\n".join(lines)


SETTING = '{slug}.{key} = "{value}"'
SHAPES = {
    "log": ResultShape(
        lambda material: material.log(1 + material.rng.randrange(40))[-1],
        lambda material, fact, said: f"{material.log(1)[0].partition(': ')[0]}: {said}",
    ),
    "prose": ResultShape(
        Material.sentence,
        lambda material, fact, said: said,
        _paragraphs,
    ),
    "code": ResultShape(Material.code_line, _commented),
    "table": ResultShape(
        lambda of: f"{of.name()};{of.noun()};{of.number()};{of.name()}",
        lambda of, fact, said: f"{fact.subject};{fact.kind.label};{fact.value};{of.name()}",
    ),
    "json": ResultShape(lambda material: _json(material.record(6)), _deep, _nested),
}


PLANTED_WORDS = tuple(words_of(half, PlantedHalf) for half in HALVES)


ASKED = 0.6  # of needs: the user asks; for the others the model goes on by itself
REPEATED = 0.2  # of replies say the value again, as the argument of a call
ANSWERED = 0.3  # of replies to the user are without a call


class FactPlanter:
    """Plants facts in a script. No two have the same subject or a value that holds the other's."""

    def __init__(self, script: SessionScript) -> None:
        self.script = script
        self.rng = script.rng
        self.words = script.pick(PLANTED_WORDS[:1], PLANTED_WORDS[1:])
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
            filled = kind.value.format(
                **{k: self.rng.choice(t) for k, t in self.words.tables.items()}
            )
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
        of, lines = SHAPES[shape], list[str]()
        size = 0
        while len(lines) < 2 or size < tokens * CHARACTERS:
            lines.append(of.line(self.material))
            size += len(lines[-1]) + (len(lines) > 2)  # no newline before the second
        if fact is not None:
            lines.insert(round(place * len(lines)), of.planted(self.material, fact, said))
        text = of.whole(self.material, lines)
        name, given = self.asking(shape, fact)
        return name, given, text

    def asking(self, tool: str, fact: ToldFact | None = None) -> tuple[str, dict[str, str]]:
        """A tool's name and its arguments."""
        of = self.words.tools[tool]
        pattern = self.rng.choice(of.given)
        slug = fact.slug if fact else self.material.name()
        filled = re.sub("#", lambda _: str(self.rng.randrange(1, 10)), pattern.format(slug=slug))
        return of.name, {of.key: filled}

    def aside(self, fact: ToldFact) -> int:
        """The user tells a fact; returns where."""
        said = self.said(fact)
        return self.script.user(self.phrase("aside").format(said=said))

    def plant(self, fact: ToldFact, at: int) -> None:
        """Message `at` tells a fact; it is owed from then on."""
        self.script.fact(fact.value, fact.question, at)

    def find(self, fact: ToldFact, shape: str, tokens: int, place: float = 0.5) -> None:
        """A call whose result tells a fact."""
        self.plant(fact, self.script.call(*self.result(shape, tokens, fact, place)))

    def need(self, *facts: ToldFact, due: Callable[[], None] | None = None) -> None:
        """The next reply needs these facts (`due` notes it, where they are not planted).

        The user may ask for it. The reply is written too: a call that may name a value, or a word.
        """
        asked = self.rng.random() < ASKED
        if asked:
            tasks = [fact.fill(self.rng.choice(fact.kind.tasks)) for fact in facts]
            self.script.user(" ".join(tasks))
        for fact in () if due else facts:
            self.script.need(fact.value)
        if due:
            due()
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
