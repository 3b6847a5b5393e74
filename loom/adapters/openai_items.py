"""What the OpenAI Agents SDK gives a model and takes from it, in Loom's words and back.

Items are those of the Responses format, whichever API the model speaks. An item of another API has
a placeholder for its id, which several share; it is left out of what Loom keeps.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from agents import (
    CodeInterpreterTool,
    CustomTool,
    FileSearchTool,
    FunctionTool,
    HostedMCPTool,
    ImageGenerationTool,
    ModelResponse,
    WebSearchTool,
)
from agents.models.fake_id import FAKE_RESPONSES_ID

from loom.adapters.errors import UnsupportedRun
from loom.providers.formats.responses import CALLS

Asked = dict[str, Any]  # the arguments of a request to a model
POSITIONAL = ("system_instructions", "input", "model_settings", "tools", "output_schema", "handoffs")
# The provider runs them, or their calls are among those Loom holds.
HELD = (
    FunctionTool, CustomTool, WebSearchTool, FileSearchTool, CodeInterpreterTool, HostedMCPTool,
    ImageGenerationTool,
)  # fmt: skip
RESULTS = frozenset(result for _, result in CALLS.values())


def asked_of(given: Iterable[Any], named: Mapping[str, Any]) -> Asked:
    """The arguments by their names. Raises UnsupportedRun."""
    asked = dict(zip((*POSITIONAL, "tracing"), given, strict=False)) | {**named}
    for name in ("previous_response_id", "conversation_id"):
        if asked.get(name):
            raise UnsupportedRun(name, "the provider keeps the list: give the run a session")
    settings = asked["model_settings"]
    if settings.context_management or settings.truncation == "auto":
        raise UnsupportedRun(
            "context_management, truncation", "the provider would cut what Loom sends: leave it out"
        )
    for tool in asked["tools"]:
        if not isinstance(tool, HELD):
            kind = type(tool).__name__
            raise UnsupportedRun(kind, "Loom holds no such calls: give it as a function tool")
    return asked


def declarations(asked: Asked) -> list[dict[str, Any]]:
    """Tools and handoffs of the host, as `ctx.tools.declare` takes them."""
    tools = [tool for tool in asked["tools"] if isinstance(tool, FunctionTool)]
    told = [(tool.name, tool.description, tool.params_json_schema) for tool in tools]
    told += [(h.tool_name, h.tool_description, h.input_json_schema) for h in asked["handoffs"]]
    return [{"name": a, "description": b or "", "parameters": c} for a, b, c in told]


def listed(given: str | Sequence[Any]) -> list[Any]:
    """The items of a run, as `ctx.sync` takes them. Raises UnsupportedRun."""
    if isinstance(given, str):
        return [{"role": "user", "content": given}]
    for item in given:
        kind = str(item.get("type", "")) if isinstance(item, dict) else ""
        result = kind.endswith(("_output", "_response")) and kind not in RESULTS
        if result or kind == "item_reference":
            raise UnsupportedRun(kind, "Loom holds no such item")
    return [_named(item) for item in given]


def _named(item: Any) -> Any:
    if isinstance(item, dict) and item.get("id") == FAKE_RESPONSES_ID:
        return {key: value for key, value in item.items() if key != "id"}
    return item


def reply_of(response: ModelResponse, model: str) -> dict[str, Any]:
    """A model's reply, as `ctx.reply` takes it."""
    output = [_named(item) for item in response.to_input_items()]
    usage = {"input_tokens": response.usage.input_tokens}
    return {"object": "response", "model": model, "output": output, "usage": usage}


def sent(
    asked: Asked, request: Mapping[str, Any], own: Iterable[Mapping[str, Any]], *, native: bool
) -> Asked:
    """The arguments that ask a model with Loom's `request`; `native` where it speaks Responses.

    The host's tools and settings stay; `own` are declarations of the tools Loom answers.
    """
    settings, items = asked["model_settings"], request["input"]
    if native:
        include = {*(settings.response_include or ()), *request.get("include", ())}
        store = False if settings.store is None else settings.store
        settings = replace(settings, store=store, response_include=sorted(include) or None)
    else:
        settings = replace(settings, include_usage=settings.include_usage is not False)
        items = [*map(_message, items)]
    return {
        **asked,
        "system_instructions": request["instructions"],
        "input": items,
        "model_settings": settings,
        "tools": [*asked["tools"], *map(_own_tool, own)],
    }


def _message(item: dict[str, Any]) -> dict[str, Any]:
    """A text of the model as an item, which the SDK joins with the calls beside it."""
    if item.get("role") != "assistant" or not isinstance(item.get("content"), str):
        return item
    said = {"type": "output_text", "text": item["content"], "annotations": []}
    whole = {"id": FAKE_RESPONSES_ID, "type": "message", "status": "completed"}
    return {**whole, **item, "content": [said]}


def _own_tool(schema: Mapping[str, Any]) -> FunctionTool:
    return FunctionTool(
        name=schema["name"],
        description=schema.get("description", ""),
        params_json_schema=dict(schema["parameters"]),
        on_invoke_tool=_never,
        strict_json_schema=False,
    )


async def _never(*given: Any) -> str:
    raise AssertionError("the calls of Loom's tools are answered before a run sees them")
