"""Finding an exact text in what a request shows or a page holds.

A needle is held by one text as it stands, as JSON escapes it, or once the numbers a file tool
writes before its lines, or what quotes them, are taken away (inside JSON too). All other blanks
have to agree. A needle that is spread over two texts is not held.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from loom.inputs import Event, Reply, Speech, ToolCall
from loom.providers.render.message import Block, CallBlock, Message, ResultBlock, TextBlock

# `   12→text` (Claude Code), `12<tab>text` (cat -n), `12: text`.
NUMBER = re.compile(r"^[ \t]*\d+(?:→|\t|:(?: |$))", re.MULTILINE)

QUOTE = re.compile(r"^> ?", re.MULTILINE)  # before each line of a quote

ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\"}
ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|([nt\"\\]))")


@lru_cache(maxsize=4096)
def unnumbered(text: str) -> str:
    """The text without the line numbers of a file tool."""
    return NUMBER.sub("", text)


def _character(match: re.Match[str]) -> str:
    return chr(int(match[1], 16)) if match[1] else ESCAPES[match[2]]


@lru_cache(maxsize=4096)
def _unescaped(text: str) -> str:
    """The text with the commonest escapes of JSON undone, without line numbers."""
    return unnumbered(ESCAPE.sub(_character, text))


@lru_cache(maxsize=4096)
def strings(arguments: str) -> tuple[str, ...]:
    """Every string value in the JSON of a call's arguments; none when it is no JSON."""
    try:
        return tuple(walked(json.loads(arguments)))
    except (ValueError, RecursionError):
        return ()


def walked(value: Any) -> Iterator[str]:
    """Every string in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for inner in value.values() if isinstance(value, Mapping) else value:
            yield from walked(inner)


@lru_cache(maxsize=4096)
def _forms(needle: str) -> tuple[str, ...]:
    """The needle as it stands, as JSON writes it, and as JSON inside JSON."""
    once = [json.dumps(needle, ensure_ascii=ascii)[1:-1] for ascii in (False, True)]
    return tuple(dict.fromkeys((needle, *once, json.dumps(once[0], ensure_ascii=False)[1:-1])))


def held(needle: str, text: str) -> bool:
    """True when one text holds the needle."""
    if len(text) < len(needle) and len(text) < len(unnumbered(needle)):
        return False
    if any(form in text for form in _forms(needle)):
        return True
    bare = unnumbered(needle)
    if bare in unnumbered(text) or ("\\n" in text and bare in _unescaped(text)):
        return True
    return "\n> " in text and bare in unnumbered(QUOTE.sub("", text))


def held_by_any(needle: str, texts: Iterable[str]) -> bool:
    """True when one of the texts holds the needle."""
    return any(held(needle, text) for text in texts)


def block_texts(block: Block) -> tuple[str, ...]:
    """The readable texts of a block: its text, or a call's arguments, raw and each value."""
    if isinstance(block, CallBlock):
        return (block.arguments, *strings(block.arguments))
    return (block.text,) if isinstance(block, TextBlock | ResultBlock) else ()


def message_texts(messages: Iterable[Message]) -> Iterator[str]:
    """The readable texts of messages, block by block."""
    for message in messages:
        for block in message.blocks:
            yield from block_texts(block)


def event_texts(event: Event) -> Iterator[str]:
    """The texts of a recorded message; reasoning is not sent again, so it does not count."""
    if not isinstance(event, Reply):
        yield event.text
        return
    for part in event.parts:
        if isinstance(part, Speech):
            yield part.text
    for call in event.calls:
        yield from (call.arguments, *strings(call.arguments))


PATHS = ("file_path", "path", "notebook_path", "filename", "file")


@lru_cache(maxsize=4096)
def arguments(text: str) -> Mapping[str, Any]:
    """The arguments of a call as an object; empty when they are none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def arguments_of(call: ToolCall) -> Mapping[str, Any]:
    """The arguments of a call as an object; empty when they are none."""
    return arguments(call.arguments)


def paths_of(call: ToolCall) -> list[str]:
    """The files a call names in its arguments."""
    given = arguments_of(call)
    return [given[key] for key in PATHS if isinstance(given.get(key), str) and given[key]]
