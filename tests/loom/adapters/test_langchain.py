"""LangChain's agents with Loom in them, against a server that refuses what is not lawful."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import openai
import pytest

pytest.importorskip("langchain", reason="langchain is not installed")
pytest.importorskip("langchain_openai", reason="langchain-openai is not installed")
pytest.importorskip("langgraph.checkpoint.sqlite", reason="langgraph-checkpoint-sqlite is missing")

from langchain_core.messages import HumanMessage, RemoveMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

import loom
from tests.kit.cases import all_cases, each_value, some
from tests.kit.langchain_agents import (
    GOAL,
    MODEL,
    WINDOW,
    alike,
    asks,
    is_whole,
    model_of,
    no_fault,
    read_file,
    reader,
    saver_in,
    sessions_in,
    survey,
    text_of,
    thread,
)
from tests.kit.scripted_server import ScriptedServer

ROOT = Path(loom.__file__).parents[1]


def test_sixty_steps(tmp_path: Path) -> None:
    """Sixty steps in a small window: nothing is refused, the thread keeps every message."""
    with (
        ScriptedServer(survey(60), limit=WINDOW) as server,
        saver_in(tmp_path) as saver,
        sessions_in(tmp_path) as sessions,
    ):
        agent = reader(model_of(server), saver, sessions)
        messages = agent.invoke(asks("Go on."), thread())["messages"]
        assert messages[-1].text == "All 60 read."
        no_fault(server)
        ctx = sessions.of("thread-1")
        assert ctx.window.history.next_id == 63  # the user's message, 61 replies
        is_whole(ctx, messages)
        assert server.exchanges[-1].tokens < 0.9 * WINDOW
        messages = agent.invoke(asks("Once more."), thread())["messages"]
        is_whole(ctx, messages)


def test_awaited_and_streamed(tmp_path: Path) -> None:
    """The same awaited, with tokens as they come; the thread has them whole."""

    async def go() -> None:
        place = str(tmp_path / "threads.db")
        async with AsyncSqliteSaver.from_conn_string(place) as saver:
            agent = reader(model_of(server), saver, sessions)
            told = []
            stream = agent.astream(asks("Go on."), thread(), stream_mode="messages")
            async for chunk, _ in stream:
                told.append(chunk.text if chunk.type == "AIMessageChunk" else "")
            assert len(told) > 100 and "All 20 read." in "".join(told)
            state = await agent.aget_state(thread())
            no_fault(server)
            assert all(one.streamed for one in server.exchanges)
            is_whole(sessions.of("thread-1"), state.values["messages"])

    with ScriptedServer(survey(20), limit=WINDOW) as server, sessions_in(tmp_path) as sessions:
        asyncio.run(go())


def test_the_requests_are_those_of_the_plain_loop(tmp_path: Path) -> None:
    """Whoever calls `user`, `reply`, `result` and `turn` sends the same messages."""
    with (
        ScriptedServer(survey(40), limit=WINDOW) as server,
        ScriptedServer(survey(40), limit=WINDOW) as plain,
        sessions_in(tmp_path) as sessions,
        openai.OpenAI(api_key="key", base_url=plain.v1, max_retries=0) as client,
        loom.open(tmp_path / "plain", durable=False, window=WINDOW, goal=GOAL) as ctx,
    ):
        reader(model_of(server), InMemorySaver(), sessions).invoke(asks("Go on."), thread())
        ctx.tools.declare(convert_to_openai_tool(read_file))
        ctx.system("You read.")
        ctx.user("Go on.")
        while not ctx.done:
            request = ctx.turn().request("openai", model=MODEL)
            ctx.reply(client.chat.completions.create(**request))
            for call in ctx.calls:
                ctx.result(call, text_of(json.loads(call.arguments)["path"]))
        assert len(server.exchanges) == len(plain.exchanges) == 41
        ours = sessions.of("thread-1")
        for one, other in zip(server.bodies, plain.bodies, strict=True):
            assert alike(one["messages"], ours) == alike(other["messages"], ctx)
            names = [[tool["function"]["name"] for tool in body["tools"]] for body in (one, other)]
            assert sorted(names[0]) == sorted(names[1])


CHILD = """
import os, sys
from pathlib import Path
from langchain_core.tools import tool
from tests.kit import langchain_agents as kit

@tool
def read_file(path: str) -> str:
    "Read a file."
    if path == sys.argv[3]:
        os._exit(9)
    return kit.text_of(path)

class Place:
    v1 = sys.argv[1]

folder = Path(sys.argv[2])
with kit.saver_in(folder) as saver, kit.sessions_in(folder) as sessions:
    agent = kit.reader(kit.model_of(Place), saver, sessions, tools=[read_file])
    agent.invoke(kit.asks("Go on."), kit.thread())
"""


@pytest.mark.parametrize("into", some(["a19.py", "b16.py"], 1))  # beside a note, one of two
def test_a_process_that_dies(tmp_path: Path, into: str) -> None:
    """It dies within a tool; another goes on from the thread, and nothing is there twice."""
    with ScriptedServer(survey(30), limit=WINDOW) as server:
        command = [sys.executable, "-c", CHILD, server.v1, str(tmp_path), into]
        trees = os.pathsep.join(map(str, (ROOT, ROOT / "partitions", ROOT / "paging")))
        env = {**os.environ, "PYTHONPATH": trees}
        done = subprocess.run(command, env=env, capture_output=True, check=False, timeout=120)
        assert done.returncode == 9, done.stderr.decode()
        with saver_in(tmp_path) as saver, sessions_in(tmp_path) as sessions:
            agent = reader(model_of(server), saver, sessions)
            before = agent.get_state(thread()).values["messages"]
            messages = agent.invoke(None, thread())["messages"]
            assert [one.id for one in messages[: len(before)]] == [one.id for one in before]
            assert messages[-1].text == "All 30 read."
            no_fault(server)
            is_whole(sessions.of("thread-1"), messages)
            assert len(server.exchanges) == 31


def test_a_lost_reply_is_asked_for_again(tmp_path: Path) -> None:
    """A process may die after Loom took a reply, before LangGraph wrote it: it is undone."""
    with (
        ScriptedServer(survey(12), limit=WINDOW) as server,
        saver_in(tmp_path) as saver,
        sessions_in(tmp_path) as sessions,
    ):
        agent = reader(model_of(server), saver, sessions)
        agent.invoke(asks("Go on."), thread(), interrupt_before=["tools"])
        ctx = sessions.of("thread-1")
        ctx.result(ctx.calls[0], text_of("a0.py"))
        ctx.reply(model_reply := {"role": "assistant", "content": "Never listed."})
        messages = agent.invoke(None, thread())["messages"]
        no_fault(server)
        is_whole(ctx, messages)
        assert model_reply["content"] not in json.dumps(server.bodies)


def test_an_edited_thread(tmp_path: Path) -> None:
    """Messages that are removed or changed are undone in the request; both can be restored."""
    with (
        ScriptedServer(survey(20), limit=WINDOW) as server,
        saver_in(tmp_path) as saver,
        sessions_in(tmp_path) as sessions,
    ):
        agent, ctx = reader(model_of(server), saver, sessions), sessions.of("thread-1")
        agent.invoke(asks("First."), thread())
        messages = agent.invoke(asks("Second."), thread())["messages"]
        changed = HumanMessage("Another second.", id=messages[-2].id)
        update = {"messages": [RemoveMessage(messages[-1].id), changed]}
        agent.update_state(thread(), update)
        messages = agent.invoke(asks("Third."), thread())["messages"]
        assert [one.text for one in messages[-3:-1]] == ["Another second.", "Third."]
        no_fault(server)
        is_whole(ctx, messages)
        asked = json.dumps(server.bodies[-1]["messages"])
        assert "Another second." in asked and '"Second."' not in asked
        entries = range(1, ctx.window.history.next_id)
        assert "Second." in [ctx.history.restore(entry).text for entry in entries]
        inner = [one.id for one in messages[4:8]]  # whole steps, out of the middle
        agent.update_state(thread(), {"messages": [RemoveMessage(id) for id in inner]})
        messages = agent.invoke(asks("Fourth."), thread())["messages"]
        assert not {one.id for one in messages} & {*inner}
        no_fault(server)
        is_whole(ctx, messages)


def test_time_travel(tmp_path: Path) -> None:
    """A run from an earlier checkpoint goes on from there; one from the other branch too."""
    with (
        ScriptedServer(survey(12), limit=WINDOW) as server,
        saver_in(tmp_path) as saver,
        sessions_in(tmp_path) as sessions,
    ):
        agent, ctx = reader(model_of(server), saver, sessions), sessions.of("thread-1")
        whole = agent.invoke(asks("Go on."), thread())["messages"]
        newest = agent.get_state(thread()).config
        states = [*agent.get_state_history(thread())]
        asking = (one for one in states if one.next == ("model",))
        past = next(one for one in asking if len(one.values["messages"]) == 6)
        messages = agent.invoke(None, past.config)["messages"]
        assert [m.id for m in messages[:6]] == [m.id for m in whole[:6]]
        assert messages[6].id != whole[6].id
        no_fault(server)
        is_whole(ctx, messages)
        back = {**newest, "recursion_limit": 1_000}
        messages = agent.invoke(asks("And now?"), back)["messages"]
        assert [m.id for m in messages[: len(whole)]] == [m.id for m in whole]
        no_fault(server)
        is_whole(ctx, messages)


@all_cases(("too_long", "streaming"), each_value(["stated", "unstated", "413"], [True, False]))
def test_too_long(tmp_path: Path, too_long: str, streaming: bool) -> None:
    """The provider's window is half of what Loom was told: it is asked again, smaller."""
    with (
        ScriptedServer(survey(20), limit=WINDOW // 2, too_long=too_long) as server,
        saver_in(tmp_path) as saver,
        sessions_in(tmp_path) as sessions,
    ):
        agent = reader(model_of(server, streaming=streaming), saver, sessions)
        messages = agent.invoke(asks("Go on."), thread())["messages"]
        assert messages[-1].text == "All 20 read."
        assert server.refused and len(server.accepted) == 21
        assert server.faults == []
        is_whole(sessions.of("thread-1"), messages)


@pytest.mark.parametrize("clean", [False, True], ids=["hung up", "ended early"])
def test_a_stream_that_breaks(tmp_path: Path, clean: bool) -> None:
    """It leaves no record: the thread and Loom stand as before, and the run can be gone on with."""
    with (
        ScriptedServer(survey(12), limit=WINDOW) as server,
        saver_in(tmp_path) as saver,
        sessions_in(tmp_path) as sessions,
    ):
        agent = reader(model_of(server, streaming=True), saver, sessions)
        agent.invoke(asks("Go on."), thread(), interrupt_before=["tools"])
        agent.invoke(None, thread(), interrupt_before=["tools"])
        ctx = sessions.of("thread-1")
        server.break_next(2, clean=clean)
        known = len(agent.get_state(thread()).values["messages"])
        with pytest.raises(Exception):  # noqa: B017 - whichever error the client has for it
            agent.invoke(None, thread())
        assert len(ctx.history.synced) == known + 2  # the results of two calls
        assert not ctx.calls and not ctx.done
        messages = agent.invoke(None, thread())["messages"]
        assert messages[-1].text == "All 12 read."
        no_fault(server)
        is_whole(ctx, messages)


def test_a_thread_is_a_session(tmp_path: Path) -> None:
    """Threads are told apart; a run without one is refused, unless there is one context for all."""
    with (
        ScriptedServer(survey(2), limit=WINDOW) as server,
        sessions_in(tmp_path) as sessions,
        loom.open(tmp_path / "one", durable=False, window=WINDOW) as ctx,
    ):
        agent = reader(model_of(server), InMemorySaver(), sessions)
        agent.invoke(asks("One."), thread("one"))
        agent.invoke(asks("Two."), thread("two"))
        said = [sessions.of(name).history.restore(1).text for name in ("one", "two")]
        assert said == ["One.", "Two."]
        with pytest.raises(loom.LoomError, match="without a thread_id"):
            reader(model_of(server), None, sessions).invoke(asks("Three."))
        reader(model_of(server), None, ctx).invoke(asks("Four."))
        assert ctx.history.restore(1).text == "Four."
        no_fault(server)
