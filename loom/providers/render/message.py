"""The messages of a request before they take a provider's shape: roles and blocks, nothing else."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

Role = Literal["system", "user", "assistant", "tool"]


class TextBlock(Struct, frozen=True, tag="text"):
    """A text. In a system message `part` is the partition it belongs to; elsewhere ""."""

    text: str
    part: str = ""


class ThoughtBlock(Struct, frozen=True, tag="thought"):
    """A provider's reasoning block. `opaque` is its JSON text, sent only in requests of the format
    `format`."""

    opaque: str
    format: str


class CallBlock(Struct, frozen=True, tag="call"):
    """A tool call. `arguments` is the text as it came, which may be invalid JSON."""

    id: str
    name: str
    arguments: str


class ResultBlock(Struct, frozen=True, tag="result"):
    """The result of the call `call_id`. `name` is the name of the tool."""

    call_id: str
    name: str
    text: str
    error: bool = False


class MediaBlock(Struct, frozen=True, tag="media"):
    """An image or document. The page named `page` holds its bytes, or, if `format` is not "", a
    content part in that format."""

    page: str
    mime: str
    detail: str = ""
    format: str = ""


class PartBlock(Struct, frozen=True, tag="part"):
    """An image or document as a content part in a provider's shape."""

    part: dict[str, Any]


class OwnTextBlock(TextBlock, frozen=True, tag="own_text"):
    """A text that came with a provider's own blocks, which the page `page` holds. Only that
    provider is sent the blocks; any other is sent the text."""

    page: str = ""


class OwnResultBlock(ResultBlock, frozen=True, tag="own_result"):
    """A result that came with a provider's own blocks, which the page `page` holds. Only that
    provider is sent the blocks, followed by the text `behind`; any other is sent `text`. `parts`
    are the blocks; () until they are read."""

    page: str = ""
    behind: str = ""
    parts: tuple[dict[str, Any], ...] = ()


Block = TextBlock | ThoughtBlock | CallBlock | ResultBlock | MediaBlock | PartBlock


class Message(Struct, frozen=True):
    """One message of a request. A `system` message holds TextBlocks, a `user` message TextBlocks
    and MediaBlocks. An `assistant` message holds TextBlocks, ThoughtBlocks and CallBlocks in the
    order of the reply. Each `tool` message after it holds one ResultBlock."""

    role: Role
    blocks: tuple[Block, ...]


def counted_texts(message: Message) -> list[str]:
    """Return all texts of a message that count as tokens."""
    found: list[str] = []
    for block in message.blocks:
        if isinstance(block, CallBlock):
            found += [block.name, block.arguments]
        elif isinstance(block, ThoughtBlock):
            found.append(block.opaque)
        elif isinstance(block, TextBlock | ResultBlock):
            found.append(block.text)
    return found
