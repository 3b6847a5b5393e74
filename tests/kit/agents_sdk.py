"""Runs of the OpenAI Agents SDK for tests: an agent that reads, and the scripted server it asks."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import agents
import openai
import pytest

import loom
from loom.adapters import openai_agents as adapter
from tests.kit.cases import each_value
from tests.kit.steps import WAYS, Serve, no_fault, serve, text_of  # noqa: F401

APIS = pytest.mark.parametrize("api", ["responses", "openai"])
EACH = pytest.mark.parametrize(
    ("api", "streamed"), each_value(["responses", "openai"], [True, False])
)
WINDOW = 16_000
ROOT = Path(loom.__file__).parents[1]


@agents.function_tool
def read_file(path: str) -> str:
    """Read a file."""
    return text_of(path)


def surveyor(**given: Any) -> Any:
    """An agent that reads files."""
    usual = {"instructions": "You read.", "tools": [read_file], "model": "gpt-5"}
    return agents.Agent("Surveyor", **{**usual, **given})


@asynccontextmanager
async def configured(ctx: Any, server: Any, api: str) -> AsyncIterator[Any]:
    """What a run is given: Loom's models around the SDK's, and no traces."""
    async with openai.AsyncOpenAI(api_key="key", base_url=server.v1, max_retries=0) as client:
        provider = agents.OpenAIProvider(openai_client=client, use_responses=api == "responses")
        models = adapter.LoomModels(ctx, provider)
        yield agents.RunConfig(model_provider=models, tracing_disabled=True)


async def run(agent: Any, said: Any, *, streamed: bool, **given: Any) -> Any:
    """One run, whole or streamed; its result, with the events it streamed as `raw`."""
    given = {"max_turns": 100, **given}
    if not streamed:
        return await agents.Runner.run(agent, said, **given)
    result = agents.Runner.run_streamed(agent, said, **given)
    result.raw = [e.data async for e in result.stream_events() if e.type == "raw_response_event"]
    return result


def opened(folder: Path, **given: Any) -> loom.Context:
    """The workspace of a conversation."""
    return loom.open(folder / "w", durable=False, window=WINDOW, **given)


def session(folder: Path) -> Any:
    """The SDK's own history of the conversation, on disk."""
    return agents.SQLiteSession("conversation", folder / "history.db")


def is_whole(ctx: loom.Context, items: list[Any]) -> None:
    """Each message of the list has one standing entry, none twice, and it can be restored."""
    known = ctx.history.synced
    entries = [one.entry for one in known if one.role in ("user", "assistant")]
    assert all(entries) and len(set(entries)) == len(entries)
    said = [item for item in items if item.get("role") == "user"]
    assert [one.role for one in known].count("user") == len(said)
    placeholder = "__fake_id__"  # of items that are none of the Responses API: no name of any
    for entry in entries:
        assert placeholder not in repr(ctx.history.restore(entry).reply)
    assert placeholder not in {one.id for one in known}
    results = {item["call_id"]: item["output"] for item in items if "output" in item}
    for call, output in results.items():
        step = ctx._engine.workspace.index.calls[call]
        assert ctx.history.restore(step).results[call] == output
