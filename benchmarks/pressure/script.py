"""A scenario written out: what happens in order, and what was planted where.

Nothing here knows the window it will run in.
"""

from __future__ import annotations

import json
from random import Random

from msgspec import Struct, field

from loom.bench.sessions.acts import ACTS, STYLES, Act, World
from loom.bench.sessions.grammar import Grammar, PlantedFact
from loom.inputs import ToolCall

FILLERS = ("read", "read", "edit", "grep", "shell", "shell", "list", "failing", "web", "visit")


class UserMove(Struct, frozen=True):
    """The user says something."""

    text: str


class AnswerMove(Struct, frozen=True):
    """The model answers without calls."""

    text: str


class ToolMove(Struct, frozen=True):
    """The model calls tools, several at once, and every result comes."""

    said: str
    calls: tuple[ToolCall, ...]
    results: tuple[str, ...]


class MemoryMove(Struct, frozen=True):
    """A text of the memory partition is written, or written anew."""

    key: str
    text: str


class PlanMove(Struct, frozen=True):
    """The plan is written: (text, state) for each item."""

    items: tuple[tuple[str, str], ...]


class RenewMove(Struct, frozen=True):
    """A renewal is asked for, where a context offers that."""


Move = UserMove | AnswerMove | ToolMove | MemoryMove | PlanMove | RenewMove


class Topic(Struct):
    """A fact that changes: (number of the move, the fact from then on), oldest first."""

    states: list[tuple[int, PlantedFact]]


class Script(Struct):
    """One scenario. What was planted carries the number of the move that planted it."""

    name: str
    instructions: str = ""
    moves: list[Move] = field(default_factory=list)
    rules: list[tuple[int, str]] = field(default_factory=list)
    constraints: list[tuple[int, str]] = field(default_factory=list)
    facts: list[tuple[int, PlantedFact]] = field(default_factory=list)
    topics: list[Topic] = field(default_factory=list)


class ScriptWriter:
    """Writes a script move by move."""

    def __init__(self, name: str, rng: Random, constraints: tuple[str, ...] = ()) -> None:
        self.rng = rng
        self.grammar = Grammar(rng)
        self.world = World(rng)
        self.script = Script(name)
        self._style = STYLES[rng.choice(sorted(STYLES))]
        self._given = list(constraints)
        self._calls = 0
        self._rules()

    def _rules(self) -> None:
        """Standing rules in all three places they come from: harness, memory, the first message."""
        rules = [self.grammar.constraint() for _ in range(9)]
        prose = self.world.material.prose
        self.script.instructions = f"You are a careful engineer.\n\n{prose(4)}\n" + _bullets(
            rules[:3]
        )
        self.add(MemoryMove("AGENTS.md", f"# Conventions\n\n{_bullets(rules[3:6])}"))
        task = f"{self.world.material.sentence()} Please see to it, and keep to this:\n"
        self.add(UserMove(task + _bullets(rules[6:])))
        self.script.rules = [(0, rule) for rule in rules[:6]] + [(1, rule) for rule in rules[6:]]

    @property
    def at(self) -> int:
        """The number of the last move."""
        return len(self.script.moves) - 1

    def add(self, move: Move) -> None:
        """One more move."""
        self.script.moves.append(move)

    def work(self, *acts: Act) -> None:
        """One reply with calls, and their results."""
        calls = tuple(map(self._call, acts))
        said = self.world.material.sentence() if self.rng.random() < 0.5 else ""
        self.add(ToolMove(said, calls, tuple(act.result for act in acts)))

    def fill(self, steps: int) -> None:
        """Steps of ordinary work."""
        for _ in range(steps):
            self.work(self.filler())

    def filler(self) -> Act:
        """One ordinary act."""
        return ACTS[self.rng.choice(FILLERS)](self.world)

    def plant(self, fact: PlantedFact | None = None, lines: int = 40) -> None:
        """A step whose result says a fact, amid `lines` of other text."""
        fact = fact or self.grammar.fact()
        self.work(self.telling(fact, lines))
        self.script.facts.append((self.at, fact))

    def telling(self, fact: PlantedFact, lines: int) -> Act:
        """An act whose result says a fact: in prose, a log, or the comment of a program."""
        material = self.world.material
        kind = self.rng.choice(("prose", "log", "code"))
        if kind == "prose":
            text = [material.prose(2) for _ in range(lines // 2)]
            said, act = fact.statement, "read"
        elif kind == "log":
            text = material.log(lines)
            said, act = f"2025-04-02T11:20:07.114Z INFO  notes.audit: {fact.statement}", "shell"
        else:
            text = material.code(lines)
            said, act = f"    # {fact.statement}", "read"
        text.insert(self.rng.randint(len(text) // 4, 3 * len(text) // 4), said)
        path = material.path()
        arguments = {"path": path} if act == "read" else {"command": f"tail -n {lines} {path}.log"}
        return Act(act, arguments, "\n".join(text))

    def constrain(self) -> None:
        """A longer message of the user with a constraint in its middle."""
        sentence = self._given.pop(0) if self._given else self.grammar.constraint()
        around = [self.world.material.sentence() for _ in range(self.rng.randint(4, 9))]
        self.add(UserMove(self.grammar.talk(sentence, around)))
        self.script.constraints.append((self.at, sentence))

    def _call(self, act: Act) -> ToolCall:
        name, keys = self._style[act.tool]
        arguments = {keys.get(key, key): value for key, value in act.arguments.items()}
        self._calls += 1
        return ToolCall(f"call_{self._calls:05d}", name, json.dumps(arguments, ensure_ascii=False))


def _bullets(lines: list[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
