"""The parts of a format: an encoder, a collector, and the one object that holds all of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct

from loom.errors import BadInput
from loom.inputs import Reply
from loom.providers.formats.wire import Wire, copies_for_request
from loom.providers.render.message import Message
from loom.providers.schema import ToolSchema
from loom.providers.table import Provider

if TYPE_CHECKING:
    from loom.providers.caching import MarkLifetime


def unknown_reply_error(value: object, accepted: str) -> BadInput:
    """The error for a reply whose shape no format knows; `accepted` names those that can be read.
    What is given is described, not repeated."""
    return BadInput(f"cannot read a reply from {describe_value(value)}: give {accepted}")


def describe_value(value: object) -> str:
    """Say what a value is, without repeating what it holds: its type, and a mapping's keys."""
    if isinstance(value, dict):
        keys = ", ".join(repr(key) for key in list(value)[:8])
        return f"a dict with the keys {keys or '(none)'}"
    return f"a value of type {type(value).__name__}"


class Encoder(ABC):
    """Turns rendered messages into a provider's, a few at a time.

    However the messages are split over calls of `extend`, the wire messages are the same, and what
    `request` returned before stays as it was: a message in `messages` (the wire's messages, items,
    contents) never changes; one that must grow is replaced by a longer one, and only the last can.
    `spans[i]` is how many of them there were when the neutral message i had been added: a neutral
    position as a wire position. `system` holds the texts of leading instructions that stand apart;
    they are in no span, so a span may be 0.
    """

    key = "messages"  # where a request has them

    def __init__(self) -> None:
        self.system: list[str] = []
        self.messages: list[Wire] = []
        self.spans: list[int] = []

    @abstractmethod
    def add(self, message: Message) -> None:
        """Append one message."""

    def extend(self, messages: Iterable[Message]) -> None:
        """Append messages, as they stand in the window after those given before."""
        for message in messages:
            self.add(message)
            self.spans.append(len(self.messages))

    def request(self, editable: Collection[int] = ()) -> Wire:
        """Return the part of a request that carries the messages so far. The caller may edit the
        last few wire messages and those whose numbers are `editable`: they are copies. Others are
        shared between requests."""
        return {
            self.key: copies_for_request(self.messages, editable),
            **(self.lead() if self.system else {}),
        }

    def lead(self) -> Wire:
        """Return the part of a request that carries the instructions in `system`."""
        return {}


class Collector(Protocol):
    """Turns the chunks of one stream into one reply. `done` tells that the provider said the reply
    is complete; chunks may still follow (the usage) and should be taken. A stream that ends before
    has no reply: raise BrokenStream."""

    done: bool

    def take(self, chunk: object) -> None:
        """Add a chunk. Raises BrokenStream when the provider says it failed."""

    def reply(self) -> dict[str, Any]:
        """Return what has come so far, as `decode` of the same format reads it."""


class RequestOptions(Struct, frozen=True):
    """All that the arguments of a request depend on beside its messages. `marks` are numbers of
    wire messages behind which a cache mark may stand, None for no marks, `lasting` says how long
    what they keep lasts, None for as long as usual; `key` steers the provider's prompt cache, ""
    for none. `model` may be "" when it is unknown."""

    max_tokens: int
    model: str
    provider: Provider
    marks: tuple[int, ...] | None = None
    lasting: MarkLifetime | None = None
    key: str = ""
    stream: bool = False


class Format(Struct, frozen=True, kw_only=True):
    """How to read a provider's replies and write its requests: all of one provider's shape.

    `accepts` tells whether a plain value (`wire.plain`) is a reply of this shape, and `decode`
    reads one, dict or object; it raises BadInput. `begins` tells whether a chunk is the first
    of a stream, and `collector` makes what takes its chunks. `accepted` and `streamed` say in
    words what these two accept. `encoder` makes the messages of a request, `tool` a declaration,
    and `arguments` adds to a request that has its messages, tools and model whatever else it needs.
    `marked` says that requests carry cache marks. `listing` reads a list of messages that a host
    keeps (`listing.ListedMessage`), None where it cannot; Loom's own stand in `listing.readers`.
    `ended` says why a reply ended: "length" where it was cut off, "" where it does not say.
    """

    name: str
    accepted: str
    accepts: Callable[[object], bool]
    decode: Callable[[object], Reply]
    streamed: str
    begins: Callable[[object], bool]
    collector: Callable[[], Collector]
    encoder: Callable[[], Encoder]
    tool: Callable[[ToolSchema], Wire]
    arguments: Callable[[Wire, RequestOptions], None]
    marked: bool = False
    listing: Callable[..., Iterable[Any]] | None = None
    ended: Callable[[Any], str] = lambda value: ""
