"""The error of a reply that no format can read."""

from __future__ import annotations

from loom.errors import LoomError


class UnknownReply(LoomError, ValueError):
    """A reply was given whose shape no format knows.

    `given` describes the value, `accepted` names the shapes that can be read.
    """

    def __init__(self, value: object, accepted: str) -> None:
        self.given = describe(value)
        self.accepted = accepted
        super().__init__(f"cannot read a reply from {self.given}: give {accepted}")


def describe(value: object) -> str:
    """Say what a value is, without repeating what it holds: its type, and a mapping's keys."""
    if isinstance(value, dict):
        keys = ", ".join(repr(key) for key in list(value)[:8])
        return f"a dict with the keys {keys or '(none)'}"
    return f"a value of type {type(value).__name__}"
