"""Agents at work for this one: their records, and what those do to the list of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from loom_partitions.limits import Budget
from loom_partitions.surfaces import Child

Children = tuple[Child, ...]


class Spawned(Struct, frozen=True, tag="Spawned"):
    """A child was called into being: its name, its goal as a line, the page of all it is given.

    `call` is the call of the model it answers, "" for none. `budget` is its share of what its
    parent has.
    """

    child: str
    goal: str
    page: str
    call: str = ""
    budget: Budget | None = None


class Resulted(Struct, frozen=True, tag="Resulted"):
    """A child has a result, or was given up: its status. It waits to be joined.

    Without a status it has none: `left` says how it was left, "" when it is open again.
    """

    child: str
    status: str
    left: str = ""


class Joined(Struct, frozen=True, tag="Joined"):
    """The result of a child was taken in, once: its status, and the sha256 of what it says."""

    child: str
    status: str
    sha256: str


class Delivered(Struct, frozen=True, tag="Delivered"):
    """This agent has given its result to the one it works for: status, sha256 of the result."""

    status: str
    sha256: str


def _spawned(children: Children, record: Spawned) -> Children:
    return (*children, Child(record.child, record.goal))


def _resulted(children: Children, record: Resulted) -> Children:
    return tuple(
        replace(one, status=record.status, left=record.left) if one.name == record.child else one
        for one in children
    )


def _joined(children: Children, record: Joined) -> Children:
    return tuple(one for one in children if one.name != record.child)


CASES: dict[type, Callable[[Children, Any], Children]] = {
    Spawned: _spawned,
    Resulted: _resulted,
    Joined: _joined,
}
