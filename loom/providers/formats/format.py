"""What a format consists of: an encoder, a collector, and a `Format` object that holds both."""

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
    """Return the error for a reply that no format can read. `accepted` is a text that names the
    readable replies. The message does not repeat the reply's content."""
    return BadInput(f"cannot read a reply from {describe_value(value)}: give {accepted}")


def describe_value(value: object) -> str:
    """Return words for a value that do not tell its content: its type, or a dict's first keys."""
    if isinstance(value, dict):
        keys = ", ".join(repr(key) for key in list(value)[:8])
        return f"a dict with the keys {keys or '(none)'}"
    return f"a value of type {type(value).__name__}"


class Encoder(ABC):
    """The base class of encoders. An encoder turns Loom's messages into a provider's messages.

    `messages` holds the provider's messages (or items, or contents). Its elements never change, but
    the last may be replaced by a longer one. `spans[i]` is the length of `messages` after Loom's
    message i. `system` holds the leading instructions if a request has them outside of its
    messages; instructions add nothing to `spans`. `key` is the member of a request that holds the
    messages. One call of `extend` gives the same result as several."""

    key = "messages"  # where a request has them

    def __init__(self) -> None:
        self.system: list[str] = []
        self.messages: list[Wire] = []
        self.spans: list[int] = []

    @abstractmethod
    def add(self, message: Message) -> None:
        """Append one of Loom's messages to `messages`, converted to the provider's shape."""

    def extend(self, messages: Iterable[Message]) -> None:
        """Append more of Loom's messages, in the order of the window."""
        for message in messages:
            self.add(message)
            self.spans.append(len(self.messages))

    def request(self, editable: Collection[int] = ()) -> Wire:
        """Return a dict with all messages and the instructions. The last few messages and those
        whose indexes are in `editable` are copies that the caller may edit; all others are shared
        between requests."""
        return {
            self.key: copies_for_request(self.messages, editable),
            **(self.lead() if self.system else {}),
        }

    def lead(self) -> Wire:
        """Return the members of a request for the instructions in `system`; {} for none."""
        return {}


class Collector(Protocol):
    """An object that joins the chunks of one stream into one reply. `done` is True once the
    provider said that the reply is complete; a stream that ends earlier has no reply. Chunks after
    `done`, such as the usage, should still be added."""

    done: bool

    def take(self, chunk: object) -> None:
        """Add a chunk. Raises BrokenStream if the provider says that the reply failed."""

    def reply(self) -> dict[str, Any]:
        """Return the reply so far, as a dict that `decode` of the same format can read."""


class RequestOptions(Struct, frozen=True):
    """The values that `Format.arguments` adds to a request. `max_tokens` is the limit of the reply.
    `marks` are the indexes of messages after which a cache mark may be set; None means no marks.
    `lasting` are the ttls of the marks; None means the default. `key` is the `prompt_cache_key`, ""
    if there is none. `model` is "" if unknown."""

    max_tokens: int
    model: str
    provider: Provider
    marks: tuple[int, ...] | None = None
    lasting: MarkLifetime | None = None
    key: str = ""
    stream: bool = False


class Format(Struct, frozen=True, kw_only=True):
    """One provider's format: how to read its replies and write its requests.

    `accepts` tells whether a plain value (see `wire.plain_reply`) is a reply in this format.
    `decode` reads a reply, dict or object, into a Reply, and raises BadInput. `begins` tells
    whether a chunk is the first of a stream; `collector` makes the object that joins the chunks.
    `accepted` and `streamed` describe in errors which replies and chunks can be read. `encoder`
    makes a request's messages, `tool` a tool's declaration; `arguments` adds all else a request
    needs. `marked` says that requests carry cache marks. `listing` reads a host's list of messages
    into `listing.ListedMessage`s; it is None for Loom's own formats and for a format without lists.
    `ended` returns why a reply ended: "length" if it was cut off, "" if the reply does not say."""

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
