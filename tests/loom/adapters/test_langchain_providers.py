"""Other models of LangChain's with Loom before them, structured answers, and broken calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("langchain", reason="langchain is not installed")
pytest.importorskip("langchain_openai", reason="langchain-openai is not installed")
pytest.importorskip("langgraph.checkpoint.sqlite", reason="langgraph-checkpoint-sqlite is missing")

from langchain.agents.middleware import (
    HumanInTheLoopMiddleware,
    SummarizationMiddleware,
)
from langchain.agents.structured_output import ProviderStrategy, ToolStrategy
from langchain_core.messages import HumanMessage
from langchain_core.tools import ToolException, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from pydantic import BaseModel

from tests.kit.cases import all_cases, each_value
from tests.kit.langchain_agents import (
    WINDOW,
    asks,
    is_whole,
    model_of,
    no_fault,
    reader,
    sessions_in,
    survey,
    thread,
)
from tests.kit.scripted_server import ScriptedServer, Wire, said
from tests.providers.serving.pictures import chat, png, url


class Found(BaseModel):
    """What was found."""

    files: int
    note: str = ""


def thinking(script: Any) -> Any:
    """The script of a model that thinks before everything it says."""

    def thinks(messages: list[Wire], step: int) -> Any:
        line = script(messages, step)
        line = said(line) if isinstance(line, str) else line
        return line._replace(thought=f"Step {step} it is, as I see it.")

    return thinks


def claude(server: ScriptedServer, **more: Any) -> Any:
    """LangChain's client of Anthropic's API, thinking."""
    models = pytest.importorskip("langchain_anthropic", reason="langchain-anthropic is missing")
    return models.ChatAnthropic(
        model="claude-3-7-sonnet-20250219",
        base_url=server.url,
        api_key="key",
        max_retries=0,
        max_tokens=2_000,
        thinking={"type": "enabled", "budget_tokens": 1_024},
        **more,
    )


def gpt(server: ScriptedServer, **more: Any) -> Any:
    """LangChain's client of the Responses API, whose reasoning comes back encrypted."""
    include = ["reasoning.encrypted_content"]
    given = {"model": "gpt-5", "use_responses_api": True, "include": include, "store": False}
    return model_of(server, **given, **more)


@all_cases(("model", "streaming"), each_value([claude, gpt], [True, False]))
def test_reasoning_comes_back(tmp_path: Path, model: Any, streaming: bool) -> None:
    """Signed thinking stands where it was, and leaves with what it was thought about."""
    with (
        ScriptedServer(thinking(survey(25)), limit=WINDOW + 2_000) as server,
        sessions_in(tmp_path) as sessions,
    ):
        agent = reader(model(server, streaming=streaming), InMemorySaver(), sessions)
        messages = agent.invoke(asks("Go on."), thread())["messages"]
        assert messages[-1].text == "All 25 read."
        no_fault(server)
        is_whole(sessions.of("thread-1"), messages)
        kinds = {"thinking", "encrypted_content"}
        sent = [json.dumps(body) for body in server.bodies[1:]]
        given = [one for one in sent if any(f'"{kind}":' in one for kind in kinds)]
        assert len(given) > 15


@pytest.mark.parametrize("strategy", [ToolStrategy, ProviderStrategy])
def test_structured_answers(tmp_path: Path, strategy: Any) -> None:
    """They are LangChain's: by a tool of its own or by the provider, Loom's calls beside them."""
    made = {"files": 3, "note": "all"}

    def script(messages: list[Wire], step: int) -> Any:
        if step % 3 == 0:
            return said("", ("note", {"text": f"note {step}"}))
        if step % 3 == 1:
            return said("", ("read_file", {"path": "a.py"}), ("note", {"text": "more"}))
        return said("", ("Found", made)) if strategy is ToolStrategy else json.dumps(made)

    with (
        ScriptedServer(script, limit=WINDOW) as server,
        sessions_in(tmp_path) as sessions,
    ):
        format = strategy(Found)
        agent = reader(model_of(server), InMemorySaver(), sessions, response_format=format)
        for text in ("Find.", "Find more."):
            state = agent.invoke(asks(text), thread())
            assert state["structured_response"] == Found(**made)
            no_fault(server)
        known = sessions.of("thread-1").history.synced
        messages = state["messages"]
        assert [one.id for one in known] == [m.id for m in messages[: len(known)]]
        assert len(messages) - len(known) == (2 if strategy is ToolStrategy else 1)
        wanted = [body.get("response_format", body["tools"]) for body in server.bodies]
        assert all("Found" in json.dumps(one) for one in wanted)


def test_calls_that_are_no_json(tmp_path: Path) -> None:
    """LangChain answers a torn call of the agent's as it does, Loom answers one of its own."""

    def script(messages: list[Wire], step: int) -> Any:
        torn = [
            said("", ("note", '{"text": "x'), ("read_file", {"path": "a.py"})),
            said("", ("read_file", '{"path": "a'), ("read_file", {"path": "b.py"})),
            said("", ("note", "[1, 2")),
        ]
        return torn[step] if step < len(torn) else "Done."

    with ScriptedServer(script, limit=WINDOW) as server, sessions_in(tmp_path) as sessions:
        agent = reader(model_of(server), InMemorySaver(), sessions)
        messages = agent.invoke(asks("Go on."), thread())["messages"]
        assert messages[-1].text == "Done."
        no_fault(server)
        assert len(server.bodies) == 4
        agent.invoke(asks("Again."), thread())
        no_fault(server)
        said_of = [m for m in server.bodies[-1]["messages"] if m["role"] == "tool"]
        assert len(said_of) == 5 and sum("malformed" in m["content"] for m in said_of) == 1


def test_what_a_tool_and_a_user_give(tmp_path: Path) -> None:
    """A tool's failure is one for Loom too; pictures of both reach the model."""

    @tool
    def look(path: str) -> list[Any]:
        """Look at a picture."""
        if path == "none.png":
            raise ToolException("there is no such picture")
        return [{"type": "text", "text": path}, shown]

    def script(messages: list[Wire], step: int) -> Any:
        paths = ("none.png", "b.png")
        return said("", *(("look", {"path": path}) for path in paths)) if step == 0 else "Grey."

    look.handle_tool_error = True
    shown = chat(url(png(32, 32)))
    with ScriptedServer(script, limit=WINDOW) as server, sessions_in(tmp_path) as sessions:
        agent = reader(model_of(server), InMemorySaver(), sessions, tools=[look])
        asked = HumanMessage([{"type": "text", "text": "What is it?"}, chat(url(png(48, 48)))])
        messages = agent.invoke({"messages": [asked]}, thread())["messages"]
        assert messages[-1].text == "Grey."
        no_fault(server)
        ctx = sessions.of("thread-1")
        calls = [call["id"] for call in messages[1].tool_calls]
        held = ctx.history.restore(ctx._engine.workspace.index.calls[calls[0]])
        assert held.errors == (calls[0],)
        pictures = json.dumps(server.bodies[-1]).count('"image_url": {')
        assert pictures == 2
        agent.invoke(asks("And now?"), thread())
        no_fault(server)
        assert len(server.bodies) == 3


def test_a_human_decides(tmp_path: Path) -> None:
    """Calls wait for a human; what was changed or refused is told to the model as ever."""

    def script(messages: list[Wire], step: int) -> Any:
        read = [("read_file", {"path": path}) for path in ("a.py", "b.py")]
        return said("", read[0], ("note", {"text": "x"}), read[1]) if step == 0 else "Done."

    with ScriptedServer(script, limit=WINDOW) as server, sessions_in(tmp_path) as sessions:
        approval = HumanInTheLoopMiddleware({"read_file": True})
        agent = reader(model_of(server), InMemorySaver(), sessions, middleware=[approval])
        (interrupt,) = agent.invoke(asks("Go on."), thread())["__interrupt__"]
        assert [one["name"] for one in interrupt.value["action_requests"]] == ["read_file"] * 2
        other = {"name": "read_file", "args": {"path": "other.py"}}
        edit = {"type": "edit", "edited_action": other}
        decided = {"decisions": [edit, {"type": "reject", "message": "Not this one."}]}
        messages = agent.invoke(Command(resume=decided), thread())["messages"]
        assert messages[-1].text == "Done."
        no_fault(server)
        is_whole(sessions.of("thread-1"), messages)
        results = [m["content"] for m in server.bodies[-1]["messages"] if m["role"] == "tool"]
        assert "other.py:0" in results[0] and "Not this one." in results[2]


def test_two_summarizers_are_refused(tmp_path: Path) -> None:
    """LangChain's own would take messages out of the thread: an agent has one of the two."""
    with ScriptedServer(survey(2)) as server, sessions_in(tmp_path) as sessions:
        model = model_of(server)
        theirs = SummarizationMiddleware(model, trigger=("tokens", 1_000))
        with pytest.raises(AssertionError, match="duplicate middleware"):
            reader(model, InMemorySaver(), sessions, middleware=[theirs])
