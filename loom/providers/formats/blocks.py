"""Reading neutral messages for encoders, and the words that stand for blank content.

Providers refuse blank content, so each kind of blank has words of its own.
"""

from __future__ import annotations

import re

from loom.lazy import lazy_re
from loom.providers.formats.wire import Wire, compact, parse_object
from loom.providers.render.message import (
    Message,
    OwnResultBlock,
    PartBlock,
    ResultBlock,
    TextBlock,
)

EMPTY_MESSAGE = "(empty message)"
NO_TEXT = "(no text)"
NO_OUTPUT = "(no output)"
RESUMES = "(the conversation resumes)"

_SAYS_ERROR = lazy_re(r"[\s\[<(*]*error\b", re.IGNORECASE)


def texts(message: Message) -> list[str]:
    """Return the texts of a message that are not blank, verbatim and in order."""
    return [
        block.text
        for block in message.blocks
        if isinstance(block, TextBlock) and block.text.strip()
    ]


def media(message: Message) -> list[Wire]:
    """Return the images, documents and unknown blocks of a message, as parts of the request."""
    return [block.part for block in message.blocks if isinstance(block, PartBlock)]


def said(message: Message, kind: str = "text") -> Wire:
    """Return the message of a role that only speaks, its text in a part of `kind` beside media."""
    text = "\n\n".join(texts(message))
    shown = media(message)
    if not shown:
        return {"role": message.role, "content": text or EMPTY_MESSAGE}
    words = [{"type": kind, "text": text}] if text else []
    return {"role": message.role, "content": [*words, *shown]}


def result_parts(block: ResultBlock) -> list[Wire]:
    """Return the parts a result is sent as, in place of its text; none for a text."""
    return [*block.parts] if isinstance(block, OwnResultBlock) else []


def result_of(message: Message) -> ResultBlock:
    """Return the result a tool message holds.

    Raises ValueError when the message holds anything but one result.
    """
    found = [block for block in message.blocks if isinstance(block, ResultBlock)]
    if len(found) != 1 or len(message.blocks) != 1:
        raise ValueError(
            f"a tool message holds exactly one result, this one has {len(found)} results among "
            f"{len(message.blocks)} blocks: give each result a message of its own"
        )
    return found[0]


def result_content(block: ResultBlock) -> list[Wire] | str:
    """Return what a result is sent as where its content may be parts: those, or its text."""
    return result_parts(block) or result_text(block)


def result_text(block: ResultBlock) -> str:
    """Return a result's text where the wire has no other way to say that it failed."""
    text = block.text if block.text.strip() else NO_OUTPUT
    return f"[error] {text}" if block.error and not says_error(text) else text


def arguments_object(arguments: str) -> Wire:
    """Return a call's arguments as an object; text that is none stands inside one, verbatim.

    Each format sends the same object: servers of open models read the arguments of earlier calls
    too, and refuse a request for one that is no JSON object.
    """
    if not arguments.strip():
        return {}
    given = parse_object(arguments)
    return {"_raw": arguments} if given is None else given


def arguments_text(arguments: str) -> str:
    """Return a call's arguments as the text of an object: verbatim where they are one."""
    whole = arguments.strip() and parse_object(arguments) is not None
    return arguments if whole else compact(arguments_object(arguments))


def says_error(text: str) -> bool:
    """Tell whether a text names itself an error in its first word."""
    return _SAYS_ERROR.match(text) is not None
