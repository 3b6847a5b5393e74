"""What a window owes during a session: facts, rules, values that change, failures, foreign orders.

A scenario writes them down beside the messages that bring them (`SessionScript`), judges hold each
request against those they know. `at` is always the number of the message that brings something, in
the session's list from 0. A moment is the number of messages that stand before a request: request
12 is made of the messages 0 to 11.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct


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


Obligation = (
    FactDue | StandingRule | ChangingValue | CommandFailure | PlantedInstruction | TruthAsked
)
