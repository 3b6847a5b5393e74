"""Sessions of ordinary work under constraints, all of it worded by a seed.

Reads, commands, searches and listings, every fifth step two of them at once; every 25 steps the
user lays down a rule and a constraint.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random

from loom.inputs import Event, Reply, Result, Session, Speech, System, ToolCall, User
from loom_bench.sessions.material import Material

THINGS = (
    "payments gateway", "nightly importer", "search cluster", "billing exporter", "mail relay",
    "image resizer", "partner portal", "fraud scorer", "tax service", "warehouse feed",
    "login service", "map renderer", "price crawler", "audit archive", "refund desk",
    "loyalty engine", "video encoder", "print server", "support inbox", "sensor bridge",
)  # fmt: skip
FIRST = ("Ines", "Tomasz", "Priya", "Joaquin", "Freya", "Osman", "Linnea", "Dmitri", "Amara",
         "Kenji", "Noor", "Callum", "Beatriz", "Anton", "Yusra", "Mirela")  # fmt: skip
LAST = ("Varga", "Okonkwo", "Halloran", "Sato", "Brandt", "Quispe", "Nyberg", "Moreau", "Castell",
        "Ferenc", "Adeyemi", "Lindqvist", "Rahimi", "Dunmore", "Petrov", "Sorensen")  # fmt: skip
FOLDERS = ("legal/", "vendor/", "fixtures/golden", "migrations/", "infra/prod", "assets/brand")
GROUPS = ("the auditors", "our partners", "the support crew", "the board", "the press office")
LANGUAGES = ("French", "Portuguese", "Finnish", "Korean", "Welsh")
CURRENCIES = ("euros", "Swiss francs", "Danish kroner", "yen")
TOPICS = ("pricing", "retention periods", "the rollout order", "naming", "access rights")


def person(rng: Random) -> str:
    """A name of two words."""
    return f"{rng.choice(FIRST)} {rng.choice(LAST)}"


CONSTRAINTS = (
    "I'd rather you didn't touch anything below {folder} while {person} is away.",
    "Messages that go to {group} go out in {language} and in nothing else.",
    "Leave the {thing} alone until {person} has signed off on it.",
    "Show me the diff first whenever a change reaches {folder}.",
    "Amounts that concern the {thing} are written in {currency}, with the cents.",
    "Nobody outside {group} gets to see the figures of the {thing}.",
    "Don't let any single test run of the {thing} take longer than {number} minutes.",
    "When you are unsure about {topic}, ask {person} and not me.",
    "Keep the names of customers out of every file you write for {group}.",
    "Run the checks of the {thing} with {number} workers at most, the machine is shared.",
    "Dates in anything {group} will read are written with the day first.",
    "No new dependencies in {folder}, {person} maintains that part by hand.",
    "Whatever you restart, the {thing} stays up between nine and {number} minutes past five.",
    "Use tabs in {folder} even where the formatter would like something else.",
)  # fmt: skip
OPENERS = ("Thanks, that helps.", "OK, on to the next part.", "Good, I had a look at it.",
           "Sorry for the silence, I was in a meeting.", "Right.")  # fmt: skip
CLOSERS = ("Go on whenever you are ready.", "Tell me what you find.", "I'll be back in an hour.",
           "That should be all for now.", "Have a look, please.")  # fmt: skip
# Sizes of lists that are shuffled before a session is worded: with others the sessions of all
# seeds would be others.
SHUFFLED = (200, 36, 8)


class Grammar:
    """A seeded source of what the user lays down; nothing it gives is given twice."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        for size in SHUFFLED:
            rng.shuffle([0] * size)
        self._templates: list[str] = []
        self._given: set[str] = set()

    def constraint(self) -> str:
        """A sentence that lays something down, without any word that announces it."""
        while (made := self._constraint()) in self._given:
            pass
        self._given.add(made)
        return made

    def _constraint(self) -> str:
        if not self._templates:
            self._templates = list(CONSTRAINTS)
            self.rng.shuffle(self._templates)
        rng = self.rng
        return self._templates.pop().format(
            folder=rng.choice(FOLDERS),
            person=person(rng),
            group=rng.choice(GROUPS),
            language=rng.choice(LANGUAGES),
            currency=rng.choice(CURRENCIES),
            topic=rng.choice(TOPICS),
            thing=rng.choice(THINGS),
            number=rng.randint(11, 49),
        )

    def talk(self, around: str, sentences: list[str]) -> str:
        """A longer message with a sentence in its middle."""
        middle = len(sentences) // 2
        said = [*sentences[:middle], around, *sentences[middle:]]
        return " ".join((self.rng.choice(OPENERS), *said, self.rng.choice(CLOSERS)))


CALLS = 300
EVERY = 25  # steps between what the user lays down
PARALLEL = 5  # every so many steps two calls at once

Work = Callable[[Material], tuple[dict[str, str], str]]


def _read(material: Material) -> tuple[dict[str, str], str]:
    lines = material.code(material.rng.randint(40, 146))
    return {"path": material.path()}, "\n".join(lines)


def _shell(material: Material) -> tuple[dict[str, str], str]:
    lines = material.log(material.rng.randint(10, 43))
    return {"command": f"make {material.noun()} 2>&1 | tail"}, "\n".join(lines)


def _search(material: Material) -> tuple[dict[str, str], str]:
    lines = [
        f"{material.path()}:{material.rng.randint(1, 900)}:{material.code_line()}"
        for _ in range(material.rng.randint(13, 66))
    ]
    return {"pattern": material.name()}, "\n".join(lines)


def _list(material: Material) -> tuple[dict[str, str], str]:
    lines = [material.path() for _ in range(material.rng.randint(70, 182))]
    return {"path": material.path().rpartition("/")[0]}, "\n".join(lines)


WORK: dict[str, Work] = {"read": _read, "shell": _shell, "search": _search, "list": _list}


def trajectory(seed: int, calls: int = CALLS) -> Session:
    """A session of `calls` replies; of 300 it has some 690 messages and 310,000 tokens."""
    rng = Random(f"cache:{seed}")
    material, grammar = Material(rng), Grammar(rng)
    events: list[Event] = [System(f"You are a careful engineer.\n\n{material.prose(12)}")]
    for step in range(calls):
        if step % EVERY == 0:
            events.append(User(f"{material.sentence()} {grammar.constraint()}"))
            around = [material.sentence() for _ in range(5)]
            events.append(User(grammar.talk(grammar.constraint(), around)))
        asked, results = [], []
        for number in range(2 if step % PARALLEL == PARALLEL - 1 else 1):
            name = rng.choice(sorted(WORK))
            arguments, text = WORK[name](material)
            id = f"call_{step:04d}_{number}"
            asked.append(ToolCall(id, name, json.dumps(arguments)))
            results.append(Result(id, text))
        events += [Reply((Speech(material.sentence()), *asked)), *results]
    return Session(f"made-up-{seed}", tuple(events), "generated")
