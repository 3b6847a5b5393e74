"""Agents of LangChain for tests: a reader of files, its threads in SQLite, a scripted model."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.sqlite import SqliteSaver

import loom
from loom.adapters.sessions import Sessions
from tests.kit.scripted_server import ScriptedServer
from tests.kit.steps import no_fault, text_of  # noqa: F401

WINDOW = 16_384
MODEL = "gpt-4.1"
GOAL = "Read every file."


@tool
def read_file(path: str) -> str:
    """Read a file."""
    return text_of(path)


def model_of(server: ScriptedServer, key: str = "key", **more: Any) -> ChatOpenAI:
    """LangChain's client of the server."""
    given = {"model": MODEL, "api_key": key, "base_url": server.v1, "max_retries": 0, **more}
    return ChatOpenAI(**given)


def sessions_in(folder: Path, **more: Any) -> Sessions:
    """The contexts of all threads."""
    return Sessions(folder / "loom", **{"durable": False, "window": WINDOW, "goal": GOAL, **more})


@contextmanager
def saver_in(folder: Path) -> Iterator[SqliteSaver]:
    """LangGraph's own persistence."""
    with closing(sqlite3.connect(folder / "threads.db", check_same_thread=False)) as connection:
        yield SqliteSaver(connection)


def thread(name: str = "thread-1", **more: Any) -> Any:
    """The configuration of a run of a thread."""
    return {"configurable": {"thread_id": name, **more}, "recursion_limit": 1_000}


def asks(text: str) -> dict[str, Any]:
    """The input of a run: what the user says."""
    return {"messages": [HumanMessage(text)]}


def is_whole(ctx: loom.Context, messages: list[BaseMessage]) -> None:
    """Each message of a thread has one standing entry, none has two, and all come back.

    The last reply is known by its list at the next request only.
    """
    known = ctx.history.synced
    assert [one.id for one in known] == [one.id for one in messages[:-1]]
    assert ctx.text == messages[-1].text
    spoken = [one for one in known if one.role in ("user", "assistant")]
    entries = [one.entry for one in spoken]
    assert all(entries) and len({*entries}) == len(entries)
    own = ctx.tools.own
    for one, message in zip(known, messages[:-1], strict=True):
        if isinstance(message, ToolMessage):
            step = ctx._engine.workspace.index.calls[message.tool_call_id]
            assert ctx.history.restore(step).results[message.tool_call_id] == message.text
        elif isinstance(message, AIMessage):
            calls = {call["id"] for call in message.tool_calls}
            reply = ctx.history.restore(one.entry).reply
            assert reply and calls == {c.id for c in reply.calls if c.name not in own}
            assert not {call["name"] for call in message.tool_calls} & own
        else:
            assert ctx.history.restore(one.entry).text == message.text
