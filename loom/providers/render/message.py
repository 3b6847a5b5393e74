"""The rendered window, before it takes a provider's shape: roles and blocks, nothing else."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

Role = Literal["system", "user", "assistant", "tool"]


class TextBlock(Struct, frozen=True, tag="text"):
    """A text to be read. `part` names the partition of a system block, "" elsewhere."""

    text: str
    part: str = ""


class ThoughtBlock(Struct, frozen=True, tag="thought"):
    """A provider's reasoning block: JSON text, sent verbatim and only in requests of `format`."""

    opaque: str
    format: str


class CallBlock(Struct, frozen=True, tag="call"):
    """A tool call; `arguments` is JSON text, verbatim (perhaps invalid JSON)."""

    id: str
    name: str
    arguments: str


class ResultBlock(Struct, frozen=True, tag="result"):
    """The result of the call `call_id`; `name` is the tool's."""

    call_id: str
    name: str
    text: str
    error: bool = False


class MediaBlock(Struct, frozen=True, tag="media"):
    """An image or document whose payload rests on `page`. With a `format`, the page holds the part
    of a request in that format instead."""

    page: str
    mime: str
    detail: str = ""
    format: str = ""


class PartBlock(Struct, frozen=True, tag="part"):
    """A media block as one provider's requests have it: `part` is the content part."""

    part: dict[str, Any]


class OwnTextBlock(TextBlock, frozen=True, tag="own_text"):
    """A text that stands for a provider's own blocks, which `page` holds: this provider is sent the
    blocks, every other provider the text."""

    page: str = ""


class OwnResultBlock(ResultBlock, frozen=True, tag="own_result"):
    """A result that stands for a provider's own blocks, which `page` holds: this provider is sent
    the blocks, then the text `behind`; every other provider is sent `text`. `parts` are the blocks,
    once it is known that they are sent."""

    page: str = ""
    behind: str = ""
    parts: tuple[dict[str, Any], ...] = ()


Block = TextBlock | ThoughtBlock | CallBlock | ResultBlock | MediaBlock | PartBlock


class Message(Struct, frozen=True):
    """One message of a request. `system` and `user` hold TextBlocks, `user` MediaBlocks too;
    `assistant` holds Text-, Thought- and CallBlocks in the provider's order; `tool` holds one
    ResultBlock and directly follows the assistant's message or another result of that message."""

    role: Role
    blocks: tuple[Block, ...]


def counted_texts(message: Message) -> list[str]:
    """Return every text of a message that a provider counts."""
    found: list[str] = []
    for block in message.blocks:
        if isinstance(block, CallBlock):
            found += [block.name, block.arguments]
        elif isinstance(block, ThoughtBlock):
            found.append(block.opaque)
        elif isinstance(block, TextBlock | ResultBlock):
            found.append(block.text)
    return found
