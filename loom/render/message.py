"""The rendered window, before it takes a provider's shape: roles and blocks, nothing else."""

from __future__ import annotations

from typing import Literal

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


Block = TextBlock | ThoughtBlock | CallBlock | ResultBlock


class Message(Struct, frozen=True):
    """One message of a request.

    `system` and `user` hold TextBlocks; `assistant` holds Text-, Thought- and CallBlocks in the
    provider's order; `tool` holds one ResultBlock and directly follows the assistant's message
    or another result of it.
    """

    role: Role
    blocks: tuple[Block, ...]


def spoken(message: Message) -> list[str]:
    """Every text of a message that a provider counts."""
    found: list[str] = []
    for block in message.blocks:
        if isinstance(block, CallBlock):
            found += [block.name, block.arguments]
        else:
            found.append(block.opaque if isinstance(block, ThoughtBlock) else block.text)
    return found
