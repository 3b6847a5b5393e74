"""Streams: what a provider sends piece by piece, collected into the reply it stands for.

A collector takes each chunk as the provider's library yields it, object or dict, and gives the dict
an unstreamed reply would have been. Unknown events and fields are passed over. Texts are joined
once, so the work is linear in what was sent.

A new format is a file with `accepts`, `ACCEPTED` and `Collector`, and its name in _FORMATS.
"""

from __future__ import annotations

from typing import Any, Protocol

from loom.providers.formats.errors import UnknownReply
from loom.providers.formats.stream import anthropic, chat, gemini, responses
from loom.providers.formats.stream.errors import BrokenStream, StreamFailed

__all__ = ["BrokenStream", "Collector", "StreamFailed", "UnknownReply", "collector_for"]


class Collector(Protocol):
    """Turns the chunks of one stream into one reply.

    `done` tells that the provider said the reply is complete; chunks may still follow (the usage)
    and should be taken. A stream that ends before has no reply: raise BrokenStream.
    """

    done: bool

    def take(self, chunk: object) -> None:
        """Add a chunk. Raises StreamFailed when the provider says it failed."""

    def reply(self) -> dict[str, Any]:
        """Return what has come so far, as `loom.providers.formats.decode` reads it."""


# Asked in this order: the narrower shape first.
_FORMATS = (anthropic, responses, chat, gemini)


def collector_for(chunk: object) -> Collector:
    """Return a new collector for the stream that begins with `chunk`, which it has not taken yet.

    Raises UnknownReply.
    """
    for format in _FORMATS:
        if format.accepts(chunk):
            collector: Collector = format.Collector()
            return collector
    raise UnknownReply(chunk, "; ".join(format.ACCEPTED for format in _FORMATS))
