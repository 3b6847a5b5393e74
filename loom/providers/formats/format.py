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
    """The base class of encoders, which turn Loom's messages into a provider's, a few at a time.

    However the messages are split over calls of `extend`, the result is the same, and what
    `request` returned before stays as it was. `messages` holds the provider's messages (or items,
    or contents): an element never changes, but the last may be replaced by a longer one. `spans[i]`
    is the length of `messages` after Loom's message i was added, so it maps a position in the
    window to one in `messages`. `system` holds the leading instructions where a request carries
    them apart from its messages: they are in no span, so a span may be 0. `key` is the member of a
    request that holds the messages."""

    key = "messages"  # where a request has them

    def __init__(self) -> None:
        self.system: list[str] = []
        self.messages: list[Wire] = []
        self.spans: list[int] = []

    @abstractmethod
    def add(self, message: Message) -> None:
        """Append one of Loom's messages to `messages`, in the provider's shape."""

    def extend(self, messages: Iterable[Message]) -> None:
        """Append Loom's messages, in window order, behind those given before."""
        for message in messages:
            self.add(message)
            self.spans.append(len(self.messages))

    def request(self, editable: Collection[int] = ()) -> Wire:
        """Return the members of a request that carry the messages so far and the instructions. The
        caller may edit the last few messages and those whose numbers are in `editable`: they are
        copies. All others are shared between requests."""
        return {
            self.key: copies_for_request(self.messages, editable),
            **(self.lead() if self.system else {}),
        }

    def lead(self) -> Wire:
        """Return the members of a request that carry the instructions in `system`; {} for none."""
        return {}


class Collector(Protocol):
    """An object that turns the chunks of one stream into one reply. `done` is True once the
    provider said that the reply is complete; chunks may still follow (the usage) and should be
    taken. A stream that ends before `done` is True has no reply: its reader raises BrokenStream."""

    done: bool

    def take(self, chunk: object) -> None:
        """Add a chunk. Raises BrokenStream when the provider says that the reply failed."""

    def reply(self) -> dict[str, Any]:
        """Return the reply so far, in the shape that `decode` of the same format reads."""


class RequestOptions(Struct, frozen=True):
    """The values from which `Format.arguments` makes the further members of a request.

    `max_tokens` is the limit of the reply. `marks` are numbers of wire messages at whose ends a
    cache mark may stand, None for no marks; `lasting` the ttls of the marks, None for the default;
    `key` the `prompt_cache_key`, "" for none. `model` is "" when it is unknown. `stream` says that
    the reply is to be streamed."""

    max_tokens: int
    model: str
    provider: Provider
    marks: tuple[int, ...] | None = None
    lasting: MarkLifetime | None = None
    key: str = ""
    stream: bool = False


class Format(Struct, frozen=True, kw_only=True):
    """How to read the replies and write the requests of one provider's format.

    `accepts` tells whether a plain value (`wire.plain_reply`) is a reply of this shape; `decode`
    turns such a reply, dict or object, into a Reply, and raises BadInput. `begins` tells whether a
    chunk is the first of a stream, and `collector` makes the object that takes its chunks.
    `accepted` and `streamed` are words, for errors, for the replies and chunks that can be read.
    `encoder` makes the messages of a request, `tool` a tool's declaration, and `arguments` adds
    whatever else a request needs once it has messages, tools and model. `marked` says that requests
    carry cache marks. `listing` turns a list of messages that a host keeps into
    `listing.ListedMessage`s; it is None for Loom's own formats (their listings are in
    `listing.readers`) and where no list can be read. `ended` returns why a reply ended: "length"
    where it was cut off, "" where the reply does not say."""

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
