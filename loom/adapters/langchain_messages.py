"""Converts messages of LangChain to Chat Completions messages and back.

That format has no place for a provider's own blocks, such as signed thinking or encrypted
reasoning. They are put under `reasoning_details`. Loom stores this field unchanged and sends it
back while the messages before it stay in the window."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    convert_to_openai_messages,
)

from loom.providers.formats.stream.chunks import ended_early_error
from loom.providers.formats.wire import Wire, parse_json_object

MINE = "langchain"  # the type of a detail that is written here
TEXT = "text"
CALLS = frozenset({"tool_use", "function_call", "tool_call", "invalid_tool_call"})
# Where integrations say why a reply ended, and the providers that always do.
ENDS = ("finish_reason", "stop_reason", "status")
ENDING = frozenset({"openai", "anthropic"})
# What integrations keep of a reply that its provider wants back.
KEPT = ("reasoning_content", "__gemini_function_call_thought_signatures__")


def messages_to_wire(messages: Iterable[BaseMessage]) -> list[Wire]:
    """Return LangChain's messages as a list for `Context.sync`, with their ids."""
    return [_message_to_wire(message) for message in messages]


def _message_to_wire(message: BaseMessage) -> Wire:
    if isinstance(message, AIMessage):
        return {**assistant_to_wire(message), "id": message.id or ""}
    wire: Wire = convert_to_openai_messages(message, include_id=True)
    if isinstance(message, ToolMessage) and message.status == "error":
        wire["status"] = "error"
    return wire


def assistant_to_wire(message: AIMessage) -> Wire:
    """Return a reply as an assistant message with its text, calls, and provider's own blocks."""
    own = {key: held for key in KEPT if (held := message.additional_kwargs.get(key))}
    content = [] if isinstance(message.content, str) else message.content
    blocks = [one for one in content if isinstance(one, dict)]
    blocks = [block for block in blocks if block.get("type") not in (TEXT, *CALLS)]
    wire: Wire = {"role": "assistant", "content": str(message.text)}
    if own or blocks:
        wire["reasoning"] = "\n".join(str(b.get("thinking") or b.get(TEXT) or "") for b in blocks)
        wire["reasoning_details"] = [{"type": MINE, "content": blocks, "kwargs": own}]
    # Of a torn call the arguments are a text.
    if calls := [*message.tool_calls, *message.invalid_tool_calls]:
        wire["tool_calls"] = [
            {
                "id": call["id"],
                "type": "function",
                "function": {"name": call["name"], "arguments": _arguments_text(call["args"])},
            }
            for call in calls
        ]
    return wire


def reply_to_wire(message: AIMessage) -> Wire:
    """Return a reply as a dict for `Context.reply`, with its model, finish reason and usage. Raises
    BrokenStream if the provider always gives a finish reason and the reply has none."""
    told, usage = message.response_metadata, message.usage_metadata
    ended = next((told[name] for name in ENDS if told.get(name)), None)
    if ended is None and told.get("model_provider") in ENDING:
        raise ended_early_error(0)
    return {
        "choices": [{"message": assistant_to_wire(message), "finish_reason": ended}],
        "model": told.get("model_name") or told.get("model") or "",
        "usage": {"prompt_tokens": usage["input_tokens"]} if usage else None,
    }


def message_without_calls(message: AIMessage, names: Collection[str]) -> AIMessage:
    """Return the reply without calls of the tools in `names`."""
    calls = [*message.tool_calls, *message.invalid_tool_calls]
    gone = {call["id"] for call in calls if call["name"] in names}
    if not gone:
        return message
    content: Any = message.content
    if not isinstance(content, str):
        content = [
            block
            for block in content
            if isinstance(block, str)
            or block.get("type") not in CALLS
            or block.get("call_id", block.get("id")) not in gone
        ]
    extra = {key: one for key, one in message.additional_kwargs.items() if key != "tool_calls"}
    left = {
        name: [one for one in getattr(message, name) if one["id"] not in gone]
        for name in ("tool_calls", "invalid_tool_calls")
    }
    return message.model_copy(update={"content": content, "additional_kwargs": extra, **left})


def wire_to_messages(messages: Sequence[Wire]) -> list[BaseMessage]:
    """Return the Chat Completions messages of a request as LangChain messages."""
    # Of tools, by the ids of calls: some providers want it with a result.
    names: dict[str, str] = {}
    return [_wire_to_message(wire, names) for wire in messages]


def _wire_to_message(wire: Wire, names: dict[str, str]) -> BaseMessage:
    content: Any = wire.get("content") or ""
    match wire["role"]:
        case "assistant":
            return _wire_to_assistant(wire, content, names)
        case "tool":
            id = wire["tool_call_id"]
            return ToolMessage(content, tool_call_id=id, name=names.get(id))
        case "user":
            return HumanMessage(content)
        case _:
            return SystemMessage(content)


def _wire_to_assistant(wire: Wire, content: Any, names: dict[str, str]) -> AIMessage:
    details = [one for one in wire.get("reasoning_details") or () if one.get("type") == MINE]
    blocks = [block for one in details for block in one["content"]]
    if blocks:
        content = [*blocks, {"type": TEXT, TEXT: content}] if content else blocks
    valid: list[Any] = []
    torn: list[Any] = []
    for call in wire.get("tool_calls") or ():
        name, arguments = call["function"]["name"], call["function"]["arguments"]
        names[call["id"]] = name
        args = parse_json_object(arguments or "{}")
        one = {"id": call["id"], "name": name, "args": arguments if args is None else args}
        (torn if args is None else valid).append(one)
    kwargs = {key: value for one in details for key, value in one["kwargs"].items()}
    torn = [{**one, "error": None} for one in torn]
    return AIMessage(content, additional_kwargs=kwargs, tool_calls=valid, invalid_tool_calls=torn)


def _arguments_text(args: object) -> str:
    if args is None or isinstance(args, str):
        return args or ""
    return json.dumps(args, ensure_ascii=False)
