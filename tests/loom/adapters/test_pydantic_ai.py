"""What else runs of Pydantic AI do: processes that die, edits, streams that break, typed output."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

import loom
from loom.adapters.asking import MOST
from loom.adapters.sessions import Sessions

pytest.importorskip("pydantic_ai", reason="pydantic-ai is not installed")
pytest.importorskip("openai")
pytest.importorskip("anthropic")

from pydantic import BaseModel
from pydantic_ai import (
    Agent,
    BinaryContent,
    DeferredToolRequests,
    DeferredToolResults,
    ModelRetry,
    NativeOutput,
    PromptedOutput,
    Tool,
    ToolOutput,
)
from pydantic_ai.messages import (
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    UserPromptPart,
)

#
from pydantic_ai.models.function import FunctionModel

from loom.adapters.pydantic_ai import LoomCapability
from tests.kit.awaited import awaited
from tests.kit.hosts import PNG
from tests.kit.pages import blocks_of, printed
from tests.kit.pydantic_agents import (
    APIS,
    WAYS,
    WINDOW,
    is_whole,
    no_fault,
    parts_of,
    reader,
    run,
)
from tests.kit.scripted_server import ScriptedServer, said
from tests.kit.steps import survey

ROOT = Path(loom.__file__).parents[1]
READ = ("read_file", {"path": "src/a.py"})
NOTE = ("working", {"action": "note", "text": "so"})


@pytest.fixture
def own_loop() -> Iterator[None]:
    """A loop for `run_sync`, which makes one otherwise and leaves it open."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield
    asyncio.set_event_loop(None)
    loop.close()


def saying(steps: Any) -> Any:
    """A script of these steps; then it is done."""
    return lambda messages, step: said(*steps[step]) if step < len(steps) else "Done."


@asynccontextmanager
async def alone(folder: Path, api: str, script: Any, **more: Any) -> AsyncIterator[Any]:
    """A server that takes these steps, a workspace and a reader with both: none is refused."""
    with (
        ScriptedServer(script if callable(script) else saying(script), limit=WINDOW) as server,
        loom.open(folder / "w", window=WINDOW, durable=False) as ctx,
    ):
        async with reader(api, server, ctx, **more) as agent:
            yield server, ctx, agent
        no_fault(server)


@APIS
@WAYS
@awaited
async def test_sixty_steps(tmp_path: Path, api: str, streamed: bool) -> None:
    """Calls at once, notes answered inside, sixty steps in a small window; nothing is refused."""
    with (
        ScriptedServer(saying(survey(60)), limit=WINDOW) as server,
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


CHILD = """
import asyncio, os, sys
from pathlib import Path
from pydantic_ai.messages import ModelMessagesTypeAdapter
from loom.adapters.sessions import Sessions
from tests.kit import pydantic_agents as kit

def read_file(path: str) -> str:
    "Read a file."
    if path == "src/b16.py":
        os._exit(9)
    return kit.text_of(path)

class Place:
    url = sys.argv[1]

async def go():
    folder = Path(sys.argv[2])
    with Sessions(folder, window=kit.WINDOW, durable=False) as sessions:
        async with kit.reader(sys.argv[3], Place, sessions, tools=[read_file]) as agent:
            async with agent.iter("Go on.", conversation_id="one") as run:
                async for node in run:
                    data = ModelMessagesTypeAdapter.dump_json(run.all_messages())
                    (folder / "history.json").write_bytes(data)

asyncio.run(go())
"""


@APIS
@awaited
async def test_a_process_that_dies(tmp_path: Path, api: str) -> None:
    """It ends within a tool; what stands on disk is gone on with, and nothing is there twice."""
    with ScriptedServer(saying(survey(40)), limit=WINDOW) as server:
        command = [sys.executable, "-c", CHILD, server.url, str(tmp_path), api]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False, timeout=120)
        assert done.returncode == 9, done.stderr.decode()
        history = ModelMessagesTypeAdapter.validate_json((tmp_path / "history.json").read_bytes())
        assert history[-1].kind == "response"
        with Sessions(tmp_path, window=WINDOW, durable=False) as sessions:
            assert sessions.of("one").calls  # the two of the step it died in
            async with reader(api, server, sessions) as agent:
                result = await run(agent, None, streamed=False, message_history=history)
                assert result.output == "Done."
                final = result.all_messages()
                more = await run(agent, "More.", streamed=False, message_history=final)
            no_fault(server)
            is_whole(sessions.of("one"), more.all_messages()[:-1])


@APIS
@awaited
async def test_an_edit_of_the_history(tmp_path: Path, api: str) -> None:
    """Messages taken from its end are undone; what they said is asked for anew."""
    async with alone(tmp_path, api, survey(20)) as (server, ctx, agent):
        first = await run(agent, "First.", streamed=False)
        given = {"streamed": False, "message_history": first.all_messages()}
        await run(agent, "Second.", **given)
        other = await run(agent, "Another second.", **given)
        is_whole(ctx, other.all_messages()[:-1])
        asked = json.dumps(server.bodies[-1])
        assert "Another second." in asked and '"Second."' not in asked
        entries = range(1, ctx.window.history.next_id)
        assert "Second." in [ctx.history.restore(entry).text for entry in entries]


@APIS
@WAYS
@pytest.mark.parametrize("too_long", ["stated", "unstated", "413"])
@awaited
async def test_too_long(tmp_path: Path, api: str, streamed: bool, too_long: str) -> None:
    """The provider's window is smaller than the workspace was told: asked again, smaller."""
    with (
        ScriptedServer(saying(survey(12)), limit=9_000, too_long=too_long) as server,
        loom.open(tmp_path / "w", window=WINDOW, durable=False) as ctx,
    ):
        async with reader(api, server, ctx) as agent:
            result = await run(agent, "Go on.", streamed=streamed)
            assert result.output == "Done."
        assert server.refused and len(server.bodies) == 13
        assert server.faults == []
        is_whole(ctx, result.all_messages()[:-1])


@APIS
@pytest.mark.parametrize("after", [0, 2, 4])
@awaited
async def test_a_stream_that_breaks(tmp_path: Path, api: str, after: int) -> None:
    """No record of it is left, and the run that follows goes on from what stood before."""
    steps = [("Step one.", READ), ("", NOTE, READ), ("Step.", READ)]
    async with alone(tmp_path, api, steps) as (server, ctx, agent):
        server.break_next(after)
        with pytest.raises(Exception):  # noqa: B017  # what the framework makes of it
            await run(agent, "Go on.", streamed=True)
        assert ctx.window.history.next_id == 2 and not ctx.calls
        result = await run(agent, "Go on.", streamed=True)
        assert result.output == "Done."
        again = await run(agent, "More.", streamed=True, message_history=result.all_messages())
        is_whole(ctx, again.all_messages()[:-1])


class City(BaseModel):
    """A city."""

    name: str
    people: int


@pytest.mark.parametrize("way", [ToolOutput, NativeOutput, PromptedOutput])
@WAYS
@awaited
async def test_typed_output(tmp_path: Path, way: Any, streamed: bool) -> None:
    """The output's type goes through; what does not fit it is asked for again, after a note."""
    values = [{"name": "Ulm"}, {"name": "Ulm", "people": 126_000}]

    def script(messages: Any, step: int) -> Any:
        if step in (0, 2):
            return said("Let me note that.", NOTE)
        value = values[min(step // 2, 1)]
        return said("", ("final_result", value)) if way is ToolOutput else json.dumps(value)

    # Else the framework explains its frames in a system message behind others.
    given = {"output_type": way(City), "model_settings": {"framing_announcement": "never"}}
    async with alone(tmp_path, "chat", script, **given) as (server, ctx, agent):
        result = await run(agent, "Which?", streamed=streamed)
        assert result.output == City(name="Ulm", people=126_000)
        more = await run(agent, "And?", streamed=streamed, message_history=result.all_messages())
        assert more.output == result.output
        known = [one.role for one in ctx.history.synced]
        assert known.count("assistant") == 2 and known[0] == "user"
        assert all("people" in json.dumps(body) for body in server.bodies)


@APIS
@WAYS
@awaited
async def test_a_model_that_calls_tools_of_looms_alone(
    tmp_path: Path, api: str, streamed: bool
) -> None:
    """It is asked so often, and then told that it goes round."""
    noted = ("working", {"action": "note", "text": "again"})
    async with alone(tmp_path, api, lambda messages, step: said("", noted)) as (server, _, agent):
        with pytest.raises(loom.LoomError, match="in a row"):
            await run(agent, "Go.", streamed=streamed)
        assert len(server.bodies) == MOST


@awaited
async def test_a_tool_that_fails(tmp_path: Path) -> None:
    """What a tool asks to be tried again stands as an error; calls answered out of order too."""
    tried: list[str] = []

    async def read_file(path: str) -> str:
        """Read a file."""
        if path not in tried:
            tried.append(path)
            raise ModelRetry(f"no {path} yet")
        return path

    steps = [("", READ, ("read_file", {"path": "src/b.py"}))]
    given = {"tools": [read_file]}
    async with alone(tmp_path, "messages", steps, **given) as (server, _, agent):
        result = await run(agent, "Go.", streamed=False)
        assert result.output == "Done."
        results = [b for b in server.bodies[-1]["messages"][-1]["content"] if "tool_use_id" in b]
        assert [one["is_error"] for one in results] == [True, True]


@APIS
@awaited
async def test_pictures(tmp_path: Path, api: str) -> None:
    """A picture of the user's, and one a tool gave, reach the model as they came."""
    picture = BinaryContent(data=PNG, media_type="image/png")

    def draw() -> Any:
        """Draw."""
        return ["Drawn.", picture]

    async with alone(tmp_path, api, [("", ("draw", {}))], tools=[draw]) as (server, _, agent):
        await run(agent, ["What is this?", picture], streamed=False)
        for body, many in zip(server.bodies, (1, 2), strict=True):
            assert json.dumps(body).count(picture.base64) == many


def test_thinking_is_sent_back(tmp_path: Path, own_loop: None) -> None:
    """Signed thinking and what else a provider needs of a part come back as they were."""
    thought = ThinkingPart("Hm.", id="t1", signature="sig", provider_name="function")
    call = ToolCallPart(
        "read_file", {"path": "a"}, "c1", provider_name="function", provider_details={"x": [1]}
    )
    asked: list[Any] = []

    def model(messages: list[Any], info: Any) -> ModelResponse:
        asked.append(messages)
        first = ModelResponse(parts=[thought, TextPart("So."), thought, call])
        return first if len(asked) == 1 else ModelResponse(parts=[TextPart("Done.")])

    with loom.open(tmp_path / "w", window=WINDOW, durable=False) as ctx:
        agent = Agent(FunctionModel(model), capabilities=[LoomCapability(ctx)])
        agent.tool_plain(lambda path: path, name="read_file")
        assert agent.run_sync("Go.").output == "Done."
        sent = asked[1][1].parts
        assert sent == [thought, TextPart("So."), thought, call]


def _done() -> Any:
    return ModelResponse(parts=[TextPart("Done.")])


@pytest.mark.parametrize(
    "settings",
    [
        {"openai_previous_response_id": "resp_1"},
        {"openai_conversation_id": "conv_1"},
        {"openai_truncation": "auto"},
    ],
)
@awaited
async def test_what_a_run_must_not_have(tmp_path: Path, settings: Any) -> None:
    """Lists the provider keeps or cuts: refused, typed, with nothing taken in."""
    async with alone(tmp_path, "responses", []) as (server, ctx, agent):
        with pytest.raises(loom.BadInput):
            await agent.run("Go.", model_settings=settings)
        assert server.exchanges == [] and ctx.window.history.next_id == 1


@awaited
async def test_streamed_text_and_events(tmp_path: Path) -> None:
    """Tokens reach whoever streams, and calls that Loom answers do not."""
    steps = [("Let me note that.", NOTE), ("And read.", NOTE, READ)]
    async with alone(tmp_path, "chat", steps) as (_, ctx, agent):
        async with agent.run_stream_events("Go.") as events:
            got = [event async for event in events]
        parts = [event.part for event in got if event.event_kind == "part_start"]
        assert {getattr(part, "tool_name", "") for part in parts} == {"", "read_file"}
        deltas = [e.delta.content_delta for e in got if e.event_kind == "part_delta"
                  and e.delta.part_delta_kind == "text"]  # fmt: skip
        text = "".join([*(getattr(part, "content", "") for part in parts), *deltas])
        assert sorted(text) == sorted("Let me note that.And read.Done.")
        history = got[-1].result.all_messages()
        assert [one.content for one in parts_of(history) if hasattr(one, "content")]
        async with agent.run_stream("More.", message_history=history) as result:
            chunks = [chunk async for chunk in result.stream_text(delta=True)]
            assert "".join(chunks) == "Done."
        is_whole(ctx, [*history, *result.new_messages()[:-1]])


def test_the_page(tmp_path: Path) -> None:
    """The block of the page runs as printed, and once more in the same folder."""
    (tmp_path / "a.py").write_text("a = 1")
    steps = [("", ("read_file", {"path": "a.py"}), NOTE)] * 3
    with ScriptedServer(saying(steps)) as server:
        (block,) = blocks_of("pydantic-ai.md")
        for _ in range(2):
            shown = printed(block, tmp_path, server.v1)
            assert "Done." in shown and "ρ" in shown
        no_fault(server)
        assert len(server.bodies) == 7


@awaited
async def test_an_approval(tmp_path: Path) -> None:
    """A call that waits for a person is open until the next run brings its result."""

    def drop(table: str) -> str:
        """Drop a table."""
        return f"dropped {table}"

    tools = [Tool(drop, requires_approval=True)]
    given = {"tools": tools, "output_type": [str, DeferredToolRequests]}
    steps = [("", ("drop", {"table": "a"}), NOTE)]
    async with alone(tmp_path, "chat", steps, **given) as (server, ctx, agent):
        first = await run(agent, "Go.", streamed=False)
        (asked,) = first.output.approvals
        assert [call.id for call in ctx.calls] == [asked.tool_call_id]
        second = await run(
            agent,
            None,
            streamed=False,
            message_history=first.all_messages(),
            deferred_tool_results=DeferredToolResults(approvals={asked.tool_call_id: True}),
        )
        assert second.output == "Done." and not ctx.calls
        assert "dropped a" in json.dumps(server.bodies[-1])


def test_what_holds_for_one_request(tmp_path: Path) -> None:
    """A system prompt of one request reaches the model, and is no entry."""
    asked: list[Any] = []

    def model(messages: list[Any], info: Any) -> Any:
        asked.append(messages)
        return _done()

    with loom.open(tmp_path / "w", window=WINDOW, durable=False) as ctx:
        agent = Agent(FunctionModel(model), capabilities=[LoomCapability(ctx)])
        prompt = SystemPromptPart("It is noon.", scope="request")
        history = [ModelRequest(parts=[UserPromptPart("Go."), prompt])]
        asyncio.run(agent.run(message_history=history))
        assert "It is noon." in str(asked)
        assert [one.role for one in ctx.history.synced] == ["user"]
