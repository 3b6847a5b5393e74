"""Reasoning that a model wrote into its text, between tags, told from its answer.

Servers of open models leave the tags in the text when no parser of theirs is switched on. Where the
model's row says that tags are content (`Provider.tags`), as its reasoning comes in blocks of its
own, a tag means the word. The same holds for a reply that has such a block.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from loom.inputs import Reasoning, Reply, Speech, ToolCall
from loom.providers import provider_of
from loom.providers.formats.envelope import is_envelope, is_unsigned
from loom.providers.reasoning import separate

Part = Speech | Reasoning | ToolCall


def untagged(reply: Reply, model: str = "") -> Reply:
    """The reply with tagged reasoning as blocks before the text it was in; most are as they were.

    What was between the tags is kept and never sent again, as the makers of such models ask.
    `model` is who made it where the reply does not say.
    """
    if tags_are_content(reply, model):
        return reply
    parts: list[Part] = []
    for part in reply.parts:
        pieces = list(_apart(part))
        gone = isinstance(part, Speech) and not (pieces and isinstance(pieces[-1], Speech))
        if gone and parts and is_envelope(parts[-1]):
            parts.pop()  # what it carries belongs to the text that is gone, not to what follows
        parts += pieces
    return replace(reply, parts=tuple(parts)) if tuple(parts) != reply.parts else reply


def tags_are_content(reply: Reply, model: str) -> bool:
    """True where the row of its model says so, or the reply has reasoning in a block of its own."""
    if provider_of(reply.model or model).tags:
        return True
    return any(isinstance(part, Reasoning) and part.text for part in reply.parts)


def asked_back(reply: Reply, model: str) -> Reply:
    """The reply, its reasoning to be sent back that is signed, or that its `model` asks for."""
    if any(provider_of(name).thinks for name in (reply.model, model)):
        return reply
    return replace(reply, parts=tuple(map(_kept, reply.parts)))


def _kept(part: Part) -> Part:
    return Reasoning(part.text) if isinstance(part, Reasoning) and is_unsigned(part) else part


def _apart(part: Part) -> Iterator[Part]:
    found = separate(part.text) if isinstance(part, Speech) else None
    if found is None or (isinstance(part, Speech) and found.answer == part.text):
        yield part
        return
    yield from (Reasoning(text) for text in found.reasoning)
    if found.answer.strip():
        yield Speech(found.answer)
