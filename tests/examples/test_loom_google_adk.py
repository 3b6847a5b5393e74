"""ADK itself, Google's client pointed at a server that refuses what is not lawful."""

from __future__ import annotations

import asyncio
import json
import warnings
from pathlib import Path
from typing import Any

import pytest

import loom

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of what ADK imports
    adk = pytest.importorskip("google.adk", reason="google-adk is not installed")
    from google import genai
    from google.adk.agents import LlmAgent
    from google.adk.agents.run_config import RunConfig, StreamingMode
    from google.adk.apps import App
    from google.adk.models.google_llm import Gemini
    from google.adk.runners import Runner
    from google.adk.sessions.sqlite_session_service import SqliteSessionService
    from google.genai import types

from examples.loom_google_adk import LoomPlugin
from loom.adapters.sessions import Sessions
from tests.kit.example_agents import (
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
from tests.kit.scripted_server import ScriptedServer
from tests.kit.steps import survey
from tests.providers.serving.pictures import coded, png

__all__ = ["serve"]  # a fixture


# aiohttp tells it of Google's client.
pytestmark = pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession")

MODELS = pytest.mark.parametrize("model", ["gemini-2.5-pro", "gemini-3-pro"])
USER = {"user_id": "u", "session_id": "s"}
NAME = "app|u|s|reader"


def read_file(path: str) -> str:
    """Read a file."""
    return text_of(path)


def sessions_in(folder: Path) -> Sessions:
    """The contexts of all conversations."""
    return Sessions(folder / "loom", durable=False, window=WINDOW, goal="Read every file.")


def run(
    folder: Path,
    sessions: Sessions,
    server: ScriptedServer,
    model: str,
    said: Any,
    *,
    streamed: bool = False,
    rewinds: str = "",
) -> list[Any]:
    """One run of an agent that reads files, its session on disk; the events of the session."""
    parts = [types.Part(text=said)] if isinstance(said, str) else said
    mode = StreamingMode.SSE if streamed else StreamingMode.NONE

    async def go() -> list[Any]:
        options = {"base_url": server.url, "retry_options": {"attempts": 1}}
        client = genai.Client(api_key="key", http_options=options)
        config = types.GenerateContentConfig(
            thinking_config=types.ThinkingConfig(include_thoughts=True)
        )
        agent = LlmAgent(
            name="reader",
            model=Gemini(model=model, client=client),
            instruction="You read.",
            tools=[read_file],
            generate_content_config=config,
        )
        app = App(name="app", root_agent=agent, plugins=[LoomPlugin(sessions)])
        held = SqliteSessionService(str(folder / "events.db"))
        if await held.get_session(app_name="app", **USER) is None:
            await held.create_session(app_name="app", **USER)
        try:
            async with Runner(app=app, session_service=held) as runner:
                if rewinds:
                    await runner.rewind_async(**USER, rewind_before_invocation_id=rewinds)
                content = types.Content(role="user", parts=parts)
                async for _ in runner.run_async(
                    **USER, new_message=content, run_config=RunConfig(streaming_mode=mode)
                ):
                    pass
        finally:
            await client.aio.aclose()
            client.close()
        session = await held.get_session(app_name="app", **USER)
        return session.events

    return asyncio.run(go())


def is_whole(ctx: loom.Context, events: list[Any], *, parts: int = 0) -> None:
    """Each event has one standing entry, none has two, all results come back; the last reply is
    known by its list at the next request only."""
    told = [event.content for event in events if event.content and event.content.parts]
    known = ctx.history.synced
    assert len(known) == len(told) - 1
    entries = [
        one.entry
        for one, content in zip(known, told, strict=False)
        if not any(part.function_response for part in content.parts)
    ]
    assert all(entries) and len({*entries}) == len(entries)
    results = [part.function_response for content in told for part in content.parts]
    results = [one.response["result"] for one in results if one]
    index = ctx._engine.workspace.index
    kept = {id: ctx.history.restore(step).results[id] for id, step in index.calls.items()}
    assert len(results) <= len(kept)
    assert all(result in kept.values() for result in results)
    calls = [part.function_call.name for content in told for part in content.parts
             if part.function_call]  # fmt: skip
    assert len(calls) == len(results) and {*calls} <= {"read_file"}
    last = "".join(part.text or "" for part in told[-1].parts if not part.thought)
    assert ctx.text == last == "Done."
    nothing_twice(ctx, parts=parts)


@MODELS
@WAYS
def test_thirty_steps_and_a_restart(
    tmp_path: Path, serve: Serve, model: str, streamed: bool
) -> None:
    """Calls at once, notes within, a process that starts again in the midst: none is refused."""
    steps = [*survey(16), ("Done.",), *survey(14)]
    server = serve(steps, limit=WINDOW, thinks=True)
    with sessions_in(tmp_path) as sessions:
        events = run(tmp_path, sessions, server, model, "Read half.", streamed=streamed)
        is_whole(sessions.of(NAME), events)
    with sessions_in(tmp_path) as sessions:
        events = run(tmp_path, sessions, server, model, "Go on.", streamed=streamed)
        is_whole(sessions.of(NAME), events)
        assert sessions.of(NAME).window.sent.generation > 1
    no_fault(server)
    assert len(server.exchanges) == 32
    bodies = json.dumps([one.body for one in server.exchanges])
    assert "[new tool" not in bodies
    told = json.dumps([event.model_dump(mode="json") for event in events])
    assert "page_in" not in told
    assert all(json.dumps(text_of(f"src/a{at}.py"))[1:-1] in told for at in (0, 12))


@MODELS
@WAYS
def test_a_rewind(tmp_path: Path, serve: Serve, model: str, streamed: bool) -> None:
    """Where the host took a run back, the context goes back with it."""
    steps = [("", READ), ("First.",), ("", OTHER), ("Words to forget.",), ("", READ), ("Done.",)]
    server = serve(steps, limit=WINDOW)
    with sessions_in(tmp_path) as sessions:
        run(tmp_path, sessions, server, model, "Read a.", streamed=streamed)
        events = run(tmp_path, sessions, server, model, "Read b.", streamed=streamed)
        last = events[-1].invocation_id
        run(tmp_path, sessions, server, model, "Again.", streamed=streamed, rewinds=last)
        known = sessions.of(NAME).history.synced
        assert [one.role for one in known] == ["user", "assistant", "tool", "assistant",
                                               "user", "assistant", "tool"]  # fmt: skip
        assert sessions.of(NAME).text == "Done."
    no_fault(server)
    before, after = (json.dumps(server.bodies[at]) for at in (3, -1))
    assert "src/b.py:7 = " in before and "src/b.py:7 = " not in after
    assert "Words to forget." not in after and "First." in after


@MODELS
def test_a_stream_that_breaks(tmp_path: Path, serve: Serve, model: str) -> None:
    """It leaves no reply; the run that is made again goes on from what stands."""
    server = serve([("Words to break in.", READ)], limit=WINDOW)
    server.break_next(1)
    with sessions_in(tmp_path) as sessions:
        with pytest.raises(Exception):  # noqa: B017
            run(tmp_path, sessions, server, model, "Read a.", streamed=True)
        assert sessions.of(NAME).text == "" and not sessions.of(NAME).calls
        events = run(tmp_path, sessions, server, model, "Once more.", streamed=True)
        is_whole(sessions.of(NAME), events)
    no_fault(server)


@MODELS
def test_a_picture_and_the_same_call_twice(tmp_path: Path, serve: Serve, model: str) -> None:
    """Images come to the provider as the host gave them; like calls have a result each."""
    server = serve([("", READ, READ), ("", READ)], limit=WINDOW)
    image = png(64, 64)
    said = [
        types.Part(text="What is it?"),
        types.Part.from_bytes(data=image, mime_type="image/png"),
    ]
    with sessions_in(tmp_path) as sessions:
        events = run(tmp_path, sessions, server, model, said)
        is_whole(sessions.of(NAME), events, parts=1)
        assert len(sessions.of(NAME)._engine.workspace.index.calls) == 3
    no_fault(server)
    sent = json.dumps(server.bodies[-1]).replace("-", "+").replace("_", "/")  # base64 of URLs
    assert coded(image) in sent
