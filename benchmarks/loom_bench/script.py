"""What a scenario writes with: messages of a session one by one, and what each of them owes.

    def scenario(script):
        script.system("You are a careful engineer.")
        asked = script.user("Please mend the importer. The gateway's port is 8443.")
        script.fact("8443", "Which port does the gateway have?", asked)
        script.work(tokens=60_000)
        script.need("8443")

Everything random comes from `script.rng`, so that a seed gives the same session again. Planted
words come from two vocabularies that share none: `script.pick` takes from the one at hand.
"""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode
from collections.abc import Iterable, Sequence
from random import Random
from typing import Any, TypeVar

from msgspec import json

from loom_bench.session import (
    HALVES,
    HELD_OUT,
    ChangingValue,
    CommandFailure,
    FactDue,
    PlantedInstruction,
    PressureSession,
    StandingRule,
    Wire,
)
from loom_bench.sessions.acts import ACTS, STYLES, World
from loom_bench.simulated.state import Vocabulary
from loom_bench.wires import lawful_name, texts

FILLERS = ("read", "read", "edit", "grep", "shell", "shell", "list", "failing", "web", "visit")
NOTHING = "(no output)"  # some providers refuse a result without text
CHAT_STYLES = ("claude-code", "openai")  # of STYLES: the tools' names are what a provider takes
CHARACTERS = 3.6  # of a token of filler, about; only to know when there is enough of it

Item = TypeVar("Item")
AskedFor = tuple[str, dict[str, Any], str]  # tool, arguments, result


class SessionScript:
    """One session while it is written. `half` is PUBLIC or HELD_OUT: which words it is worded in.

    What places a text returns the number of the message that holds it, which is what `fact`,
    `rule` and the others take as `at`. They raise ValueError when that message does not hold it.
    """

    def __init__(self, scenario: str, seed: int, half: str) -> None:
        if half not in HALVES:
            raise ValueError(f"half {half!r}: there are {', '.join(HALVES)}")
        self.scenario = scenario
        self.seed = seed
        self.half = half
        self.rng = Random(f"{scenario} {seed} {half}")
        self.words = Vocabulary(self.rng, held_out=half == HELD_OUT)
        self.messages: list[Wire] = []
        self._world = World(self.rng)
        self._style = STYLES[self.rng.choice(CHAT_STYLES)]
        self._calls = 0
        self._size = 0
        self._facts: dict[str, tuple[str, int, list[int]]] = {}  # value → question, at, due
        self._owed: list[Any] = []

    @property
    def tokens(self) -> int:
        """Tokens written so far, about."""
        return int(self._size / CHARACTERS)

    def pick(self, public: Sequence[Item], held_out: Sequence[Item]) -> Item:
        """One of the items of the half at hand."""
        return self.rng.choice(held_out if self.half == HELD_OUT else public)

    # Messages.

    def system(self, text: str) -> int:
        """Instructions of the harness."""
        return self._add({"role": "system", "content": text})

    def user(self, text: str) -> int:
        """The user says something."""
        return self._add({"role": "user", "content": text})

    def says(self, text: str) -> int:
        """The model answers without a call."""
        return self._add({"role": "assistant", "content": text})

    def call(self, tool: str, arguments: dict[str, Any], result: str, said: str = "") -> int:
        """The model calls a tool; returns where its result is."""
        return self.calls([(tool, arguments, result)], said)[0]

    def calls(self, asked: Sequence[AskedFor], said: str = "") -> list[int]:
        """The model calls several tools in one reply; returns where their results are."""
        made = [self._call(tool, arguments) for tool, arguments, _ in asked]
        self._add({"role": "assistant", "content": said or None, "tool_calls": made})
        return [
            self._add(
                {
                    "role": "tool",
                    "tool_call_id": call["id"],
                    "content": result if result.strip() else NOTHING,
                }
            )
            for call, (_, _, result) in zip(made, asked, strict=True)
        ]

    def picture(self, text: str, width: int = 640, height: int = 480) -> int:
        """The user says something and shows an image of so many pixels."""
        url = "data:image/png;base64," + b64encode(_png(self.rng, width, height)).decode()
        parts = [{"type": "text", "text": text}, {"type": "image_url", "image_url": {"url": url}}]
        return self._add({"role": "user", "content": parts})

    def work(self, steps: int = 0, *, tokens: int = 0) -> None:
        """Ordinary work that nothing is asked about: so many steps, or until the session has so
        many tokens in all."""
        while steps > 0 or self.tokens < tokens:
            act = ACTS[self.rng.choice(FILLERS)](self._world)
            name, keys = self._style[act.tool]
            given = {keys.get(key, key): value for key, value in act.arguments.items()}
            said = self._world.material.sentence() if self.rng.random() < 0.4 else ""
            # Some harnesses name tools `fs:read`, which no provider takes in a chat message.
            self.call(name, given, act.result, said)
            steps -= 1

    def take(self, messages: Iterable[Wire]) -> int:
        """Messages that are ready; returns the number of the first of them."""
        first = len(self.messages)
        for message in messages:
            self._add(message)
            self._calls += len(message.get("tool_calls") or ())  # their ids are not given again
        return first

    # What is owed.

    def fact(self, value: str, question: str, at: int) -> None:
        """Message `at` says a value that will be needed: at the end, and wherever `need` says."""
        self._holds(value, at)
        self._facts[value] = (question, at, [])

    def need(self, value: str) -> None:
        """The next reply of the model needs that value. Raises KeyError for no `fact`."""
        self._facts[value][2].append(len(self.messages))

    def rule(self, text: str, at: int) -> int:
        """Message `at` lays a rule down, in these words; returns its number for `lift`."""
        self._holds(text, at)
        self._owed.append(StandingRule(text, at))
        return len(self._owed) - 1

    def lift(self, number: int, at: int) -> None:
        """Message `at` takes a rule back."""
        rule = self._owed[number]
        self._owed[number] = StandingRule(rule.text, rule.at, at)

    def changes(self, question: str, states: Sequence[tuple[int, str]]) -> None:
        """Something has one value after another: (number of the message that says it, value)."""
        for at, value in states:
            self._holds(value, at)
        self._owed.append(ChangingValue(question, tuple(states)))

    def fails(self, command: str, says: str, at: int, resolved: int | None = None) -> None:
        """A command's result at `at` shows a failure; in message `resolved` it passes."""
        self._holds(says, at)
        self._owed.append(CommandFailure(command, says, at, resolved))

    def planted(self, text: str, at: int) -> None:
        """The result at `at` holds an order of a stranger."""
        self._holds(text, at)
        self._owed.append(PlantedInstruction(text, at))

    def owes(self, obligation: Any) -> None:
        """Anything else, for a judge that knows it."""
        self._owed.append(obligation)

    def session(self) -> PressureSession:
        """What was written."""
        end = len(self.messages)
        facts = [
            FactDue(value, question, at, tuple(sorted({*due, end})))
            for value, (question, at, due) in self._facts.items()
        ]
        owed = (*facts, *self._owed)
        return PressureSession(self.scenario, self.seed, self.half, tuple(self.messages), owed)

    def _add(self, message: Wire) -> int:
        self.messages.append(message)
        self._size += sum(map(len, texts(message))) + len(str(message.get("tool_calls", "")))
        return len(self.messages) - 1

    def _call(self, tool: str, arguments: dict[str, Any]) -> Wire:
        self._calls += 1
        function = {"name": lawful_name(tool), "arguments": json.encode(arguments).decode()}
        return {"id": f"call_{self._calls:05d}", "type": "function", "function": function}

    def _holds(self, text: str, at: int) -> None:
        message = self.messages[at]
        if not any(text in said for said in (*texts(message), str(message.get("tool_calls", "")))):
            raise ValueError(f"message {at} does not hold {text!r}")


def _png(rng: Random, width: int, height: int) -> bytes:
    """A grey picture in bands."""
    rows = b"".join(b"\x00" + bytes([rng.randrange(256)]) * width for _ in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    body = b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + body
