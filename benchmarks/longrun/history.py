"""The history of one long task, from its seed: reads, edits, shell runs, chatter, long outputs.

Rules and facts are planted between FIRST and LAST of its tokens, at equal distances. Nothing else
in it holds their values.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from random import Random

from msgspec import Struct
from msgspec.structs import replace

from benchmarks.longrun.planted import OUTPUT, REMARKED, RULE, PlantedItem, items
from loom.bench.sessions.acts import ACTS, STYLES, Act, World
from loom.inputs import Event, Reply, Result, Speech, System, ToolCall, User

FIRST, LAST = 0.02, 0.9
STYLE = STYLES["claude-code"]
WEIGHTS = {"read": 30, "edit": 20, "write": 5, "list": 5, "grep": 12, "shell": 18, "failing": 8,
           "web": 2}  # fmt: skip
CHATS = 0.08  # of the steps a message of the user comes before
CHATTER = (
    "Go on.",
    "Good. What is next?",
    "Look at the {noun} again, it seems slow.",
    "Why does the {noun} fail? Fix it.",
    "Fine so far, {prose}",
)
LEADS = ("", "For the record: ", "One more thing. ", "By the way: ")


class LongHistory(Struct, frozen=True):
    """The events in order, their tokens, and what was planted in them, in its order."""

    events: tuple[Event, ...]
    tokens: int
    planted: tuple[PlantedItem, ...]


def history(seed: int, tokens: int, count: Callable[[str], int]) -> LongHistory:
    """The history of a seed, a little over so many tokens."""
    return _HistoryWriter(seed, count).write(tokens)


class _HistoryWriter:
    """Writes one history, step by step."""

    def __init__(self, seed: int, count: Callable[[str], int]) -> None:
        self.rng = Random(f"longrun:{seed}")
        self.world = World(self.rng)
        self.material = self.world.material
        self.waiting = items(self.rng)
        self.events: list[Event] = []
        self.planted: list[PlantedItem] = []
        self.size = 0
        self._count = count
        self._values = tuple(self.waiting)

    def write(self, tokens: int) -> LongHistory:
        """The whole history."""
        total = len(self.waiting)
        self._add(System(f"You are a careful engineer.\n\n{self.material.prose(12)}"))
        self._add(User(f"Task: {self.material.sentence()} Work on your own until it is done."))
        while self.size < tokens or self.waiting:
            due = FIRST + (LAST - FIRST) * len(self.planted) / total
            if self.waiting and self.size >= due * tokens:
                self._plant(self.waiting.pop(0))
            else:
                self._step()
        self._add(User("Go on with the next part."))
        return LongHistory(tuple(self.events), self.size, tuple(self.planted))

    def _step(self) -> None:
        """A call and its result, now and then behind a message of the user."""
        if self.rng.random() < CHATS:
            said = self.rng.choice(CHATTER)
            self._add(User(said.format(noun=self.material.noun(), prose=self.material.prose(6))))
        self._call(self._act())

    def _act(self, *kinds: str) -> Act:
        """An act that holds none of the planted values."""
        names = kinds or tuple(WEIGHTS)
        while True:
            name = self.rng.choices(names, [WEIGHTS[name] for name in names])[0]
            act = ACTS[name](self.world)
            text = f"{json.dumps(act.arguments)} {act.result}"
            if not any(one.stands_in(text) for one in self._values):
                return act

    def _call(self, act: Act) -> None:
        """A reply that calls, and what comes back."""
        name, keys = STYLE[act.tool]
        arguments = {keys.get(key, key): value for key, value in act.arguments.items()}
        call = ToolCall(f"call_{len(self.events):05d}", name, json.dumps(arguments))
        said = [Speech(self.material.sentence())] if self.rng.random() < 0.5 else []
        self._add(Reply((*said, call)))
        self._add(Result(call.id, act.result, act.error))

    def _plant(self, item: PlantedItem) -> None:
        """Bring a rule or a fact in, in the way of its kind."""
        if item.kind in (REMARKED, OUTPUT):
            item = self._found(item)
            if item.kind == REMARKED:
                self._add(Reply((Speech(f"{item.sentence} {self.material.sentence()}"),)))
                self._add(User("Go on."))
        else:
            self._add(User(self._worded(item)))
            self._call(self._act())
        self.planted.append(item)

    def _worded(self, item: PlantedItem) -> str:
        """A message with the sentence alone, behind a lead, or in the middle of more."""
        if self.rng.random() < 0.4:
            before, after = (self.material.prose(self.rng.randint(2, 6)) for _ in range(2))
            return f"{before} {item.sentence} {after}"
        return (self.rng.choice(LEADS) if item.kind != RULE else "") + item.sentence

    def _found(self, item: PlantedItem) -> PlantedItem:
        """A call whose result holds the fact on a line of its own."""
        act = next(act for act in iter(lambda: self._act("read", "shell"), None) if act.result)
        if act.tool == "shell":
            act = replace(act, arguments={"command": f"make report-{len(self.planted):02}"})
        lines = act.result.split("\n")
        lines.insert(self.rng.randrange(len(lines) + 1), f"    {item.key} = {item.value}")
        self._call(replace(act, result="\n".join(lines)))
        phrase = str(act.arguments["command" if act.tool == "shell" else "path"])
        return replace(item, phrases=(phrase,))

    def _add(self, event: Event) -> None:
        """Append an event under its number."""
        self.events.append(replace(event, index=len(self.events)))
        self.size += sum(self._count(text) for text in texts_of(event))


def texts_of(event: Event) -> Iterator[str]:
    """The texts of an event that a request shows."""
    if isinstance(event, Reply):
        yield from (part.text for part in event.parts if isinstance(part, Speech))
        yield from (call.arguments for call in event.calls)
    else:
        yield event.text


def holders(found: LongHistory) -> Sequence[int]:
    """How many events hold each planted value, in the order of the plants."""
    texts = ["\n".join(texts_of(event)) for event in found.events]
    return [sum(item.stands_in(text) for text in texts) for item in found.planted]
