"""The parts of a format: an encoder, a collector, and the object `Format` that holds all of it."""

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
    """Return the error for a reply whose shape no format knows; `accepted` is words for the shapes
    that can be read. The error describes the value and does not repeat its content."""
    return BadInput(f"cannot read a reply from {describe_value(value)}: give {accepted}")


def describe_value(value: object) -> str:
    """Return words for a value, without its content: its type, or the first keys of a dict."""
    if isinstance(value, dict):
        keys = ", ".join(repr(key) for key in list(value)[:8])
        return f"a dict with the keys {keys or '(none)'}"
    return f"a value of type {type(value).__name__}"


class Encoder(ABC):
    """The base class of encoders, which turn rendered messages into a provider's, a few at a time.

    However `extend` calls split the messages, the wire messages are the same, and what `request`
    returned before stays: an element of `messages` (the wire's messages, items or contents) never
    changes; the last one alone can grow, by being replaced. `spans[i]` is the length of `messages`
    after the neutral message i was added: it maps a neutral position to a wire position. `system`
    holds the texts of leading instructions that a request carries apart from its messages; they are
    in no span, so a span may be 0. `key` is the member of a request that holds the messages."""

    key = "messages"  # where a request has them

    def __init__(self) -> None:
        self.system: list[str] = []
        self.messages: list[Wire] = []
        self.spans: list[int] = []

    @abstractmethod
    def add(self, message: Message) -> None:
        """Append one neutral message to `messages`."""

    def extend(self, messages: Iterable[Message]) -> None:
        """Append neutral messages, in window order, which follow those given before."""
        for message in messages:
            self.add(message)
            self.spans.append(len(self.messages))

    def request(self, editable: Collection[int] = ()) -> Wire:
        """Return the part of a request that carries the messages so far. The caller may edit the
        last few wire messages and those whose numbers are in `editable`: they are copies. All
        others are shared between requests."""
        return {
            self.key: copies_for_request(self.messages, editable),
            **(self.lead() if self.system else {}),
        }

    def lead(self) -> Wire:
        """Return the part of a request that carries the instructions in `system`."""
        return {}


class Collector(Protocol):
    """An object that turns the chunks of one stream into one reply. `done` is True once the
    provider said that the reply is complete; chunks may still follow (the usage) and should be
    taken. A stream that ends before has no reply: raise BrokenStream."""

    done: bool

    def take(self, chunk: object) -> None:
        """Add a chunk. Raises BrokenStream when the provider says that the reply failed."""

    def reply(self) -> dict[str, Any]:
        """Return the reply so far, in the shape that `decode` of the same format reads."""


class RequestOptions(Struct, frozen=True):
    """The values beside its messages that the arguments of a request depend on.

    `max_tokens` is the limit of the reply. `marks` are numbers of wire messages at whose ends a
    cache mark may stand, None for no marks; `lasting` the ttls of the marks, None for the default;
    `key` steers the provider's prompt cache, "" for none. `model` is "" when it is unknown.
    `stream` says that the reply is to be streamed."""

    max_tokens: int
    model: str
    provider: Provider
    marks: tuple[int, ...] | None = None
    lasting: MarkLifetime | None = None
    key: str = ""
    stream: bool = False


class Format(Struct, frozen=True, kw_only=True):
    """How to read a provider's replies and write its requests: all of one provider's shape.

    `accepts` tells whether a plain value (`wire.plain_reply`) is a reply of this shape, and
    `decode` reads a reply, dict or object, and raises BadInput. `begins` tells whether a chunk is
    the first of a stream, and `collector` makes the object that takes its chunks. `accepted` and
    `streamed` are words for the replies and the chunks that can be read. `encoder` makes the
    messages of a request, `tool` a declaration, and `arguments` adds whatever else a request needs
    to one that has its messages, tools and model. `marked` says that requests carry cache marks.
    `listing` reads a list of messages that a host keeps into `listing.ListedMessage`s, None where
    it cannot; Loom's own listings stand in `listing.readers`. `ended` returns why a reply ended:
    "length" where it was cut off, "" where the reply does not say."""

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
