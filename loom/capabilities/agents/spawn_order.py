"""The order a spawned agent starts with, all that it is given, as a document on a page.

The page is named by the record, so an agent whose parent was killed before it was opened can still
be brought into being, with all it was to have.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct, json

from loom_partitions.limits import Budget

GRANTED = "From the one who gave you this task, as pages to page in:\n{pages}"


class Grant(Struct, frozen=True):
    """A page of the parent that its child may have: its name there."""

    page: str


class SpawnOrder(Struct, frozen=True):
    """The goal, the grants, the budget, the depth, and what opens the window.

    `tools` are the documents of declared tools, `opening` the arguments of `loom.open` that a
    document can hold.
    """

    goal: str
    budget: Budget
    depth: int
    grants: tuple[Grant, ...] = ()
    tools: tuple[str, ...] = ()
    opening: dict[str, Any] = {}


KEPT = frozenset({"window", "reply", "model", "policy", "durable"})


def document(order: SpawnOrder) -> bytes:
    """An order as it is kept."""
    return json.format(json.encode(order), indent=1)


def read(data: bytes) -> SpawnOrder:
    """The order a page holds."""
    return json.decode(data, type=SpawnOrder)


def extension(name: str) -> str:
    """The extension of a page that is handed over, ".bin" where it has none."""
    _, dot, suffix = name.rpartition("/")[2].rpartition(".")
    known = dot and suffix.isalnum() and len(suffix) <= 8
    return f".{suffix}" if known else ".bin"
