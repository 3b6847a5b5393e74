"""Seeded agent sessions in lawful order, for tests and benchmarks that need no recorded ones.

`session(seed, steps, flavour=…)` gives the same session for the same arguments. It imitates what
recordings hold: standing rules, re-reads after edits, parallel calls, failures, calls without
arguments or with broken ones, thinking that is opaque to everyone but its provider, blank turns.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from random import Random

from msgspec import Struct
from msgspec.structs import replace

from loom.errors import BadSession
from loom.inputs import Event, Reasoning, Reply, Result, Session, Speech, System, ToolCall, User
from loom.replay.importers import find, load
from loom_bench.sessions.acts import ACTS, STYLES, Act, World


class Flavour(Struct, frozen=True):
    """A kind of session: weights of its acts, and how often the odd happens."""

    acts: dict[str, int]
    parallel: float = 0.15  # replies with 2 to 8 calls
    answers: float = 0.06  # replies without calls, which a user turn follows
    thinks: float = 0.3
    broken: float = 0.01  # calls whose arguments are not JSON
    blank: float = 0.01  # user turns without a visible character
    system: float = 0.8


FLAVOURS: dict[str, Flavour] = {
    "coding": Flavour(
        {"read": 30, "edit": 18, "write": 5, "list": 5, "grep": 12, "shell": 16, "failing": 7,
         "status": 3, "web": 2, "api": 1, "odd": 1, "huge": 1},
    ),
    "research": Flavour(
        {"web": 30, "visit": 35, "write": 6, "read": 10, "shell": 4, "weather": 3, "api": 5,
         "huge": 1},
        parallel=0.3,
    ),
    "support": Flavour(
        {"api": 60, "status": 15, "weather": 5, "web": 4, "failing": 3}, answers=0.4, thinks=0.1,
        system=1.0,
    ),
    "pathological": Flavour(
        {"odd": 20, "surrogate": 4, "huge": 3, "failing": 15, "status": 15, "read": 15, "edit": 10,
         "api": 10, "grep": 8},
        parallel=0.4, answers=0.15, thinks=0.5, broken=0.1, blank=0.2, system=0.5,
    ),
    "scraps": Flavour(
        {"scrap": 60, "gather": 14, "read": 8, "shell": 4, "edit": 4}, parallel=0.5, answers=0.02,
        thinks=0.1,
    ),
}  # fmt: skip

RULES = (
    "Always run the tests before you commit.",
    "Never change anything under docs/.",
    "Use tabs in Makefiles, and spaces everywhere else.",
    "Do not add dependencies without asking me first.",
    "Keep every public name as it is.",
    "コミットメッセージは英語で書いてください。",
    "The budget is 4,200 USD and must not be exceeded.",
)
ASKS = (
    "Please {verb} and tell me what you find.",
    "That looks wrong: look again, the total should be 1,024.",
    "Go on with the next one.",
    "Why did it fail? Fix it, and add a test for it.",
    "谢谢，请继续。",
    "👍",
)
BLANKS = ("", " ", "\n\n", "\u200b")
ID = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz123456789"


def session(seed: int, steps: int, *, flavour: str = "coding") -> Session:
    """A session with `steps` replies. Raises KeyError for a flavour that is not in FLAVOURS."""
    return _Writer(seed, FLAVOURS[flavour], flavour).write(steps)


class _Writer:
    """Writes one session, event by event."""

    def __init__(self, seed: int, flavour: Flavour, name: str) -> None:
        self.rng = Random(f"{name}:{seed}")
        self.world = World(self.rng)
        self.material = self.world.material
        self.flavour = flavour
        self.style = self.rng.choice(sorted(STYLES))
        self.events: list[Event] = []
        self.name = f"{name}-{seed:04d}"
        self.size = 0  # characters so far

    def write(self, steps: int) -> Session:
        """The whole session."""
        if self._chance(self.flavour.system):
            self._add(System(f"You are a careful assistant.\n\n{self.material.prose(12)}"))
        rules = self.rng.sample(RULES, self.rng.randint(1, 4))
        task = f"Task: {self.material.sentence()}\n\n" + "\n".join(f"- {rule}" for rule in rules)
        self._add(User(task))
        for number in range(steps):
            last = number == steps - 1
            if last or self._chance(self.flavour.answers):
                self._add(Reply((*self._thinking(), Speech(self.material.prose(4)))))
                if not last:
                    self._add(User(self._turn()))
            else:
                self._step()
        return Session(self.name, tuple(self.events), "generated")

    def _step(self) -> None:
        """A reply with calls, and a result for each in the order of arrival."""
        count = self.rng.randint(2, 8) if self._chance(self.flavour.parallel) else 1
        acts = [self._act() for _ in range(count)]
        calls = [self._call(act, at) for at, act in enumerate(acts)]
        said = [Speech(self.material.sentence())] if self._chance(0.6) else []
        self._add(Reply((*self._thinking(), *said, *(call for call, _ in calls))))
        arrivals = list(zip(calls, acts, strict=True))
        if self._chance(0.3):
            self.rng.shuffle(arrivals)
        for (call, broken), act in arrivals:
            text = "Error: the arguments are not valid JSON" if broken else act.result
            self._add(Result(call.id, text, act.error or broken))

    def _act(self) -> Act:
        names, weights = zip(*self.flavour.acts.items(), strict=True)
        return ACTS[self.rng.choices(names, weights)[0]](self.world)

    def _call(self, act: Act, at: int) -> tuple[ToolCall, bool]:
        """The call of an act, and whether its arguments were broken."""
        name, keys = STYLES[self.style][act.tool]
        arguments = {keys.get(key, key): value for key, value in act.arguments.items()}
        text = json.dumps(arguments, ensure_ascii=False)
        if not arguments:
            text = self.rng.choice(("", "{}"))
        broken = bool(arguments) and self._chance(self.flavour.broken)
        if broken:
            text = text[: self.rng.randrange(1, len(text) - 1)]
        return ToolCall(self._id(name, at), name, text), broken

    def _id(self, name: str, at: int) -> str:
        """An id as the style's provider makes them; the seed's repeat in every reply."""
        tail = "".join(self.rng.choices(ID, k=22))
        return {
            "claude-code": f"toolu_01{tail}",
            "openai": f"call_{tail}",
            "seed": f"{name}:{at}",
        }[self.style]

    def _thinking(self) -> list[Reasoning]:
        """Reasoning as the style's provider gives it: opaque and signed, or text alone."""
        if not self._chance(self.flavour.thinks):
            return []
        text = self.material.prose(self.rng.choice((1, 4, 15)))
        signature = "".join(self.rng.choices(ID, k=self.rng.choice((80, 400))))
        if self.style == "claude-code" and self._chance(0.7):
            block = {"type": "thinking", "thinking": text, "signature": signature}
            return [Reasoning(text, json.dumps(block, ensure_ascii=False), "anthropic")]
        if self.style == "openai" and self._chance(0.4):
            details = [{"type": "reasoning.encrypted", "data": signature}]
            return [Reasoning("", json.dumps({"reasoning_details": details}), "openai")]
        return [Reasoning(text)]

    def _turn(self) -> str:
        """Return what the user says next."""
        if self._chance(self.flavour.blank):
            return self.rng.choice(BLANKS)
        said = self.rng.choice(ASKS).format(verb=f"check the {self.material.noun()}")
        if self._chance(0.2):
            said += f" {self.rng.choice(RULES)}"
        return said + ("\n\n" + "\n".join(self.material.trace()) if self._chance(0.1) else "")

    def _add(self, event: Event) -> None:
        """Append an event under its number; replies report what their request was as large as."""
        event = replace(event, index=len(self.events))
        if isinstance(event, Reply):
            event = replace(event, prompt_tokens=self.size // 4)
            self.size += sum(len(getattr(part, "text", "")) for part in event.parts)
        else:
            self.size += len(event.text)
        self.events.append(event)

    def _chance(self, share: float) -> bool:
        return self.rng.random() < share


CHAINED = 400  # steps of a session session


def recorded(paths: Sequence[Path] | None) -> list[Session]:
    """The sessions of files and folders; none where none are named. Raises BadSession, for places
    without a session too."""
    given = [session for path in find(paths or ()) for session in _readable(path)]
    if paths and not given:
        raise BadSession(paths[0], 0, "there is no session there")
    return given


def _readable(path: Path) -> list[Session]:
    try:
        return load(path)
    except BadSession:
        return []


def chained(given: Sequence[Session], flavour: str) -> Iterator[Event]:
    """Events without end, of generated sessions of a `flavour` where none is given; the calls of
    each session have ids of their own."""
    for turn in count():
        one = given[turn % len(given)] if given else session(turn, CHAINED, flavour=flavour)
        for event in one.events:
            if isinstance(event, System) and turn:
                continue
            if isinstance(event, Reply):
                parts = tuple(
                    replace(part, id=f"{turn}-{part.id}") if isinstance(part, ToolCall) else part
                    for part in event.parts
                )
                yield replace(event, parts=parts)
            elif isinstance(event, Result):
                yield replace(event, call_id=f"{turn}-{event.call_id}")
            else:
                yield event
