"""Converts messages of inspect to Chat Completions messages and back.

Some providers want reasoning and its signature back. Both are put under `reasoning_details`, which
Loom keeps unchanged while the messages before it stay in the window. If a message of a request is
equal to one that the host listed, the model gets the host's own object."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    Content,
    ContentImage,
    ContentReasoning,
    ContentText,
    ModelOutput,
)
from inspect_ai.tool import ToolCall, ToolDef, ToolInfo, ToolParams
from pydantic import TypeAdapter

from loom.providers.formats.wire import Wire, parse_json_object

FORMAT = "openai"
MINE = "inspect"  # the type of a detail that is written here
ENDS = {"max_tokens": "length", "unknown": None}  # why a reply ended, where the names differ
REASONING = TypeAdapter(list[ContentReasoning])


def messages_to_wire(messages: Iterable[ChatMessage]) -> list[Wire]:
    """Return inspect's messages as a list for `Context.sync`."""
    return [_message_to_wire(message) for message in messages]


def _message_to_wire(message: ChatMessage) -> Wire:
    if isinstance(message, ChatMessageAssistant):
        return assistant_to_wire(message)
    if isinstance(message, ChatMessageTool):
        error = message.error and f"Error: {message.error.message}"
        content = error or _content_to_wire(message.content)
        told = {"status": "error"} if error else {}
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": content, **told}
    return {"role": message.role, "content": _content_to_wire(message.content)}


def assistant_to_wire(message: ChatMessageAssistant) -> Wire:
    """Return a reply as an assistant message with its text, calls and reasoning."""
    wire: Wire = {"role": "assistant", "content": message.text}
    content = [] if isinstance(message.content, str) else message.content
    if thoughts := [one for one in content if isinstance(one, ContentReasoning)]:
        wire["reasoning"] = "\n".join(one.reasoning for one in thoughts if not one.redacted)
        blocks = REASONING.dump_python(thoughts, mode="json", exclude_none=True)
        wire["reasoning_details"] = [{"type": MINE, "content": blocks}]
    if message.tool_calls:
        wire["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.function, "arguments": _arguments_json(call.arguments)},
            }
            for call in message.tool_calls
        ]
    return wire


def output_to_wire(output: ModelOutput) -> Wire:
    """Return a reply as a dict for `Context.reply`, with its model, finish reason and usage."""
    usage, stopped = output.usage, output.stop_reason
    cached = usage and (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)
    return {
        "choices": [
            {
                "message": assistant_to_wire(output.message),
                "finish_reason": ENDS.get(stopped, stopped),
            },
        ],
        "model": output.model,
        "usage": usage and {"prompt_tokens": usage.input_tokens + (cached or 0)},
    }


def output_without_calls(output: ModelOutput, names: Collection[str]) -> ModelOutput:
    """Return a copy of a reply without the calls of the tools in `names`."""
    message = output.message
    calls = [one for one in message.tool_calls or () if one.function not in names]
    choice = output.choices[0].model_copy(
        update={"message": message.model_copy(update={"tool_calls": calls or None})}
    )
    return output.model_copy(update={"choices": [choice]})


def wire_to_messages(wires: Sequence[Wire], hosts: Iterable[ChatMessage] = ()) -> list[ChatMessage]:
    """Return a request's messages in inspect's types. For a message equal to one of `hosts`, the
    messages that the host listed, the host's own object is returned."""
    known: dict[str, list[ChatMessage]] = {}
    for message in hosts:
        known.setdefault(_content_key(_message_to_wire(message)), []).append(message)
    names: dict[str, str] = {}  # of tools, by the ids of calls: a result tells it
    made: list[ChatMessage] = []
    for wire in wires:
        for call in wire.get("tool_calls") or ():
            names[call["id"]] = call["function"]["name"]
        own = known.get(_content_key(wire))
        made.append(own.pop(0) if own else _wire_to_message(wire, names))
    return made


def _content_key(wire: Wire) -> str:
    """Return a text that is equal for messages with equal content."""
    left = {**wire, "content": wire.get("content") or ""}
    for name in ("status", "reasoning"):
        left.pop(name, None)
    return json.dumps(left, sort_keys=True)


def _wire_to_message(wire: Wire, names: dict[str, str]) -> ChatMessage:
    content: Any = wire.get("content") or ""
    if isinstance(content, list):
        content = [*map(_part_to_content, content)]
    match wire["role"]:
        case "assistant":
            return _wire_to_assistant(wire, content)
        case "tool":
            id = wire["tool_call_id"]
            return ChatMessageTool(content=content, tool_call_id=id, function=names.get(id))
        case "user":
            return ChatMessageUser(content=content)
        case _:
            return ChatMessageSystem(content=content)


def _wire_to_assistant(wire: Wire, content: str) -> ChatMessageAssistant:
    details = [one for one in wire.get("reasoning_details") or () if one.get("type") == MINE]
    thoughts = REASONING.validate_python([one for detail in details for one in detail["content"]])
    calls = [
        ToolCall(
            id=one["id"],
            function=one["function"]["name"],
            arguments=parse_json_object(one["function"]["arguments"] or "{}") or {},
        )
        for one in wire.get("tool_calls") or ()
    ]
    whole: str | list[Content] = content
    if thoughts:
        whole = [*thoughts, *([ContentText(text=content)] if content else [])]
    return ChatMessageAssistant(content=whole, tool_calls=calls or None)


def _content_to_wire(content: str | list[Content]) -> str | list[Wire]:
    return content if isinstance(content, str) else [*map(_part_to_wire, content)]


def _part_to_wire(content: Content) -> Wire:
    if isinstance(content, ContentImage):
        return {"type": "image_url", "image_url": {"url": content.image, "detail": content.detail}}
    text = content.text if isinstance(content, ContentText) else f"[{content.type}]"
    return {"type": "text", "text": text}


def _part_to_content(part: Wire) -> Content:
    if part["type"] == "image_url":
        url = part["image_url"]
        return ContentImage(image=url["url"], detail=url.get("detail") or "auto")
    return ContentText(text=str(part.get("text", "")))


def tool_declaration(tool: ToolInfo | ToolDef) -> Wire:
    """Return a tool as a dict for `ctx.tools.declare`."""
    schema = tool.parameters.model_dump(exclude_none=True)
    return {"name": tool.name, "description": tool.description, "parameters": schema}


def tool_from_schema(schema: Wire, run: Callable[..., Any]) -> ToolDef:
    """Return an inspect tool with a Chat Completions declaration that calls `run(**arguments)`."""
    function = schema["function"]
    given = ToolParams.model_validate(function.get("parameters") or {})
    about = function.get("description") or function["name"]
    return ToolDef(run, name=function["name"], description=about, parameters=given)


def _arguments_json(arguments: object) -> str:
    return json.dumps(arguments, ensure_ascii=False)
