"""Pydantic AI itself, its clients pointed at a server that refuses what is not lawful."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import loom
from loom.adapters.sessions import Sessions

pytest.importorskip("pydantic_ai", reason="pydantic-ai is not installed")
openai = pytest.importorskip("openai")
anthropic = pytest.importorskip("anthropic")


from tests.kit.awaited import awaited  # noqa: E402
from tests.kit.pydantic_agents import (  # noqa: E402
    APIS,
    WAYS,
    WINDOW,
    alike,
    is_whole,
    no_fault,
    reader,
    run,
    text_of,
)
from tests.kit.scripted_server import ScriptedServer, said  # noqa: E402
from tests.kit.steps import survey  # noqa: E402


def surveying(many: int) -> Any:
    """A script of an agent that reads, in so many steps."""
    steps = [
        (text, *((name, json.dumps(given, separators=(",", ":"))) for name, given in calls))
        for text, *calls in survey(many)
    ]
    return lambda messages, step: said(*steps[step]) if step < many else "Done."


@APIS
@WAYS
@awaited
async def test_sixty_steps(tmp_path: Path, api: str, streamed: bool) -> None:
    """Calls at once, notes answered inside, sixty steps in a small window; nothing is refused."""
    with (
        ScriptedServer(surveying(60), limit=WINDOW) as server,
        Sessions(tmp_path, window=WINDOW, durable=False) as sessions,
    ):
        async with reader(api, server, sessions) as agent:
            result = await run(agent, "Go on.", streamed=streamed, conversation_id="one")
            assert result.output == "Done."
            assert result.usage.input_tokens == sum(one.tokens for one in server.exchanges)
            history = result.all_messages()
            again = await run(agent, "More.", streamed=streamed, message_history=history)
        no_fault(server)
        assert len(server.bodies) == 62
        history = again.all_messages()
        calls = {call.tool_name for one in history for call in getattr(one, "tool_calls", ())}
        assert calls == {"read_file"}
        is_whole(sessions.of("one"), history[:-1])


@pytest.mark.parametrize("api", ["chat", "messages"])
@WAYS
@awaited
async def test_the_requests_are_those_of_the_plain_loop(
    tmp_path: Path, api: str, streamed: bool
) -> None:
    """Whoever calls `user`, `reply`, `result` and `turn` sends the same messages and tools."""
    format, model = {
        "chat": ("openai", "gpt-5"), "messages": ("anthropic", "claude-sonnet-5")
    }[api]  # fmt: skip
    with (
        ScriptedServer(surveying(30), limit=WINDOW) as server,
        ScriptedServer(surveying(30), limit=WINDOW) as plain,
        loom.open(tmp_path / "one", durable=False, window=WINDOW) as ctx,
        loom.open(tmp_path / "plain", durable=False, window=WINDOW) as other,
    ):
        async with reader(api, server, ctx) as agent:
            await run(agent, "Go on.", streamed=streamed)
        schema = server.bodies[0]["tools"][0]
        other.tools.declare(schema)
        other.system("You read.")
        other.user("Go on.")
        with client_of(api, plain) as create:
            while not other.done:
                request = other.turn().request(format, model=model, cache=False)
                other.reply(create(**request))
                for call in other.calls:
                    other.result(call, text_of(json.loads(call.arguments)["path"]))
        assert len(server.bodies) == len(plain.bodies) == 31
        for one, two in zip(server.bodies, plain.bodies, strict=True):
            ours, theirs = alike(texts(one)), alike(texts(two))
            assert ours == theirs
            names = [
                [t.get("name") or t["function"]["name"] for t in b["tools"]] for b in (one, two)
            ]
            assert sorted(names[0]) == sorted(names[1])


def texts(body: Any) -> list[Any]:
    """Who says what in a request, whichever of its spellings a client chose."""
    system = body.get("system") or ""
    system = system if isinstance(system, str) else "\n\n".join(one["text"] for one in system)
    said: list[Any] = [("system", system)]
    for message in body["messages"]:
        content = message["content"] or ""
        parts = [content] if isinstance(content, str) else content
        for part in parts:
            if isinstance(part, str) or part["type"] == "text":
                said.append((message["role"], part if isinstance(part, str) else part["text"]))
            else:
                held = part.get("input") or part.get("content")
                held = held[0]["text"] if isinstance(held, list) else held
                said.append((message["role"], part.get("id") or part.get("tool_use_id"), held))
        said += [
            ("calls", call["id"], json.loads(call["function"]["arguments"]))
            for call in message.get("tool_calls", ())
        ]
    joined: list[Any] = []
    for one in said:
        if joined and one[0] == joined[-1][0] == "user" and len(one) == len(joined[-1]) == 2:
            joined[-1] = ("user", f"{joined[-1][1]}\n\n{one[1]}")  # a message, or one after another
        elif one[1]:
            joined.append(one)
    return joined


@contextmanager
def client_of(api: str, server: Any) -> Iterator[Any]:
    """What asks the provider, by its own library."""
    if api == "messages":
        with anthropic.Anthropic(api_key="key", base_url=server.url, max_retries=0) as client:
            yield client.messages.create
    else:
        with openai.OpenAI(api_key="key", base_url=server.v1, max_retries=0) as client:
            yield client.chat.completions.create
