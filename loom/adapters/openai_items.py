"""Converts the items of the OpenAI Agents SDK for Loom and back.

Items have the Responses format, even if the model has another API. Then their ids are placeholders
that several items share, and Loom drops them.

For such models the SDK converts items to messages. `chat_items` prepares the items for that: it
joins a reply's text with its calls and adds fields that some providers require."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any

from agents import (
    CodeInterpreterTool,
    CustomTool,
    FileSearchTool,
    FunctionTool,
    HostedMCPTool,
    ImageGenerationTool,
    Model,
    ModelResponse,
    WebSearchTool,
)
from agents.models.fake_id import FAKE_RESPONSES_ID
from agents.models.openai_responses import OpenAIResponsesModel

from loom.errors import BadInput
from loom.live import Context
from loom.providers import provider_of
from loom.providers.formats.responses import CALLS
from loom.session.turn import Turn

Item = dict[str, Any]
# Reasoning that is gone, where every reply with calls must have some; the SDK leaves out "".
UNTHOUGHT: Item = {
    "id": FAKE_RESPONSES_ID,
    "type": "reasoning",
    "summary": [{"type": "summary_text", "text": " "}],
}
# Google's stand-in for a signature that is gone.
UNSIGNED = {"thought_signature": "skip_thought_signature_validator"}


def chat_items(items: Sequence[Item], model: str) -> Iterator[Item]:
    """Yield a request's items in the form from which the SDK makes Chat Completions messages for
    `model`."""
    provider = provider_of(model)
    within = called = False  # a reply; its first call was met
    for at, item in enumerate(items):
        if not _is_reply_item(item):
            within = called = False
            yield item
            continue
        calls = (one.get("type") in CALLS for one in takewhile(_is_reply_item, items[at:]))
        if not within and provider.echo and item.get("type") != "reasoning" and any(calls):
            yield UNTHOUGHT
        within = True
        if item.get("type") in CALLS:
            unsigned = provider.demands == "turn" and not called
            called = True
            data = UNSIGNED | (item.get("provider_data") or {})
            yield {**item, "provider_data": data} if unsigned else item
        else:
            yield _full_item(item)


def _is_reply_item(item: Item) -> bool:
    return item.get("role") == "assistant" or item.get("type") in ("reasoning", *CALLS)


def _full_item(item: Item) -> Item:
    """Return an assistant's text as a complete item, which the SDK can join with calls, and any
    other item unchanged."""
    if item.get("role") != "assistant" or not isinstance(item.get("content"), str):
        return item
    said = {"type": "output_text", "text": item["content"], "annotations": []}
    whole = {"id": FAKE_RESPONSES_ID, "type": "message", "status": "completed"}
    return {**whole, **item, "content": [said]}


FORMAT = "responses"
Asked = dict[str, Any]  # the arguments of a request to a model
# Those that come by their place, as far as they do.
NAMES = (
    "system_instructions", "input", "model_settings", "tools", "output_schema", "handoffs",
    "tracing",
)  # fmt: skip
# The provider runs them, or their calls are among those Loom holds.
HELD = (
    FunctionTool, CustomTool, WebSearchTool, FileSearchTool, CodeInterpreterTool, HostedMCPTool,
    ImageGenerationTool,
)  # fmt: skip
RESULTS = frozenset(result for _, result in CALLS.values())


def named_arguments(given: Iterable[Any], named: Mapping[str, Any]) -> Asked:
    """Return the arguments of a model call as a dict. `given` are the positional arguments."""
    return dict(zip(NAMES, given, strict=False)) | {**named}


def sync_run(context: Context, asked: Asked) -> Turn:
    """Give the tools, instructions and items of a run to the context. Return the turn to send.
    Raises what `ctx.tools.declare` and `ctx.sync` raise, and BadInput if the provider keeps or cuts
    the list or if Loom cannot store the calls of a tool."""
    for name in ("previous_response_id", "conversation_id"):
        if asked.get(name):
            raise BadInput(f"{name}: the provider keeps the list: give the run a session")
    settings = asked["model_settings"]
    if settings.context_management or settings.truncation == "auto":
        raise BadInput("context_management, truncation: the provider cuts what Loom sends")
    for tool in asked["tools"]:
        if not isinstance(tool, HELD):
            kind = type(tool).__name__
            raise BadInput(f"{kind}: Loom holds no such calls: give it as a function tool")
    tools = [tool for tool in asked["tools"] if isinstance(tool, FunctionTool)]
    told = [(tool.name, tool.description, tool.params_json_schema) for tool in tools]
    told += [(h.tool_name, h.tool_description, h.input_json_schema) for h in asked["handoffs"]]
    context.tools.declare(
        *({"name": a, "description": b or "", "parameters": c} for a, b, c in told)
    )
    return context.sync(_checked_items(asked["input"]), FORMAT, system=asked["system_instructions"])


def _checked_items(given: str | Sequence[Any]) -> list[Any]:
    """Return a run's items without placeholder ids. A plain text becomes a user message. Raises
    BadInput for an item that Loom cannot store."""
    if isinstance(given, str):
        return [{"role": "user", "content": given}]
    for item in given:
        kind = str(item.get("type", "")) if isinstance(item, dict) else ""
        result = kind.endswith(("_output", "_response")) and kind not in RESULTS
        if result or kind == "item_reference":
            raise BadInput(f"{kind}: Loom holds no such item")
    return [_without_fake_id(item) for item in given]


def _without_fake_id(item: Any) -> Any:
    if isinstance(item, dict) and item.get("id") == FAKE_RESPONSES_ID:
        return {key: value for key, value in item.items() if key != "id"}
    return item


def response_to_wire(response: ModelResponse, model: str) -> dict[str, Any]:
    """Return a model's reply as a dict for `ctx.reply`. `model` is the model's name."""
    output = [_without_fake_id(item) for item in response.to_input_items()]
    usage = {"input_tokens": response.usage.input_tokens}
    return {"object": "response", "model": model, "output": output, "usage": usage}


def request_arguments(context: Context, turn: Turn, asked: Asked, model: Model) -> Asked:
    """Return the arguments for calling the model with a turn: Loom's messages, the run's tools and
    Loom's tools."""
    request = turn.request(FORMAT, model=model_name(model))
    settings, items = asked["model_settings"], request["input"]
    if isinstance(model, OpenAIResponsesModel):
        include = {*(settings.response_include or ()), *request.get("include", ())}
        store = False if settings.store is None else settings.store
        settings = replace(settings, store=store, response_include=sorted(include) or None)
    else:  # chat completions: a stream tells of usage when it is asked to
        settings = replace(settings, include_usage=settings.include_usage is not False)
        items = [*chat_items(items, model_name(model))]
    return {
        **asked,
        "system_instructions": request["instructions"],
        "input": items,
        "model_settings": settings,
        "tools": [*asked["tools"], *map(_function_tool, context.tools.schemas(FORMAT))],
    }


def model_name(model: Model) -> str:
    """Return the model's name at its provider, "" if it has none."""
    return str(getattr(model, "model", ""))


def _function_tool(schema: Mapping[str, Any]) -> FunctionTool:
    """Return an SDK tool for the declaration of one of Loom's tools."""
    return FunctionTool(
        name=schema["name"],
        description=schema.get("description", ""),
        params_json_schema=dict(schema["parameters"]),
        on_invoke_tool=_refuse_call,
        strict_json_schema=False,
    )


async def _refuse_call(*given: Any) -> str:
    """Raise AssertionError: the SDK never runs Loom's tools, because Loom answers their calls."""
    raise AssertionError("the calls of Loom's tools are answered before a run sees them")
