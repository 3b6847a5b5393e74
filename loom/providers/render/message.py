"""The rendered window, before it takes a provider's shape: roles and blocks, nothing else."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

Role = Literal["system", "user", "assistant", "tool"]


class TextBlock(Struct, frozen=True, tag="text"):
    """Text to be read. `part` names the partition of a system block ("" elsewhere)."""

    text: str
    part: str = ""


class ThoughtBlock(Struct, frozen=True, tag="thought"):
    """A provider's reasoning block, JSON text re-emitted verbatim, only to the format it names."""

    opaque: str
    format: str


class CallBlock(Struct, frozen=True, tag="call"):
    """A tool call; `arguments` is JSON text, verbatim (perhaps invalid JSON)."""

    id: str
    name: str
    arguments: str


class ResultBlock(Struct, frozen=True, tag="result"):
    """The result of the call `call_id`."""

    call_id: str
    name: str
    text: str
    error: bool = False


class MediaBlock(Struct, frozen=True, tag="media"):
    """An image or document, its payload on `page` (or the part of a request in `format`)."""

    page: str
    mime: str
    detail: str = ""
    format: str = ""


class PartBlock(Struct, frozen=True, tag="part"):
    """A MediaBlock as one provider takes it: the part of its request."""

    part: dict[str, Any]


class OwnTextBlock(TextBlock, frozen=True, tag="own_text"):
    """Text on a `page` in place of a block of a format's own, which that format is sent."""

    page: str = ""


class OwnResultBlock(ResultBlock, frozen=True, tag="own_result"):
    """A result whose content on a `page` is blocks of a format's own, which that format is sent.
    `behind` is what its text says beside them. `parts` are the blocks, once it is known that they
    are sent."""

    page: str = ""
    behind: str = ""
    parts: tuple[dict[str, Any], ...] = ()


Block = TextBlock | ThoughtBlock | CallBlock | ResultBlock | MediaBlock | PartBlock


class Message(Struct, frozen=True):
    """One message of a request. `system` and `user` hold TextBlocks, `user` MediaBlocks too;
    `assistant` holds Text-, Thought- and CallBlocks in the provider's order; `tool` holds one
    ResultBlock and directly follows the assistant's message or another result of it."""

    role: Role
    blocks: tuple[Block, ...]


def counted_texts(message: Message) -> list[str]:
    """Every text of a message that a provider counts."""
    found: list[str] = []
    for block in message.blocks:
        if isinstance(block, CallBlock):
            found += [block.name, block.arguments]
        elif isinstance(block, ThoughtBlock):
            found.append(block.opaque)
        elif isinstance(block, TextBlock | ResultBlock):
            found.append(block.text)
    return found
