"""Chat Completions: assistant messages with `tool_calls`, results as messages of role `tool`.

Shapes: https://platform.openai.com/docs/api-reference/chat. Servers that speak this dialect add
fields of their own: `reasoning_content` and `reasoning` are text, `reasoning_details` (OpenRouter)
must be sent back as it came.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from typing import Any

from loom.formats.blocks import (
    EMPTY_MESSAGE,
    NO_OUTPUT,
    NO_TEXT,
    result_of,
    says_error,
    texts,
)
from loom.formats.errors import UnknownReply
from loom.formats.wire import (
    Wire,
    compact,
    count,
    ones_own,
    parse_object,
    part_text,
    parts,
    plain,
)
from loom.inputs import Reasoning, Reply, Speech, ToolCall
from loom.render.message import CallBlock, Message, ThoughtBlock

NAME = "openai"
ACCEPTED = "a Chat Completion with at least one choice, or an assistant message"


def accepts(value: object) -> bool:
    """Tell whether a plain value is a Chat Completion or an assistant message of one."""
    if not isinstance(value, dict):
        return False
    return "choices" in value or value.get("role") == "assistant" or "tool_calls" in value


def decode(reply: object) -> Reply:
    """Read a Chat Completion (its first choice) or a bare assistant message, dict or object.

    Texts and arguments are kept verbatim. A call without an id gets one derived from its content.
    Raises UnknownReply.
    """
    value = plain(reply)
    if not accepts(value):
        raise UnknownReply(reply, ACCEPTED)
    message = _message(value, reply)
    usage = value.get("usage")
    return Reply(
        parts=(*_reasoning(message), *_speech(message), *_calls(message, value)),
        model=str(value.get("model") or ""),
        prompt_tokens=count(usage.get("prompt_tokens")) if isinstance(usage, dict) else 0,
    )


def _message(value: Wire, reply: object) -> Wire:
    if "choices" not in value:
        return value
    choices = value["choices"]
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    if not isinstance(message, dict):
        raise UnknownReply(reply, ACCEPTED)
    return message


def _reasoning(message: Wire) -> Iterator[Reasoning]:
    text = str(message.get("reasoning_content") or message.get("reasoning") or "")
    details = message.get("reasoning_details")
    if details:
        yield Reasoning(text, compact({"reasoning_details": details}), NAME)
    elif text:
        yield Reasoning(text)


def _speech(message: Wire) -> Iterator[Speech]:
    said = [part_text(part) for part in parts(message.get("content"))]
    said.append(str(message.get("refusal") or ""))
    return (Speech(text) for text in said if text)


def _calls(message: Wire, reply: Wire) -> Iterator[ToolCall]:
    """Yield the calls of a message, the one of the old `function_call` field last."""
    calls = message.get("tool_calls") or []
    if not isinstance(calls, list) or not all(isinstance(call, dict) for call in calls):
        raise UnknownReply(message, "`tool_calls` as a list of calls")
    old = message.get("function_call")
    if old:
        calls = [*calls, {"function": old}]
    for number, call in enumerate(calls):
        body = call.get("function") or call.get("custom")
        if not isinstance(body, dict) or not body.get("name"):
            raise UnknownReply(call, "calls with a `function` that has a `name`")
        arguments = body.get("arguments", body.get("input"))
        if arguments is None:
            arguments = {}
        text = arguments if isinstance(arguments, str) else compact(arguments)
        seed = f"{reply.get('id') or ''}\n{number}\n{body['name']}\n{text}"
        yield ToolCall(str(call.get("id") or _derived(seed)), str(body["name"]), text)


def _derived(seed: str) -> str:
    return "call_" + blake2b(seed.encode("utf-8", "replace"), digest_size=8).hexdigest()


class Encoder:
    """Grows Chat Completions messages from neutral ones, one for each.

    `messages` only ever grows; a message in it never changes.
    """

    def __init__(self) -> None:
        self.messages: list[Wire] = []

    def extend(self, messages: Iterable[Message]) -> None:
        """Append messages, as they stand in the window after those given before."""
        self.messages.extend([_WIRE[message.role](message) for message in messages])

    def request(self) -> dict[str, Any]:
        """Return the part of a request that carries the messages so far."""
        return {"messages": ones_own(self.messages)}


def _said(message: Message) -> Wire:
    return {"role": message.role, "content": "\n\n".join(texts(message)) or EMPTY_MESSAGE}


def _assistant(message: Message) -> Wire:
    calls = [_call(block) for block in message.blocks if isinstance(block, CallBlock)]
    wire: Wire = {"role": "assistant", "content": "\n\n".join(texts(message)) or None}
    if wire["content"] is None and not calls:
        wire["content"] = NO_TEXT
    for block in message.blocks:
        if isinstance(block, ThoughtBlock) and block.format == NAME:
            thought = parse_object(block.opaque) or {}
            wire.update({key: value for key, value in thought.items() if key not in _OWN})
    if calls:
        wire["tool_calls"] = calls
    return wire


def _call(block: CallBlock) -> Wire:
    function = {"name": block.name, "arguments": block.arguments}
    return {"id": block.id, "type": "function", "function": function}


def _result(message: Message) -> Wire:
    block = result_of(message)
    text = block.text if block.text.strip() else NO_OUTPUT
    if block.error and not says_error(text):
        text = f"[error] {text}"
    return {"role": "tool", "tool_call_id": block.call_id, "content": text}


# What a reasoning block may never overwrite.
_OWN = frozenset({"role", "content", "tool_calls"})

_WIRE: dict[str, Callable[[Message], Wire]] = {
    "system": _said,
    "user": _said,
    "assistant": _assistant,
    "tool": _result,
}
