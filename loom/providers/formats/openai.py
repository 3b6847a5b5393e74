"""Chat Completions: assistant messages with `tool_calls`, results as messages of role `tool`.

Shapes: https://platform.openai.com/docs/api-reference/chat. Servers that speak this dialect add
fields of their own: `reasoning_content` and `reasoning` are text; `reasoning_details` (OpenRouter)
and a call's further fields, as `extra_content` (Google), must be sent back as they came.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from loom.inputs import Reasoning, Reply, Speech, ToolCall
from loom.providers.formats.blocks import (
    EMPTY_MESSAGE,
    NO_TEXT,
    media,
    result_of,
    result_text,
    texts,
)
from loom.providers.formats.envelope import beside, envelope, merged, opened
from loom.providers.formats.errors import UnknownReply
from loom.providers.formats.ids import derived_id, lawful_id
from loom.providers.formats.wire import Wire, compact, count, ones_own, part_text, parts, plain
from loom.providers.render.message import CallBlock, Message

NAME = "openai"
ACCEPTED = "a Chat Completion with at least one choice, or an assistant message"
REFUSAL = "refusal"


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


def _speech(message: Wire) -> Iterator[Reasoning | Speech]:
    for part in parts(message.get("content")):
        text = part_text(part)
        if text.strip() and part.get("type") == REFUSAL:
            yield from envelope({"type": REFUSAL}, NAME)
        if text:
            yield Speech(text)
    refusal = message.get(REFUSAL)
    if isinstance(refusal, str) and refusal.strip():
        yield from envelope({"type": REFUSAL}, NAME)
        yield Speech(refusal)


def _calls(message: Wire, reply: Wire) -> Iterator[Reasoning | ToolCall]:
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
        yield from envelope(_further(call, body), NAME)
        yield ToolCall(str(call.get("id") or derived_id(seed)), str(body["name"]), text)


def _further(call: Wire, body: Wire) -> Wire:
    """Return the fields servers add to a call, and to its function."""
    fields, function = beside(call, _OF_CALL), beside(body, _OF_FUNCTION)
    return {**fields, "function": function} if function else fields


class Encoder:
    """Grows Chat Completions messages from neutral ones, one for each.

    `messages` only ever grows; a message in it never changes. `spans[i]` is how many there were
    when the neutral message i had been added.
    """

    def __init__(self) -> None:
        self.messages: list[Wire] = []
        self.spans: list[int] = []

    def extend(self, messages: Iterable[Message]) -> None:
        """Append messages, as they stand in the window after those given before."""
        self.messages.extend([_WIRE[message.role](message) for message in messages])
        self.spans.extend(range(len(self.spans) + 1, len(self.messages) + 1))

    def request(self, editable: Collection[int] = ()) -> dict[str, Any]:
        """Return the part of a request that carries the messages so far.

        The last messages, and those with the numbers `editable`, may be edited.
        """
        return {"messages": ones_own(self.messages, editable)}


def _said(message: Message) -> Wire:
    said = "\n\n".join(texts(message)) or EMPTY_MESSAGE
    shown = media(message)
    return {
        "role": message.role,
        "content": [{"type": "text", "text": said}, *shown] if shown else said,
    }


def _assistant(message: Message) -> Wire:
    said: list[str] = []
    refused: list[str] = []
    calls: list[Wire] = []
    further: Wire = {}
    for block, fields, _ in opened(message, NAME):
        if block is None:
            further.update(beside(fields, _OWN))
        elif isinstance(block, CallBlock):
            calls.append(_call(block, fields))
        else:
            (refused if fields.get("type") == REFUSAL else said).append(block.text)
    wire: Wire = {"role": "assistant", "content": "\n\n".join(said) or None, **further}
    if refused:
        wire[REFUSAL] = "\n\n".join(refused)
    elif not said and not calls:
        wire["content"] = NO_TEXT
    if calls:
        wire["tool_calls"] = calls
    return wire


def _call(block: CallBlock, fields: Wire) -> Wire:
    function: Wire = {"name": block.name, "arguments": block.arguments}
    more = fields.get("function")
    if isinstance(more, dict):
        function = merged(function, more)
    call: Wire = {"id": _sent_id(block.id), "type": "function", "function": function}
    return merged(call, fields)


def _sent_id(call_id: str) -> str:
    """Return an id as it came, unless it is longer than OpenAI takes."""
    return call_id if len(call_id) <= ID_CHARS else lawful_id(call_id, ID_CHARS)


def _result(message: Message) -> Wire:
    block = result_of(message)
    return {"role": "tool", "tool_call_id": _sent_id(block.call_id), "content": result_text(block)}


ID_CHARS = 40  # "string too long. Expected a string with maximum length 40"

# What a reasoning block may never overwrite.
_OWN = frozenset({"role", "name", "content", REFUSAL, "tool_calls", "function_call"})

# What Loom holds of a call, and what client libraries add to it that no request may have.
_OF_CALL = frozenset({"id", "type", "function", "custom", "index"})
_OF_FUNCTION = frozenset({"name", "arguments", "input", "parsed_arguments"})

_WIRE: dict[str, Callable[[Message], Wire]] = {
    "system": _said,
    "user": _said,
    "assistant": _assistant,
    "tool": _result,
}
