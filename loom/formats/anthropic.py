"""Messages: content as blocks, each `tool_use` answered in the user message that follows.

Rules of the provider, https://docs.anthropic.com/en/api/messages: roles alternate from a user
message on; results stand first in their message; tool ids are unique and match [a-zA-Z0-9_-]+; no
text block is blank; a message does not end in thinking; signed thinking comes back unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from copy import deepcopy
from hashlib import blake2b
from typing import Any

from loom.formats.blocks import (
    EMPTY_MESSAGE,
    NO_OUTPUT,
    NO_TEXT,
    RESUMES,
    result_of,
    texts,
)
from loom.formats.errors import UnknownReply
from loom.formats.wire import Wire, compact, count, ones_own, parse_object, parts, plain
from loom.inputs import Reasoning, Reply, Speech, ToolCall
from loom.render.message import CallBlock, Message, TextBlock, ThoughtBlock

NAME = "anthropic"
ACCEPTED = "a message of role assistant whose content is text or a list of blocks"

THINKING = frozenset({"thinking", "redacted_thinking"})

# Block types that no other provider uses.
BLOCKS = THINKING | {"tool_use", "tool_result", "server_tool_use"}

_PROMPT_TOKENS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
_BAD_IN_ID = re.compile(r"[^A-Za-z0-9_-]")


def accepts(value: object) -> bool:
    """Tell whether a plain value is a reply only this format can hold."""
    if not isinstance(value, dict) or "content" not in value:
        return False
    if value.get("type") == "message" or "stop_reason" in value:
        return True
    return any(part.get("type") in BLOCKS for part in parts(value["content"]))


def decode(reply: object) -> Reply:
    """Read a message, dict or object; a bare assistant message with text will do.

    Signed and redacted thinking, and blocks of unknown types, are kept opaque. Raises UnknownReply.
    """
    value = plain(reply)
    role = value.get("role", "assistant") if isinstance(value, dict) else ""
    if role != "assistant" or not isinstance(value.get("content", 0), list | str | None):
        raise UnknownReply(reply, ACCEPTED)
    usage = value.get("usage")
    return Reply(
        parts=tuple(_parts(value["content"])),
        model=str(value.get("model") or ""),
        prompt_tokens=prompt_tokens(usage) if isinstance(usage, dict) else 0,
    )


def prompt_tokens(usage: Wire) -> int:
    """Return the size of a request in tokens: what was read anew, and what the cache served."""
    return sum(count(usage.get(key)) for key in _PROMPT_TOKENS)


def _parts(content: object) -> Iterator[Speech | Reasoning | ToolCall]:
    for block in parts(content):
        match block.get("type"):
            case "text":
                if block.get("text"):
                    yield Speech(str(block["text"]))
            case "thinking" if not block.get("signature"):
                yield Reasoning(str(block.get("thinking") or ""))
            case "tool_use":
                yield _call(block)
            case _:
                yield Reasoning(str(block.get("thinking") or ""), compact(block), NAME)


def _call(block: Wire) -> ToolCall:
    if not block.get("name") or not block.get("id"):
        raise UnknownReply(block, "tool_use blocks with an `id` and a `name`")
    given = block.get("input")
    arguments = given if isinstance(given, str) else compact({} if given is None else given)
    return ToolCall(str(block["id"]), str(block["name"]), arguments)


class Encoder:
    """Grows Messages from neutral ones, merging neighbours of one role.

    `system` holds the leading instructions. A message in `messages` never changes: one that must
    grow is replaced by a longer one, and only the last can.
    """

    def __init__(self) -> None:
        self.system: list[Wire] = []
        self.messages: list[Wire] = []
        self._ids = _Ids()

    def extend(self, messages: Iterable[Message]) -> None:
        """Append messages, as they stand in the window after those given before."""
        for message in messages:
            if message.role == "system" and not self.messages:
                self.system.extend(_text(text) for text in texts(message))
            elif message.role == "assistant":
                self._append("assistant", self._assistant(message))
            elif message.role == "tool":
                self._append("user", [self._result(message)])
            else:
                said = texts(message) or [EMPTY_MESSAGE]
                self._append("user", [_text(text) for text in said])

    def request(self) -> dict[str, Any]:
        """Return the part of a request that carries the messages so far."""
        request: dict[str, Any] = {"messages": ones_own(self.messages)}
        if self.system:
            request["system"] = deepcopy(self.system)
        return request

    def _append(self, role: str, blocks: list[Wire]) -> None:
        if not self.messages and role == "assistant":
            self.messages.append({"role": "user", "content": [_text(RESUMES)]})
        if self.messages and self.messages[-1]["role"] == role:
            blocks = _results_first(self.messages[-1]["content"], blocks)
            self.messages[-1] = {"role": role, "content": blocks}
        else:
            self.messages.append({"role": role, "content": blocks})

    def _assistant(self, message: Message) -> list[Wire]:
        blocks: list[Wire] = []
        for block in message.blocks:
            if isinstance(block, CallBlock):
                blocks.append(_tool_use(block, self._ids.call(block.id)))
            elif isinstance(block, TextBlock) and block.text.strip():
                blocks.append(_text(block.text))
            elif isinstance(block, ThoughtBlock) and block.format == NAME:
                thought = parse_object(block.opaque)
                blocks.extend([thought] if thought else [])
        plainly = any(block["type"] in {"text", "tool_use"} for block in blocks)
        if not plainly or blocks[-1]["type"] in THINKING:
            blocks.append(_text(NO_TEXT))
        return blocks

    def _result(self, message: Message) -> Wire:
        block = result_of(message)
        wire: Wire = {
            "type": "tool_result",
            "tool_use_id": self._ids.result(block.call_id),
            "content": block.text if block.text.strip() else NO_OUTPUT,
        }
        if block.error:
            wire["is_error"] = True
        return wire


def _text(text: str) -> Wire:
    return {"type": "text", "text": text}


def _tool_use(block: CallBlock, wire_id: str) -> Wire:
    arguments = parse_object(block.arguments) if block.arguments.strip() else {}
    if arguments is None:
        arguments = {"_raw": block.arguments}
    return {"type": "tool_use", "id": wire_id, "name": block.name, "input": arguments}


def _results_first(old: list[Wire], new: list[Wire]) -> list[Wire]:
    """Join the blocks of one message, results before the rest, each kind in its order."""
    blocks = old + new
    results = [block for block in blocks if block["type"] == "tool_result"]
    return results + [block for block in blocks if block["type"] != "tool_result"]


class _Ids:
    """The ids calls have on the wire: lawful, and unique even where a provider repeats its own."""

    def __init__(self) -> None:
        self._used: set[str] = set()
        self._repeats: dict[str, int] = {}
        self._current: dict[str, str] = {}

    def call(self, call_id: str) -> str:
        """Return the wire id of a new call."""
        lawful = lawful_id(call_id)
        wire_id = lawful
        while wire_id in self._used:
            self._repeats[lawful] = self._repeats.get(lawful, 1) + 1
            wire_id = f"{lawful}_{self._repeats[lawful]}"
        self._used.add(wire_id)
        self._current[call_id] = wire_id
        return wire_id

    def result(self, call_id: str) -> str:
        """Return the wire id of the last call made under an id."""
        return self._current.get(call_id) or lawful_id(call_id)


def lawful_id(call_id: str) -> str:
    """Return an id the provider accepts: itself, or its letters and a short hash of it."""
    if call_id and not _BAD_IN_ID.search(call_id):
        return call_id
    digest = blake2b(call_id.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    return f"{_BAD_IN_ID.sub('_', call_id)}_{digest}"
