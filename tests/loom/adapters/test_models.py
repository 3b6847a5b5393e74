"""Agents whose model is an object with one method, their clients pointed at a scripted server."""

from __future__ import annotations

import asyncio
import gc
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import loom
from loom.adapters.models import wrap
from tests.kit.cases import all_cases
from tests.kit.pages import blocks_of, printed
from tests.kit.scripted_server import ScriptedServer, said

WINDOW = 16_000
OWN = loom.Policy(own_tools=False)


# litellm leaves an event loop open, and smolagents its clients: both are let go within each test.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(autouse=True)
def let_go() -> Iterator[None]:
    """Collect what the libraries left."""
    yield
    asyncio.set_event_loop(None)
    gc.collect()


def text_of(path: str) -> str:
    """What stands in a file: some 5,000 characters, the same each time."""
    return "\n".join(f"{path}:{line} = {line * 7919 % 10_007}" for line in range(200))


def opened(folder: Path, **more: Any) -> loom.Context:
    """The workspace of an agent that has its own tools alone."""
    return loom.open(folder, window=WINDOW, durable=False, policy=OWN, **more)


def is_whole(ctx: loom.Context, many: int) -> None:
    """Every message of a list of so many has a standing entry, none of them twice."""
    entries = [one.entry for one in ctx.history.synced if one.role in ("user", "assistant")]
    assert all(entries) and len(set(entries)) == len(entries)
    assert len(ctx.history.synced) == many
    for entry in entries:
        ctx.history.restore(entry)


class Counter:
    """A model of no framework."""

    name = "counter"

    def query(self, messages: list[Any]) -> Any:
        """The number of messages."""
        return {"role": "assistant", "content": str(len(messages))}


def test_what_cannot_be_wrapped(tmp_path: Path) -> None:
    """An object of another kind, and a context that answers tools itself: typed errors."""
    with opened(tmp_path / "one") as ctx, pytest.raises(loom.UnsupportedRun):
        wrap(object(), ctx)
    with loom.open(tmp_path / "two", durable=False) as ctx, pytest.raises(loom.UnsupportedRun):
        wrap(Counter(), ctx)


def test_attributes_are_the_models(tmp_path: Path) -> None:
    """They are read from it, and set on it."""
    model = Counter()
    with opened(tmp_path / "w") as ctx:
        wrapped = wrap(model, ctx)
        assert wrapped.name == "counter"
        wrapped.name = "other"
        assert model.name == "other"
        with pytest.raises(AttributeError):
            _ = wrapped.missing
        assert wrapped.query([{"role": "user", "content": "Hi."}])["role"] == "assistant"
        assert ctx.done


# mini-swe-agent


def mini(server: ScriptedServer, folder: Path, ctx: loom.Context, **more: Any) -> Any:
    """Its agent, in a folder of files to read."""
    os.environ.update(MSWEA_SILENT_STARTUP="1", LITELLM_LOCAL_MODEL_COST_MAP="True")
    os.environ["MSWEA_GLOBAL_CONFIG_DIR"] = str(folder / "config")
    pytest.importorskip("minisweagent", reason="mini-swe-agent is not installed")
    from minisweagent.agents.default import DefaultAgent
    from minisweagent.environments.local import LocalEnvironment
    from minisweagent.models.litellm_model import BASH_TOOL, LitellmModel

    ctx.tools.declare(BASH_TOOL)
    model = LitellmModel(
        model_name="openai/gpt-5",
        model_kwargs={"api_base": server.v1, "api_key": "key"},
        cost_tracking="ignore_errors",
    )
    files = folder / "files"
    files.mkdir(exist_ok=True)
    for number in range(60):
        (files / f"f{number}.py").write_text(text_of(f"f{number}.py"))
    return DefaultAgent(
        wrap(model, ctx),
        LocalEnvironment(cwd=str(files)),
        system_template="You read.",
        instance_template="{{task}}",
        cost_limit=0,
        **more,
    )


SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && echo done"


def reading(many: int) -> Any:
    """A script: a file, or two at once, in each of so many steps; then what was done."""

    def script(messages: Any, step: int) -> Any:
        if step >= many:
            return said("Done.", ("bash", {"command": SUBMIT}))
        again = [("bash", {"command": f"cat f{step}.py"})] * (1 + step % 3 // 2)
        return said(f"Step {step}.", *again)

    return script


def test_sixty_steps_of_mini_swe_agent(tmp_path: Path) -> None:
    """Sixty files in a small window: nothing is refused, and its own list is whole."""
    with (
        ScriptedServer(reading(60), limit=WINDOW) as server,
        opened(tmp_path / "w", goal="Read all.") as ctx,
    ):
        agent = mini(server, tmp_path, ctx)
        result = agent.run("Go on.")
        assert result == {"exit_status": "Submitted", "submission": "done\n"}
        assert [one.answer for one in server.refused] == [] and server.faults == []
        assert len(server.bodies) == 61
        assert max(one.tokens for one in server.exchanges) < WINDOW
        said_by_tools = [one["content"] for one in agent.messages if one["role"] == "tool"]
        assert len(said_by_tools) == 80 and all(len(one) > 2_000 for one in said_by_tools)
        is_whole(ctx, len(agent.messages) - 3)  # instructions, the last reply, the exit


def test_an_overflow_of_mini_swe_agent(tmp_path: Path) -> None:
    """The provider's window is half of what the workspace was told: asked again, smaller."""
    with (
        ScriptedServer(reading(12), limit=8_000) as server,
        opened(tmp_path / "w") as ctx,
    ):
        agent = mini(server, tmp_path, ctx)
        assert agent.run("Go on.")["submission"] == "done\n"
        assert server.refused and server.faults == []
        is_whole(ctx, len(agent.messages) - 3)  # instructions, the last reply, the exit


def test_mini_swe_agent_goes_on_after_a_reopening(tmp_path: Path) -> None:
    """Its list in another process, and the workspace opened again: nothing is taken in twice."""
    with ScriptedServer(reading(20), limit=WINDOW) as server:
        with opened(tmp_path / "w") as ctx:
            agent = mini(server, tmp_path, ctx, step_limit=10)
            assert agent.run("Go on.")["exit_status"] == "LimitsExceeded"
            kept = json.loads(json.dumps(agent.messages[:-1]))
        with opened(tmp_path / "w") as ctx:
            agent = mini(server, tmp_path, ctx)
            agent.messages = kept
            while agent.messages[-1]["role"] != "exit":
                try:
                    agent.step()
                except Exception as error:
                    agent.add_messages(*error.messages)
            assert [one.answer for one in server.refused] == [] and server.faults == []
            assert len(server.bodies) == 21
            is_whole(ctx, len(agent.messages) - 3)  # instructions, the last reply, the exit


def test_a_format_error_of_mini_swe_agent(tmp_path: Path) -> None:
    """A reply its model refuses is none; what the agent says of it is taken in."""
    script = reading(3)
    with (
        ScriptedServer(
            lambda messages, step: "No call." if step == 1 else script(messages, step)
        ) as server,
        opened(tmp_path / "w") as ctx,
    ):
        agent = mini(server, tmp_path, ctx)
        assert agent.run("Go on.")["submission"] == "done\n"
        assert [one.answer for one in server.refused] == [] and server.faults == []
        asked = json.dumps(server.bodies[-1])
        assert "No tool calls found" in asked and "No call." not in asked
        is_whole(ctx, len(agent.messages) - 3)  # instructions, the last reply, the exit


# smolagents


def smol(server: ScriptedServer, ctx: loom.Context, kind: str, **more: Any) -> Any:
    """Its agent, with a tool that reads."""
    smolagents = pytest.importorskip("smolagents", reason="smolagents is not installed")
    pytest.importorskip("openai")

    class ReadFile(smolagents.Tool):  # type: ignore[misc, name-defined]
        """Reads files."""

        name = "read_file"
        description = "Read a file."
        inputs = {"path": {"type": "string", "description": "Which."}}  # noqa: RUF012
        output_type = "string"

        def forward(self, path: str) -> str:
            """What stands there."""
            return text_of(path)

    model = smolagents.OpenAIModel(
        "gpt-4.1", api_base=server.v1, api_key="key", client_kwargs={"max_retries": 0}
    )
    return getattr(smolagents, kind)(
        tools=[ReadFile()], model=wrap(model, ctx), max_steps=100, verbosity_level=0, **more
    )


def in_code(many: int) -> Any:
    """A script that reads a file in each of so many steps, in code."""

    def script(messages: Any, step: int) -> str:
        if step >= many:
            return "Thought: done.\n<code>\nfinal_answer('done')\n</code>"
        return f"Thought: step {step}.\n<code>\nprint(read_file('f{step}.py'))\n</code>"

    return script


def by_calls(many: int) -> Any:
    """The same by calls, now and then two at once."""

    def script(messages: Any, step: int) -> Any:
        if step >= many:
            return said("", ("final_answer", {"answer": "done"}))
        paths = [f"f{step}.py", f"g{step}.py"][: 1 + step % 3 // 2]
        return said(f"Step {step}.", *(("read_file", {"path": path}) for path in paths))

    return script


@all_cases(("kind", "script"), [("CodeAgent", in_code), ("ToolCallingAgent", by_calls)])
@all_cases("streamed", [False, True], ids=["whole", "streamed"])
def test_sixty_steps_of_smolagents(tmp_path: Path, kind: str, script: Any, streamed: bool) -> None:
    """Sixty files in a small window: nothing is refused, and its own memory is whole."""
    with (
        ScriptedServer(script(60), limit=WINDOW) as server,
        opened(tmp_path / "w", goal="Read all.") as ctx,
    ):
        agent = smol(server, ctx, kind, stream_outputs=streamed)
        assert agent.run("Go on.") == "done"
        assert [one.answer for one in server.refused] == [] and server.faults == []
        assert len(server.bodies) == 61
        assert max(one.tokens for one in server.exchanges) < WINDOW
        listed = agent.write_memory_to_messages()
        assert sum(str(one.content).count(":199 = ") for one in listed) >= 60
        last = len(agent.memory.steps[-1].to_messages())
        is_whole(ctx, len(listed) - last - 1)


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_an_overflow_of_smolagents(tmp_path: Path, streamed: bool) -> None:
    """The provider's window is half of what the workspace was told: asked again, smaller."""
    with (
        ScriptedServer(by_calls(12), limit=8_000) as server,
        opened(tmp_path / "w") as ctx,
    ):
        agent = smol(server, ctx, "ToolCallingAgent", stream_outputs=streamed)
        assert agent.run("Go on.") == "done"
        assert server.refused and server.faults == [] and len(server.bodies) == 13


def test_plans_of_smolagents_are_asked_as_they_are(tmp_path: Path) -> None:
    """A plan has instructions of its own: it leaves no trace but where the agent lists it."""
    script = by_calls(4)

    def planning(messages: Any, step: int) -> Any:
        return "1. Read." if step in (0, 3) else script(messages, step - 1 - (step > 3))

    with ScriptedServer(planning) as server, opened(tmp_path / "w") as ctx:
        agent = smol(server, ctx, "ToolCallingAgent", planning_interval=2)
        assert agent.run("Go on.") == "done"
        assert [one.answer for one in server.refused] == [] and server.faults == []
        entries = range(1, ctx.window.history.next_id)
        texts = [ctx.history.restore(entry).text or "" for entry in entries]
        assert texts[0] == "New task:\nGo on."


def test_a_second_run_of_smolagents(tmp_path: Path) -> None:
    """A run that goes on from the memory of the last one extends its list."""
    with (
        ScriptedServer(in_code(3)) as server,
        opened(tmp_path / "w") as ctx,
    ):
        agent = smol(server, ctx, "CodeAgent")
        assert agent.run("Go on.") == "done"
        before = [one.entry for one in ctx.history.synced]
        assert agent.run("More.", reset=False) == "done"
        assert [one.entry for one in ctx.history.synced][: len(before)] == before
        assert [one.answer for one in server.refused] == [] and server.faults == []


@pytest.mark.parametrize("number", [0, 1], ids=["mini-swe-agent", "smolagents"])
def test_the_page(tmp_path: Path, number: int) -> None:
    """The blocks of the page run as printed, and once more in the same folder."""
    pytest.importorskip(("minisweagent", "smolagents")[number])
    scripts = (
        lambda messages, step: said("", ("bash", {"command": SUBMIT if step % 2 else "ls"})),
        lambda messages, step: "Thought.\n<code>\nfinal_answer(168)\n</code>",
    )
    with ScriptedServer(scripts[number]) as server:
        for _ in range(2):
            shown = printed(blocks_of("models.md")[number], tmp_path, server.v1)
            assert ("Submitted", "168")[number] in shown and "ρ" in shown
        assert [one.answer for one in server.refused] == [] and server.faults == []
