"""What a workspace was opened with, and its changes of size."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from msgspec import Struct

from loom_partitions.limits import Budget, Limits


LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Opened(Struct, frozen=True, tag="Opened"):
    """A workspace was opened for the first time. `policy` is the engine's, opaque here.

    `encoding` names what tokens were counted with, and `key` is the workspace's own, by which a
    provider may route to its cache.
    `depth` is 0 for an agent nobody spawned; a child has the `budget` it was given.
    """

    limits: Limits
    policy: dict[str, Any]
    model: str = ""
    depth: int = 0
    encoding: str = ""
    key: str = ""
    budget: Budget | None = None

    @property
    def mark(self) -> str:
        """Four characters, letters and digits by turns, that each block of Loom's own carries."""
        one, two, three, four = sha256(self.key.encode()).digest()[:4]
        return f"{LETTERS[one % 26]}{two % 10}{LETTERS[three % 26]}{four % 10}"


class Resized(Struct, frozen=True, tag="Resized"):
    """The window's sizes changed."""

    limits: Limits
    model: str = ""


class Redacted(Struct, frozen=True, tag="Redacted"):
    """Secrets were replaced before anything was hashed or written: kind → how many."""

    counts: dict[str, int]
