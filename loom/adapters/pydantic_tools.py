"""The tools and settings of a request of Pydantic AI."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.tools import ToolDefinition

from loom.adapters.errors import UnsupportedRun
from loom.adapters.pydantic_messages import FORMAT
from loom.context import Context

KEPT = (
    "openai_previous_response_id", "openai_conversation_id", "openai_context_management",
    "anthropic_context_management",
)  # fmt: skip


def check(settings: Mapping[str, Any]) -> None:
    """Raise UnsupportedRun for settings by which a provider keeps the list, or cuts it."""
    kept = [name for name in KEPT if settings.get(name)]
    if settings.get("openai_truncation") == "auto":
        kept.append("openai_truncation")
    if kept:
        raise UnsupportedRun(", ".join(kept), "the provider would keep or cut the list: leave out")


def declared(tool: ToolDefinition) -> dict[str, Any]:
    """A tool of the host's, as `ctx.tools.declare` takes it."""
    schema = tool.parameters_json_schema
    return {"name": tool.name, "description": tool.description or "", "parameters": schema}


def with_own(parameters: ModelRequestParameters, context: Context) -> ModelRequestParameters:
    """The parameters with the tools Loom answers; instructions stand in the messages.

    Tools the history has revealed are no longer deferred: what revealed them may be paged out.
    """
    revealed = parameters.revealed_tool_names
    tools = [
        replace(tool, defer_loading=False) if tool.name in revealed else tool
        for tool in parameters.function_tools
    ]
    own = [
        ToolDefinition(
            name=one["name"],
            description=one["description"],
            parameters_json_schema=one["input_schema"],
            strict=False,
        )
        for one in context.tools.schemas(FORMAT)
    ]
    return replace(parameters, function_tools=[*tools, *own], instruction_parts=None)
