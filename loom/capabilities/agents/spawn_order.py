"""The order that a spawned agent starts with, as a document on a page: all that the agent is given.

The record of the spawn names the page, so an agent whose parent was killed before the agent was
opened can still be opened, with all it was to have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, TypeAlias, TypedDict, TypeVar, cast

from msgspec import MsgspecError, Struct, json

from loom.capability import Capability
from loom.context import Loop
from loom.context.opening_arguments import checked_opening_arguments
from loom.errors import BadInput, bad_record, quoted_name
from loom.policy import Policy
from loom.redact import Redactor, Rules
from loom_partitions.limits import Budget
from loom_partitions.records import Compressed, Renewed

Made = TypeVar("Made", bound=Loop)
# `loom.open`, for an agent that another has spawned: it takes a budget and a depth too.
Opener: TypeAlias = Callable[..., Made]


class Grant(Struct, frozen=True):
    """A page that a parent gives to its child: `page` is its name in the parent's store."""

    page: str


class Opening(TypedDict, total=False):
    """Arguments of `loom.open` that `spawn`, `child` and `fork` accept, each optional."""

    model: str
    window: int | None
    reply: int | None
    project: str | PathLike[str] | None
    policy: Literal["lazy", "graduated", "eager"] | Policy | None
    capabilities: Sequence[Capability]
    redact: Rules
    on_cut: Callable[[Compressed | Renewed], bool | None] | None
    durable: bool


# Those of them that a document can hold.
KEPT = ("window", "reply", "model", "policy", "durable")


class SpawnOrder(Struct, frozen=True):
    """All that is recorded to open a child: goal, budget, depth (how many agents are above it),
    granted pages, tool declarations as JSON texts, and the arguments of `loom.open` named in KEPT.
    """

    goal: str
    budget: Budget
    depth: int
    grants: tuple[Grant, ...] = ()
    tools: tuple[str, ...] = ()
    opening: dict[str, Any] = {}


def checked_child_arguments(method: str, given: Opening) -> Opening:
    """Return the arguments `given` for opening a child or fork, checked. `method` names the caller
    in errors. Raises BadInput for an unknown name or a bad value."""
    for name in given.keys() - Opening.__annotations__.keys():
        known = ", ".join(Opening.__annotations__)
        raise BadInput(f"{method}: no argument {quoted_name(name)}; there are {known}")
    if "redact" in given:
        Redactor(given["redact"])
    return cast(Opening, checked_opening_arguments(method, given))


def storable_arguments(opening: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that JSON can hold: those in KEPT that are not None."""
    return {key: opening[key] for key in KEPT if opening.get(key) is not None}


def encode_order(order: SpawnOrder) -> bytes:
    """Return a spawn order as JSON bytes. Raises BadInput if decoding them would fail."""
    try:
        data = json.format(json.encode(order), indent=1)
        decode_order(data)
    except (MsgspecError, TypeError, ValueError) as error:
        raise bad_record(str(error)) from error
    return data


def decode_order(data: bytes) -> SpawnOrder:
    """Return the spawn order that the JSON bytes `data` hold."""
    order = json.decode(data, type=SpawnOrder)
    if "durable" in order.opening:  # "turn", in orders of earlier versions
        order.opening["durable"] = bool(order.opening["durable"])
    return order
