"""A session of a scenario: the messages of an agent's whole run, and what a window owes in it."""

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
    `obligations` are those of `loom_bench.obligations`, or of a kind that a judge of yours knows.
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
