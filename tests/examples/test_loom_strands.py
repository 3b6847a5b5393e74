"""Strands itself, its clients pointed at a server that refuses what is not lawful."""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

import loom

strands = pytest.importorskip("strands", reason="strands-agents is not installed")

from strands.agent.conversation_manager import NullConversationManager  # noqa: E402
from strands.middleware import InvokeModelStage  # noqa: E402
from strands.models.anthropic import AnthropicModel  # noqa: E402
from strands.models.openai import OpenAIModel  # noqa: E402
from strands.session.file_session_manager import FileSessionManager  # noqa: E402

from examples.loom_strands import through  # noqa: E402
from tests.kit.example_agents import (  # noqa: E402
    OTHER,
    READ,
    WINDOW,
    Serve,
    no_fault,
    nothing_twice,
    serve,
    text_of,
)
from tests.kit.scripted_server import ScriptedServer  # noqa: E402
from tests.kit.steps import survey  # noqa: E402
from tests.providers.serving.pictures import png  # noqa: E402

__all__ = ["serve"]  # a fixture

APIS = pytest.mark.parametrize("api", ["anthropic", "openai"])
REPLY = 2_000


@strands.tool
def read_file(path: str) -> str:
    """Read a file."""
    return text_of(path)


def opened(folder: Path) -> loom.Context:
    """The workspace of a conversation."""
    return loom.open(
        folder / "w", durable=False, window=WINDOW, reply=REPLY, goal="Read every file."
    )


def agent_of(
    ctx: loom.Context, server: ScriptedServer, api: str, folder: Path, **given: Any
) -> Any:
    """An agent that reads files, its history on disk."""
    if api == "anthropic":
        client = {"api_key": "key", "base_url": server.url, "max_retries": 0}
        model = AnthropicModel(client_args=client, model_id="claude-opus-4-1", max_tokens=REPLY)
    else:
        client = {"api_key": "key", "base_url": server.v1, "max_retries": 0}
        model = OpenAIModel(
            client_args=client, model_id="gpt-4.1", params={"max_completion_tokens": REPLY}
        )
    agent = strands.Agent(
        model,
        tools=[read_file],
        system_prompt="You read.",
        conversation_manager=NullConversationManager(),
        session_manager=FileSessionManager("alice", storage_dir=str(folder / "history")),
        callback_handler=None,
        **given,
    )
    agent.add_middleware(InvokeModelStage, through(ctx))
    return agent


def is_whole(ctx: loom.Context, messages: list[Any], *, parts: int = 0) -> None:
    """Each message has one standing entry, none has two, all results come back; the last reply is
    known by its list at the next request only."""
    known = ctx.history.synced
    assert [one.id for one in known] == [one["tracking_id"] for one in messages[:-1]]
    entries = [
        one.entry
        for one, message in zip(known, messages, strict=False)
        if not any("toolResult" in block for block in message["content"])
    ]
    assert all(entries) and len({*entries}) == len(entries)
    for message in messages[:-1]:
        for block in message["content"]:
            if "toolResult" in block:
                told, id = block["toolResult"], block["toolResult"]["toolUseId"]
                step = ctx._engine.workspace.index.calls[id]
                assert ctx.history.restore(step).results[id] == told["content"][0]["text"]
            elif "toolUse" in block:
                assert block["toolUse"]["name"] == "read_file"
    assert ctx.text == messages[-1]["content"][-1]["text"]
    nothing_twice(ctx, parts=parts)


def run(agent: Any, said: Any, **given: Any) -> Any:
    """One run, whose client is closed within the loop it belongs to."""

    async def go() -> Any:
        try:
            return await agent.invoke_async(said, **given)
        finally:
            if isinstance(agent.model, AnthropicModel):
                await agent.model.client.close()

    return asyncio.run(go())


@APIS
def test_thirty_steps_and_a_restart(tmp_path: Path, serve: Serve, api: str) -> None:
    """Calls at once, notes within, a process that starts again in the midst: none is refused."""
    server = serve(survey(30), limit=WINDOW)
    with opened(tmp_path) as ctx:
        agent = agent_of(ctx, server, api, tmp_path)
        result = run(agent, "Read all.", limits={"turns": 12})
        assert result.stop_reason == "limit_turns"
        before = len(server.exchanges)
    with opened(tmp_path) as ctx:
        agent = agent_of(ctx, server, api, tmp_path)
        result = run(agent, "Go on.")
        assert str(result).strip() == "Done."
        is_whole(ctx, agent.messages)
        assert ctx.window.sent.generation > 1
    no_fault(server)
    assert 12 < before < len(server.exchanges) == 31
    told = json.dumps(agent.messages)
    assert "page_in" not in told
    assert all(json.dumps(text_of(f"src/a{at}.py"))[1:-1] in told for at in (0, 29))


@APIS
def test_an_edit(tmp_path: Path, serve: Serve, api: str) -> None:
    """Where the host changed a message and took back what followed, the context does as well."""
    server = serve([("", READ), ("", OTHER), ("Words to forget.",), ("", READ)], limit=WINDOW)
    with opened(tmp_path) as ctx:
        agent = agent_of(ctx, server, api, tmp_path)
        run(agent, "Read a.")
        kept = agent.messages[:3]
        kept[2]["content"][0]["toolResult"]["content"] = [{"text": "what the host wrote"}]
        agent = agent_of(ctx, server, api, tmp_path / "other", messages=kept)
        run(agent, "Read it again.")
        is_whole(ctx, agent.messages)
    no_fault(server)
    before, after = (json.dumps(server.bodies[at]["messages"]) for at in (2, -1))
    assert "what the host wrote" in after and "what the host wrote" not in before
    assert "Words to forget." not in after
    assert "src/b.py:7 = " in before and "src/b.py:7 = " not in after


def test_thinking_and_a_picture(tmp_path: Path, serve: Serve) -> None:
    """Signed thinking and images come back to the provider as it had them."""
    server = serve(
        [("", READ), ("", ("working", {"action": "note", "text": "so"}), READ)],
        thinks=True,
        limit=WINDOW,
    )
    image = {"format": "png", "source": {"bytes": png(64, 64)}}
    with opened(tmp_path) as ctx:
        agent = agent_of(ctx, server, "anthropic", tmp_path)
        agent.model.update_config(params={"thinking": {"type": "enabled", "budget_tokens": 1_024}})
        run(agent, [{"text": "What is it?"}, {"image": image}])
        is_whole(ctx, agent.messages, parts=1)
    no_fault(server)
    sent = json.dumps(server.bodies[-1]["messages"])
    assert sent.count('"type": "thinking"') == 2
    assert b64encode(image["source"]["bytes"]).decode() in sent


@APIS
def test_a_failure_leaves_no_reply(tmp_path: Path, serve: Serve, api: str) -> None:
    """A reply that breaks off is none; the run that is made again goes on from what stands."""
    server = serve([("", READ), ("A long word to break in.", READ)], limit=WINDOW)
    with opened(tmp_path) as ctx:
        agent = agent_of(ctx, server, api, tmp_path)
        server.break_next(2)
        with pytest.raises(Exception):  # noqa: B017
            run(agent, "Read a.")
        assert ctx.window.history.open_calls == ()
    with opened(tmp_path) as ctx:
        agent = agent_of(ctx, server, api, tmp_path)
        run(agent, "Once more.")
        is_whole(ctx, agent.messages)
    no_fault(server)
