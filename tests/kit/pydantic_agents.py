"""Agents of Pydantic AI for tests: one that reads, by the real clients of the scripted server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from anthropic import AsyncAnthropic
from openai import AsyncOpenAI
from pydantic_ai import Agent
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.usage import UsageLimits

import loom
from loom.adapters.pydantic_ai import LoomCapability
from tests.kit.steps import WAYS, no_fault, text_of  # noqa: F401

APIS = pytest.mark.parametrize("api", ["chat", "responses", "messages"])
WINDOW = 16_000


def read_file(path: str) -> str:
    """Read a file."""
    return text_of(path)


@asynccontextmanager
async def model_of(api: str, server: Any) -> AsyncIterator[Any]:
    """The framework's model of an API, pointed at the server."""
    if api == "messages":
        async with AsyncAnthropic(api_key="key", base_url=server.url, max_retries=0) as claude:
            provider = AnthropicProvider(anthropic_client=claude)
            yield AnthropicModel("claude-sonnet-5", provider=provider)
        return
    async with AsyncOpenAI(api_key="key", base_url=f"{server.url}/v1", max_retries=0) as client:
        kind = OpenAIChatModel if api == "chat" else OpenAIResponsesModel
        yield kind("gpt-5", provider=OpenAIProvider(openai_client=client))


@asynccontextmanager
async def reader(api: str, server: Any, contexts: Any, **more: Any) -> AsyncIterator[Any]:
    """An agent that reads files, in a window."""
    usual = {"instructions": "You read.", "tools": [read_file]}
    async with model_of(api, server) as model:
        yield Agent(model, capabilities=[LoomCapability(contexts)], **{**usual, **more})


async def run(agent: Agent[Any, Any], said: Any, *, streamed: bool, **given: Any) -> Any:
    """One run, whole or streamed; its result."""
    given = {"usage_limits": UsageLimits(request_limit=None), **given}
    if not streamed:
        return await agent.run(said, **given)
    result = None
    async with agent.run_stream_events(said, **given) as events:
        async for event in events:
            result = getattr(event, "result", None) or result
    return result


def parts_of(messages: list[Any]) -> list[Any]:
    """What stands in a history: replies, and parts of requests."""
    return [
        one
        for message in messages
        for one in ([message] if message.kind == "response" else message.parts)
    ]


def is_whole(ctx: loom.Context, messages: list[Any]) -> None:
    """Each prompt and reply of the history has one standing entry, none twice; each of them, and
    each result, can be restored."""
    known = [one for one in ctx.history.synced if one.role in ("user", "assistant")]
    entries = [one.entry for one in known]
    assert all(entries) and len(set(entries)) == len(entries)
    parts = [p for p in parts_of(messages) if getattr(p, "part_kind", "") != "tool-return"]
    kinds = ["assistant" if getattr(p, "kind", "") == "response" else "user" for p in parts]
    assert [one.role for one in known] == kinds
    for entry, part in zip(entries, parts, strict=True):
        held = ctx.history.restore(entry)
        if kinds[parts.index(part)] == "user" and isinstance(part.content, str):
            assert held.text == part.content
    for part in parts_of(messages):
        if getattr(part, "part_kind", "") == "tool-return":
            step = ctx._engine.workspace.index.calls[part.tool_call_id]
            assert ctx.history.restore(step).results[part.tool_call_id] == part.content
