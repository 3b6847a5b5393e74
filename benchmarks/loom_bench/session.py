"""A session of a scenario: the messages of an agent's whole run, and what a window owes in it.

A scenario writes them down beside the messages that bring them (`SessionScript`), judges hold each
request against those they know. `at` is always the number of the message that brings something, in
the session's list from 0. A moment is the number of messages that stand before a request: request
12 is made of the messages 0 to 11.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

PUBLIC, HELD_OUT = "public", "held_out"
HALVES = (PUBLIC, HELD_OUT)

Wire = dict[str, Any]  # a message of OpenAI's Chat Completions


class PressureSession(Struct, frozen=True):
    """One session. The same scenario, seed and half give the same session.

    `half` is the half of the vocabulary that words it: PUBLIC to develop with, HELD_OUT to judge.
    `obligations` are those of `loom_bench.session`, or of a kind that a judge of yours knows.
    """

    scenario: str
    seed: int
    half: str
    messages: tuple[Wire, ...]
    obligations: tuple[Any, ...] = ()

    def moments(self) -> Iterator[int]:
        """Where the model is called: before each of its replies, and once at the end."""
        for at, message in enumerate(self.messages):
            if message["role"] == "assistant":
                yield at
        yield len(self.messages)

    def owed(self, kind: type) -> list[Any]:
        """The obligations of a kind."""
        return [one for one in self.obligations if isinstance(one, kind)]


class FactDue(Struct, frozen=True):
    """An exact text that the model needs at certain moments.

    `question` is what a model would ask in its own words when it misses it; `value` is not in it.
    """

    value: str
    question: str
    at: int
    due: tuple[int, ...]


class StandingRule(Struct, frozen=True):
    """A sentence of the user or the harness that holds from message `at` to `until`."""

    text: str
    at: int
    until: int | None = None


class ChangingValue(Struct, frozen=True):
    """Something that has one value after another: (number of the message, value), oldest first."""

    question: str
    states: tuple[tuple[int, str], ...]


class CommandFailure(Struct, frozen=True):
    """A command that failed, what it said, and the message in which it passes, if it does."""

    command: str
    says: str
    at: int
    resolved: int | None = None


class PlantedInstruction(Struct, frozen=True):
    """An order that stands in a tool's result: the words of a stranger, never the user's."""

    text: str
    at: int


class TruthAsked(Struct, frozen=True):
    """What is true at a moment of a simulated session; questions about it are asked then."""

    at: int
    truth: Any
