"""Deep agents with Loom in them: no summarizer, and windows of their own for agents below."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("deepagents", reason="deepagents is not installed")
pytest.importorskip("langchain_openai", reason="langchain-openai is not installed")
pytest.importorskip("langgraph.checkpoint.sqlite", reason="langgraph-checkpoint-sqlite is missing")

from deepagents import create_deep_agent
from langgraph.checkpoint.memory import InMemorySaver

import loom
from loom.adapters.langchain import LoomMiddleware
from tests.kit.awaited import awaited
from tests.kit.langchain_agents import (
    asks,
    is_whole,
    model_of,
    no_fault,
    read_file,
    saver_in,
    sessions_in,
    thread,
)
from tests.kit.scripted_server import ScriptedServer, Wire, said
from tests.providers.serving.prompt import tokens_of

WINDOW = 24_576  # their own tools and instructions take some 6,000 of it


def survey(name: str, many: int) -> Any:
    """A script: a tool of the test's, a large file written, notes; then an answer."""

    def script(messages: list[Wire], step: int) -> Any:
        if step >= many:
            return "All done."
        if step % 4 == 1:
            text = "\n".join(f"{step}.{line}: {line * 7919 % 10_007}" for line in range(300))
            return said("", ("write_file", {"file_path": f"/f{step}.txt", "content": text}))
        note = ("working", {"action": "note", "text": f"note {step}"})
        read = (name, {"path": f"a{step}.py"})
        return said("", note) if step % 7 == 3 else said(f"Step {step}.", read)

    return script


def deep(model: Any, saver: Any, sessions: Any, **more: Any) -> Any:
    """A deep agent with a tool beside its own."""
    survey_file = read_file.model_copy(update={"name": "survey_file"})
    given: dict[str, Any] = {"tools": [survey_file], "system_prompt": "You read."}
    middleware = [LoomMiddleware(sessions)]
    return create_deep_agent(model, checkpointer=saver, middleware=middleware, **{**given, **more})


def test_their_summarizer_is_not_there(tmp_path: Path) -> None:
    """A thread of three windows is asked about as often as it has steps: nothing sums it up."""
    with (
        ScriptedServer(survey("survey_file", 50), limit=WINDOW) as server,
        saver_in(tmp_path) as saver,
        sessions_in(tmp_path, window=WINDOW) as sessions,
    ):
        profile = {"max_input_tokens": WINDOW}  # theirs would act at 0.85 of it
        agent = deep(model_of(server, profile=profile), saver, sessions)
        state = agent.invoke(asks("Go on."), thread())
        assert state["messages"][-1].text == "All done."
        no_fault(server)
        assert len(server.exchanges) == 51
        listed = [[m.content, getattr(m, "tool_calls", [])] for m in state["messages"]]
        assert tokens_of(json.dumps(listed)) > 3 * WINDOW
        assert "_summarization_event" not in agent.get_state(thread()).values
        assert "/f1.txt" in state["files"]
        is_whole(sessions.of("thread-1"), state["messages"])


def delegating(messages: list[Wire], step: int) -> Any:
    """A script: two tasks at once, each of which reads three files."""
    heard = next(m["content"] for m in messages if m["role"] == "user")
    results = sum(m["role"] == "tool" for m in messages)
    if "Delegate" in heard:
        kind = "general-purpose"
        tasks = [
            ("task", {"description": f"Task {number}.", "subagent_type": kind}) for number in (1, 2)
        ]
        return "Both done." if results else said("", *tasks)
    if results < 3:
        return said("", ("survey_file", {"path": f"{results}.py"}))
    return f"Done: {heard}"


TOLD = ["Done: Task 1.", "Done: Task 2.", "Both done."]


@awaited
async def test_agents_below_have_windows_of_their_own(tmp_path: Path) -> None:
    """Two tasks at once: each has its own messages, and none of them comes into another's."""
    with (
        ScriptedServer(delegating, limit=WINDOW) as server,
        sessions_in(tmp_path, window=WINDOW) as sessions,
    ):
        agent = deep(model_of(server), InMemorySaver(), sessions)
        state = await agent.ainvoke(asks("Delegate."), thread())
        assert [m.text for m in state["messages"][2:]] == TOLD
        no_fault(server)
        is_whole(sessions.of("thread-1"), state["messages"])
        assert [*sessions._open] == ["thread-1"]  # those of tasks that ended are closed
        assert len([*(tmp_path / "loom").iterdir()]) == 3


def test_one_context_is_the_agent_aboves(tmp_path: Path) -> None:
    """Agents below it are asked as without Loom, at once and in threads."""
    with (
        ScriptedServer(delegating, limit=WINDOW) as server,
        loom.open(tmp_path / "w", durable=False, window=WINDOW) as ctx,
    ):
        agent = deep(model_of(server), None, ctx)
        messages = agent.invoke(asks("Delegate."))["messages"]
        assert [m.text for m in messages[2:]] == TOLD
        no_fault(server)
        is_whole(ctx, messages)
        marked = [ctx.window.config.mark in json.dumps(body) for body in server.bodies]
        assert marked == [True, *[False] * 8, True]
