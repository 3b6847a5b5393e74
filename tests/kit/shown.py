"""Replies as the messages they are shown as."""

from loom.inputs import Reasoning, Reply, Speech
from loom.providers.render.message import Block, CallBlock, Message, TextBlock, ThoughtBlock


def shown(reply: Reply) -> Message:
    """Return a reply as the message it is shown as at full detail."""
    blocks: list[Block] = []
    for part in reply.parts:
        if isinstance(part, Speech):
            blocks += [TextBlock(part.text)] if part.text.strip() else []
        elif isinstance(part, Reasoning):
            blocks += [ThoughtBlock(part.opaque, part.format)] if part.opaque else []
        else:
            blocks.append(CallBlock(part.id, part.name, part.arguments))
    return Message("assistant", tuple(blocks))
