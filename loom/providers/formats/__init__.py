"""Provider shapes: replies decoded into `loom.inputs`, rendered messages encoded for the wire.

A new format is a file with `accepts`, `decode` and `Encoder`, and a line in FORMATS and _DETECTED.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any, NamedTuple, Protocol

from loom.inputs import Reply, Speech
from loom.providers.formats import anthropic, gemini, openai, responses
from loom.providers.formats.errors import UnknownReply
from loom.providers.formats.tagged import untagged
from loom.providers.formats.wire import plain
from loom.providers.render.message import Message

__all__ = ["FORMATS", "Encoder", "Format", "UnknownReply", "decode"]


class Encoder(Protocol):
    """Turns rendered messages into a provider's, a few at a time.

    However the messages are split over calls of `extend`, the wire messages are the same, and what
    `request` returned before stays as it was. `messages` are the wire's (items, contents), and
    `spans[i]` is how many of them there were when the neutral message i had been added: a neutral
    position as a wire position. Instructions apart are in none, so a span may be 0.
    """

    messages: list[dict[str, Any]]
    spans: list[int]

    def extend(self, messages: Iterable[Message]) -> None:
        """Append messages, as they stand in the window after those given before."""

    def request(self, editable: Collection[int] = ()) -> dict[str, Any]:
        """Return the part of a request that carries the messages so far.

        The caller may edit the last few wire messages and those whose numbers are `editable`: they
        are copies. Others are shared between requests.
        """


class Format(NamedTuple):
    """How to read a provider's replies and write its requests."""

    decode: Callable[[object], Reply]
    encoder: Callable[[], Encoder]


FORMATS: dict[str, Format] = {
    "openai": Format(openai.decode, openai.Encoder),
    "responses": Format(responses.decode, responses.Encoder),
    "anthropic": Format(anthropic.decode, anthropic.Encoder),
    "gemini": Format(gemini.decode, gemini.Encoder),
}

ACCEPTED = "; ".join(
    [
        *(format.ACCEPTED for format in (openai, responses, anthropic, gemini)),
        "a text; or a loom Reply",
    ]
)

# Asked in this order: the narrower shape first.
_DETECTED: tuple[tuple[Callable[[object], bool], Callable[[object], Reply]], ...] = (
    (gemini.accepts, gemini.decode),
    (responses.accepts, responses.decode),
    (anthropic.accepts, anthropic.decode),
    (openai.accepts, openai.decode),
)


def decode(reply: object) -> Reply:
    """Read a reply of any known provider, dict or object; a plain text is a reply that says it.

    Reasoning between tags in its text is told from the answer, but for a loom Reply, whose parts
    are what they are (`loom.providers.reasoning`).
    Raises UnknownReply.
    """
    if isinstance(reply, Reply):
        return reply
    if isinstance(reply, str):
        return untagged(Reply((Speech(reply),) if reply else ()))
    try:
        value = plain(reply)
        for accepts, read in _DETECTED:
            if accepts(value):
                return untagged(read(value))
    except UnknownReply:
        raise
    except (TypeError, AttributeError, LookupError, ValueError, RecursionError) as error:
        # A member of another type than any provider sends, or one nested without end.
        raise UnknownReply(reply, ACCEPTED) from error
    raise UnknownReply(reply, ACCEPTED)
