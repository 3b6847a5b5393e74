"""Loom in Strands Agents (strands-agents 1.62): a middleware around the call of the model.

    agent = Agent(model, tools=[…], conversation_manager=NullConversationManager())
    agent.add_middleware(InvokeModelStage, through(loom.open("runs/alice", window=64_000)))

`agent.messages` stays whole: without NullConversationManager Strands cuts it to 40 messages itself.
One context is one conversation. Loom's own calls are answered within; what is streamed beside them
is seen as it comes. Texts, images, tools and thinking go through; other blocks are refused. Where
the prompt is cached is the model's to say (`CacheConfig`), and how long a reply may be: no longer
than `loom.open(reply=…)`.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import AsyncIterator, Callable
from typing import Any

from strands.middleware import InvokeModelContext, ModelStopReason

import loom

FORMAT = "anthropic"  # the shapes nearest to those of Strands, whichever model is asked
Wire = dict[str, Any]


def through(ctx: loom.Context) -> Callable[..., AsyncIterator[Any]]:
    """A middleware for InvokeModelStage that sends the requests of a context."""

    async def middleware(
        asked: InvokeModelContext, invoke: Callable[[InvokeModelContext], AsyncIterator[Any]]
    ) -> AsyncIterator[Any]:
        ctx.tools.declare(*map(_declared, asked.tool_specs))
        turn = ctx.sync(list(map(_listed, asked.messages)), FORMAT, system=_system(asked))
        spent: Counter[str] = Counter()
        while True:
            try:
                async for event in invoke(_request(ctx, turn, asked)):
                    if isinstance(event, ModelStopReason):
                        stop, message, usage, metrics = event["stop"]
                    else:
                        yield event
            except Exception as error:
                ctx.overflowed(error)  # raises any other error again
                turn = ctx.turn()
                continue
            spent.update(usage)
            kept = message
            if stop != "cancelled":  # else only a part of a reply
                kept = _taken(ctx, message, usage)
            if stop == "cancelled" or ctx.calls or ctx.done:
                yield ModelStopReason(stop, kept, {**usage, **spent}, metrics)
                return
            turn = ctx.turn()

    return middleware


def _request(ctx: loom.Context, turn: loom.Turn, asked: InvokeModelContext) -> InvokeModelContext:
    request = turn.request(FORMAT)
    messages = [{**m, "content": [*map(_block, m["content"])]} for m in request["messages"]]
    own = [
        {
            "name": tool["name"],
            "description": tool["description"],
            "inputSchema": {"json": tool["input_schema"]},
        }
        for tool in ctx.tools.schemas(FORMAT)
    ]
    system = [*map(_block, request["system"])]
    return asked.replace(
        messages=messages, system_prompt=system, tool_specs=[*asked.tool_specs, *own]
    )


def _taken(ctx: loom.Context, message: Wire, usage: Wire) -> Wire:
    """Give the context a reply; what is returned is the message less the calls Loom answered."""
    size = usage["totalTokens"] - usage["outputTokens"]  # cached ones included, whoever counted
    reply = {"type": "message", **_listed(message), "usage": {"input_tokens": size}}
    ctx.reply(reply)
    left = [block.get("id") for block in ctx.tools.without_own(reply)["content"]]
    blocks = message["content"]
    kept = [b for b in blocks if "toolUse" not in b or b["toolUse"]["toolUseId"] in left]
    return {**message, "content": kept}


def _system(asked: InvokeModelContext) -> str | None:
    given = asked.system_prompt
    if given is None or isinstance(given, str):
        return given
    return "\n\n".join(block["text"] for block in given if "text" in block)


def _declared(tool: Wire) -> Wire:
    return {**tool, "inputSchema": tool["inputSchema"]["json"]}


def _listed(message: Wire) -> Wire:
    """A message as a list for `Context.sync` has it, under its id in Strands."""
    content = [_wire(block) for block in message["content"] if "cachePoint" not in block]
    return {"id": message.get("tracking_id", ""), "role": message["role"], "content": content}


def _wire(block: Wire) -> Wire:
    match block:
        case {"text": text}:
            return {"type": "text", "text": text}
        case {"json": value}:
            return {"type": "text", "text": json.dumps(value)}
        case {"toolUse": {"toolUseId": id, "name": name, "input": given}}:
            return {"type": "tool_use", "id": id, "name": name, "input": given}
        case {"toolResult": {"toolUseId": id, "content": content, "status": status}}:
            told = {"content": [*map(_wire, content)], "is_error": status == "error"}
            return {"type": "tool_result", "tool_use_id": id, **told}
        case {"reasoningContent": {"reasoningText": {"text": text, **signed}}}:
            return {"type": "thinking", "thinking": text, **signed}
        case {"reasoningContent": {"redactedContent": data}}:
            return {"type": "redacted_thinking", "data": b64encode(data).decode()}
        case {"image": {"format": kind, "source": {"bytes": data}}}:
            source = {"media_type": f"image/{kind}", "data": b64encode(data).decode()}
            return {"type": "image", "source": {"type": "base64", **source}}
    raise loom.BadInput(f"a block of {', '.join(block)}: give its text, or an image")


def _block(wire: Wire) -> Wire:
    """What `_wire` was given."""
    match wire:
        case {"type": "tool_use"}:
            named = {"toolUseId": wire["id"], "name": wire["name"], "input": wire["input"]}
            return {"toolUse": named}
        case {"type": "tool_result", "content": told}:
            blocks = [{"text": told}] if isinstance(told, str) else [*map(_block, told)]
            status = "error" if wire.get("is_error") else "success"
            id = wire["tool_use_id"]
            return {"toolResult": {"toolUseId": id, "content": blocks, "status": status}}
        case {"type": "thinking", "thinking": text, "signature": signature}:
            return {"reasoningContent": {"reasoningText": {"text": text, "signature": signature}}}
        case {"type": "redacted_thinking", "data": data}:
            return {"reasoningContent": {"redactedContent": b64decode(data)}}
        case {"type": "image", "source": {"media_type": kind, "data": data}}:
            image = {"format": kind.removeprefix("image/"), "source": {"bytes": b64decode(data)}}
            return {"image": image}
    return {"text": wire["text"]}
