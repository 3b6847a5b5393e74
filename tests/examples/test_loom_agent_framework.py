"""Agent Framework itself, its clients pointed at a server that refuses what is not lawful."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

import loom

af = pytest.importorskip("agent_framework", reason="agent-framework-core is not installed")
openai = pytest.importorskip("openai", reason="openai is not installed")
clients = pytest.importorskip("agent_framework_openai", reason="agent-framework-openai is missing")

from examples.loom_agent_framework import LoomChat  # noqa: E402
from tests.kit.example_agents import (  # noqa: E402
    OTHER,
    READ,
    WAYS,
    WINDOW,
    Serve,
    no_fault,
    nothing_twice,
    serve,
    text_of,
)
from tests.kit.scripted_server import ScriptedServer  # noqa: E402
from tests.kit.steps import survey  # noqa: E402
from tests.providers.serving.pictures import png, url  # noqa: E402

__all__ = ["serve"]  # a fixture

APIS = pytest.mark.parametrize("api", ["openai", "responses"])


@af.tool(approval_mode="never_require")
def read_file(path: str) -> str:
    """Read a file."""
    return text_of(path)


def opened(folder: Path) -> loom.Context:
    """The workspace of a conversation."""
    return loom.open(folder / "w", durable=False, window=WINDOW, goal="Read every file.")


def run(
    ctx: loom.Context, server: ScriptedServer, api: str, session: Any, said: Any, streamed: bool
) -> Any:
    """One run of an agent that reads files; what it was told as it came."""

    async def go() -> Any:
        async with openai.AsyncOpenAI(api_key="key", base_url=server.v1, max_retries=0) as client:
            kind = {"openai": "OpenAIChatCompletionClient", "responses": "OpenAIChatClient"}[api]
            model = getattr(clients, kind)(model="gpt-5", async_client=client)
            model.function_invocation_configuration["max_iterations"] = 100
            agent = af.Agent(
                model,
                "You read.",
                tools=[read_file],
                middleware=[LoomChat(ctx, apart=api == "responses")],
                default_options={"store": False} if api == "responses" else {},
            )
            if not streamed:
                return await agent.run(said, session=session)
            stream = agent.run(said, session=session, stream=True)
            told = "".join([update.text async for update in stream])
            response = await stream.get_final_response()
            assert told.endswith(response.messages[-1].text)
            return response

    return asyncio.run(go())


def history(session: Any) -> list[Any]:
    """The messages of a session, as it holds them."""
    return next(one["messages"] for one in session.state.values() if "messages" in one)


def anew(session: Any) -> Any:
    """The session as another process has it."""
    return af.AgentSession.from_dict(json.loads(json.dumps(session.to_dict())))


def is_whole(ctx: loom.Context, messages: list[Any], *, parts: int = 0) -> None:
    """Each message has one standing entry, none has two, all results come back; the last reply is
    known by its list at the next request only."""
    known = [one for one in ctx.history.synced if one.role in ("user", "assistant")]
    spoken = [one for one in messages[:-1] if one.role in ("user", "assistant")]
    assert [one.role for one in known] == [one.role for one in spoken]
    entries = [one.entry for one in known]
    assert all(entries) and len({*entries}) == len(entries)
    for message in messages:
        for one in message.contents:
            if one.type == "function_result":
                step = ctx._engine.workspace.index.calls[one.call_id]
                assert ctx.history.restore(step).results[one.call_id] == one.result
            elif one.type == "function_call":
                assert one.name == "read_file"
    assert ctx.text == messages[-1].text == "Done."
    nothing_twice(ctx, parts=parts)


@APIS
@WAYS
def test_thirty_steps_and_a_restart(tmp_path: Path, serve: Serve, api: str, streamed: bool) -> None:
    """Calls at once, notes within, a process that starts again in the midst: none is refused."""
    steps = [*survey(16), ("Done.",), *survey(14)]
    server = serve(steps, limit=WINDOW, thinks=api == "responses")
    session = af.AgentSession()
    with opened(tmp_path) as ctx:
        run(ctx, server, api, session, "Read half.", streamed)
        is_whole(ctx, history(session))
    session = anew(session)
    with opened(tmp_path) as ctx:
        before = len(ctx.history.synced)
        run(ctx, server, api, session, "Go on.", streamed)
        is_whole(ctx, history(session))
        assert ctx.window.sent.generation > 1 and len(ctx.history.synced) > before
    no_fault(server)
    assert len(server.exchanges) == 32
    assert "[new tool" not in json.dumps([one.body for one in server.exchanges])
    told = json.dumps(session.to_dict())
    assert "page_in" not in told
    assert all(json.dumps(text_of(f"src/a{at}.py"))[1:-1] in told for at in (0, 12))


@APIS
@WAYS
def test_an_edit(tmp_path: Path, serve: Serve, api: str, streamed: bool) -> None:
    """Where the host changed a message and took back what followed, the context does as well."""
    server = serve([("", READ), ("", OTHER), ("Words to forget.",), ("", READ)], limit=WINDOW)
    session = af.AgentSession()
    with opened(tmp_path) as ctx:
        run(ctx, server, api, session, "Read a.", streamed)
        listed = history(session)
        del listed[3:]
        id = listed[2].contents[0].call_id
        edited = af.Content.from_function_result(id, result="what the host wrote")
        listed[2].contents[:] = [edited]
        run(ctx, server, api, session, "Read it again.", streamed)
        is_whole(ctx, history(session))
    no_fault(server)
    before, after = (json.dumps(server.bodies[at]) for at in (2, -1))
    assert "what the host wrote" in after and "what the host wrote" not in before
    assert "src/b.py:7 = " in before and "src/b.py:7 = " not in after
    assert "Words to forget." not in after


@APIS
def test_a_stream_that_breaks(tmp_path: Path, serve: Serve, api: str) -> None:
    """It leaves no reply; the run that is made again goes on from what stands."""
    server = serve([("", READ), ("Words to break in.", READ)], limit=WINDOW)
    session = af.AgentSession()
    with opened(tmp_path) as ctx:
        server.break_next(2)
        with pytest.raises(Exception):  # noqa: B017
            run(ctx, server, api, session, "Read a.", True)
        assert ctx.text == "" and not ctx.calls
        run(ctx, server, api, session, "Once more.", True)
        is_whole(ctx, history(session))
    no_fault(server)


@APIS
def test_a_picture(tmp_path: Path, serve: Serve, api: str) -> None:
    """Images come to the provider as the host gave them."""
    server = serve([("", READ)], limit=WINDOW)
    session, image = af.AgentSession(), url(png(64, 64))
    said = af.Message("user", ["What is it?", af.Content.from_uri(image)])
    with opened(tmp_path) as ctx:
        run(ctx, server, api, session, said, False)
        is_whole(ctx, history(session), parts=1)
    no_fault(server)
    assert image in json.dumps(server.bodies[-1])
