"""Loom in Microsoft Agent Framework (agent-framework-core 1.23): a middleware of its chat client.

    Agent(client, "You read.", tools=[…], middleware=[LoomChat(loom.open("runs/alice"))])

The session's messages stay whole. One context is one conversation; a list that the service keeps
(`conversation_id`) is refused: give the Responses client `default_options={"store": False}`. Loom's
own calls are answered within; in a stream the words beside such a call are seen as they come, and
are a message of their own. Texts, images, tools and reasoning go through; other contents do not.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from copy import copy
from typing import Any

from agent_framework import (
    ChatContext,
    ChatMiddleware,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionTool,
    Message,
    ResponseStream,
)

import loom
from loom.adapters.asking import ask_for_host_reply_async

FORMAT = "openai"
MINE = "agent_framework"  # the type of a detail that is written here
UNSEEN = frozenset({"usage", "function_approval_request", "function_approval_response"})
Wire = dict[str, Any]
CallNext = Callable[[], Awaitable[None]]


class LoomChat(ChatMiddleware):
    """Sends the requests of a context in the place of the list of messages.

    `apart` has the words and the calls of a reply sent as two messages, for the Responses client:
    it puts the words of one between its calls and their results.
    """

    def __init__(self, context: loom.Context, *, apart: bool = False) -> None:
        self.context, self.apart = context, apart

    async def process(self, context: ChatContext, call_next: CallNext) -> None:
        """Ask for one reply of the conversation."""
        ctx, options = self.context, dict(context.options or {})
        if options.get("conversation_id"):
            raise loom.BadInput("a conversation the service keeps: set `store` to False")
        tools = [tool for tool in options.get("tools") or () if isinstance(tool, FunctionTool)]
        ctx.tools.declare(*map(_declared, tools))
        listed = [wire for message in context.messages for wire in _listed(message)]
        turn = ctx.sync(listed, FORMAT, system=options.get("instructions"))

        async def ask(turn: loom.Turn) -> Any:
            _replace(context, ctx, turn, options, self.apart)
            await call_next()
            return context.result

        if context.stream:
            updates = self._streamed(turn, ask)
            context.result = ResponseStream(updates, finalizer=ChatResponse.from_updates)
            return
        response = await ask_for_host_reply_async(ctx, turn, ask, _reply)
        calls = self._host_calls(response)
        for message in response.messages:
            shown = (one for one in message.contents if one.type != "function_call" or one in calls)
            message.contents = [*shown]

    async def _streamed(
        self, turn: loom.Turn, ask: Callable[[loom.Turn], Awaitable[Any]]
    ) -> AsyncIterator[ChatResponseUpdate]:
        """What is said as it comes; the calls at last, when the context has the reply."""
        ctx, asked = self.context, 0
        while True:
            asked += 1
            name = f"{turn.sha256[:16]}-{asked}"  # of the message, where the client gives none
            try:
                stream = await ask(turn)
                async for update in stream:
                    shown = copy(update)  # the stream keeps its own
                    shown.contents = [one for one in update.contents if one.type != "function_call"]
                    name = shown.message_id = update.message_id or name
                    if shown.contents:
                        yield shown
                response = await stream.get_final_response()
            except Exception as error:
                ctx.overflowed(error)  # raises any other error again
                turn = ctx.turn()
                continue
            ctx.reply(_reply(response))
            if ctx.calls or ctx.done:
                break
            turn = ctx.turn()
        yield ChatResponseUpdate(
            contents=self._host_calls(response),
            role="assistant",
            message_id=name,
            finish_reason=response.finish_reason,
        )

    def _host_calls(self, response: ChatResponse) -> list[Content]:
        """The calls of a reply that was taken, less those Loom answered."""
        left = self.context.tools.without_own(_reply(response))["choices"][0]["message"]
        ids = [call["id"] for call in left.get("tool_calls") or ()]
        contents = (one for message in response.messages for one in message.contents)
        return [one for one in contents if one.type == "function_call" and one.call_id in ids]


def _declared(tool: FunctionTool) -> Wire:
    """A tool as it is told to Loom: without what the Responses client adds when it first sends it,
    which would make it another tool."""
    given = tool.parameters()
    parameters = {key: one for key, one in given.items() if key != "additionalProperties"}
    return {"name": tool.name, "description": tool.description, "parameters": parameters}


def _replace(
    context: ChatContext, ctx: loom.Context, turn: loom.Turn, options: Wire, apart: bool
) -> None:
    wires: list[Wire] = turn.request(FORMAT)["messages"]
    own = [
        FunctionTool(
            name=tool["function"]["name"],
            description=tool["function"]["description"],
            input_model=tool["function"]["parameters"],
        )
        for tool in ctx.tools.schemas(FORMAT)
    ]
    head, rest = wires[0], wires[1:]
    context.messages = []
    for wire in rest:
        contents = [*_contents(wire)]
        calls = [one for one in contents if one.type == "function_call"] if apart else []
        words = [one for one in contents if one not in calls]
        context.messages += [Message(wire["role"], held) for held in (words, calls) if held]
    tools = [*(options.get("tools") or ()), *own]
    context.options = {**options, "instructions": head["content"], "tools": tools}


def _reply(response: ChatResponse) -> Wire:
    """A reply as `Context.reply` takes one."""
    usage = response.usage_details or {}
    said = _said(one for message in response.messages for one in message.contents)
    return {
        "choices": [{"message": said, "finish_reason": response.finish_reason}],
        "model": response.model or "",
        "usage": {"prompt_tokens": usage.get("input_token_count") or 0},
    }


def _listed(message: Message) -> Iterator[Wire]:
    """Yield a message as a list for `Context.sync` has it: its results are one each."""
    named = {"id": message.message_id or ""}
    results = [one for one in message.contents if one.type == "function_result"]
    for one in results:
        text, failed = str(one.result or one.exception or ""), bool(one.exception)
        told = {"tool_call_id": one.call_id, "content": text}
        yield {"role": "tool", **told, **({"status": "error"} if failed else {})}
    if message.role == "assistant":
        yield {**named, **_said(message.contents)}
    elif not results:
        content = [_part(one) for one in message.contents if one.type not in UNSEEN]
        yield {**named, "role": message.role, "content": content}


def _said(contents: Iterable[Content]) -> Wire:
    """What the model said as an assistant message; its reasoning travels as it came, and what a
    provider made of it as `signature`: behind a cut it is no longer sent."""
    wire: Wire = {"role": "assistant", "content": "", "tool_calls": [], "reasoning_details": []}
    for one in contents:
        match one.type:
            case "function_call":
                given = one.arguments
                text = given if isinstance(given, str) else json.dumps(given or {})
                call = {"name": one.name, "arguments": text}
                wire["tool_calls"].append({"id": one.call_id, "type": "function", "function": call})
            case "text_reasoning":
                kept = one.to_dict(exclude={"raw_representation", "protected_data"})
                made = {"type": MINE, "content": kept, "signature": one.protected_data}
                wire["reasoning_details"].append(made)
            case kind if kind not in UNSEEN:
                wire["content"] += _part(one)["text"]
    return {key: value for key, value in wire.items() if value or key == "content"}


def _part(content: Content) -> Wire:
    if content.type == "text":
        return {"type": "text", "text": content.text or ""}
    if content.uri and (content.media_type or "").startswith("image/"):
        return {"type": "image_url", "image_url": {"url": content.uri}}
    raise loom.BadInput(f"a content {content.type!r}: give its text, or an image")


def _contents(wire: Wire) -> Iterator[Content]:
    """Yield what a message of a request holds."""
    if wire["role"] == "tool":
        yield Content.from_function_result(wire["tool_call_id"], result=wire["content"])
        return
    for detail in wire.get("reasoning_details") or ():
        if detail.get("type") == MINE:
            yield Content.from_dict({**detail["content"], "protected_data": detail["signature"]})
    content = wire.get("content") or ""
    for part in [{"text": content}] if isinstance(content, str) else content:
        if "image_url" in part:
            yield Content.from_uri(part["image_url"]["url"])
        elif part["text"]:
            yield Content.from_text(part["text"])
    for call in wire.get("tool_calls") or ():
        made = call["function"]
        yield Content.from_function_call(call["id"], made["name"], arguments=made["arguments"])
