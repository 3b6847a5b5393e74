"""Loom in inspect: its agents through real evaluations, with scripted models."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from loom.adapters.sessions import Sessions
from loom.providers.counts import counter_for
from tests.kit.pages import blocks_of, printed
from tests.kit.scripted_server import ScriptedServer, said

pytest.importorskip("inspect_ai", reason="inspect-ai is not installed")

import anyio
from inspect_ai import Task, eval
from inspect_ai.agent import Agent, AgentState
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalSample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    ContentImage,
    ContentReasoning,
    ContentText,
    GenerateConfig,
    Model,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.scorer import includes
from inspect_ai.tool import Tool, ToolCall, ToolChoice, ToolInfo, tool

from loom.adapters.inspect_ai import loom_agent, loom_model
from loom.adapters.inspect_messages import messages_to_wire, wire_to_messages

# Those of the libraries beneath are none of ours.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]
WINDOW = 8_192
NAMES = {"Read alder.", "Read birch.", "Read cedar."}
STEP = re.compile(r"Step (\d+)\.")
RULE = "Never change anything under vendor/quartz."
STEPS = 30
Made = tuple[str, list[tuple[str, dict[str, Any]]]]  # what it says, its calls
Script = Callable[[list[ChatMessage], int], Made]


@tool
def read_file() -> Tool:
    """A tool that reads files."""

    async def execute(path: str) -> str:
        """Read a file.

        Args:
            path: Which.
        """
        return text_of(path)

    return execute


def text_of(path: str) -> str:
    """What stands in a file, some 1,200 tokens."""
    return "\n".join(f"{path}:{line} = {line * 7919 % 10_007}" for line in range(120))


class Scripted:
    """A model: `script` says what it does at each step; a request over `limit` is refused."""

    def __init__(self, script: Script, limit: int = 10**9) -> None:
        self.inputs: list[list[ChatMessage]] = []
        self.tools: list[ToolInfo] = []
        self.refused = 0
        self._script = script
        self._limit = limit
        self._count = counter_for()

    def model(self) -> Model:
        """The model."""
        return get_model("mockllm/model", custom_outputs=self)

    def __call__(
        self,
        messages: list[ChatMessage],
        tools: list[ToolInfo],
        choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Its reply."""
        size = self._count("\n".join(one.text for one in messages))
        if size > self._limit:
            self.refused += 1
            told = f"prompt is too long: {size} tokens > {self._limit} maximum"
            output = ModelOutput.from_content("scripted", told, stop_reason="model_length")
            output.usage = ModelUsage()
            return output
        step = len(self.inputs)
        self.inputs.append(messages)
        self.tools = tools
        text, calls = self._script(messages, step)
        made = [ToolCall(f"call_{step}_{n}", name, given) for n, (name, given) in enumerate(calls)]
        output = ModelOutput.from_content("scripted", text)
        output.choices[0].message = ChatMessageAssistant(content=text, tool_calls=made or None)
        output.usage = ModelUsage(input_tokens=size, output_tokens=9, total_tokens=size + 9)
        return output


def reading(messages: list[ChatMessage], step: int) -> Made:
    """A file, or two at once, in each step; then the answer."""
    if step >= STEPS:
        return "", [("submit", {"answer": "done"})]
    paths = [f"f{step}.py", f"g{step}.py"][: 1 + step % 3 // 2]
    return f"Step {step}.", [("read_file", {"path": path}) for path in paths]


def ran(folder: Path, agent: Agent, model: Model, epochs: int = 1, **task: Any) -> list[EvalSample]:
    """The samples of a task of one, solved by an agent."""
    data = [Sample(input=[ChatMessageUser(content="Read all.")], target="done")]
    made = Task(dataset=data, solver=agent, scorer=includes(), epochs=epochs, **task)
    [log] = eval(made, model=model, display="none", log_dir=str(folder / "logs"))
    assert log.status == "success", log.error
    return log.samples or []


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[Sessions]:
    """Workspaces of 8,192 tokens."""
    with Sessions(tmp_path / "runs", window=WINDOW, durable=False) as sessions:
        yield sessions


def text(messages: list[ChatMessage]) -> str:
    """All that a request says."""
    return "\n".join(one.text for one in messages)


def paired(messages: list[ChatMessage]) -> bool:
    """Every call has its result behind it, and every result its call."""
    calls: list[str] = []
    for one in messages:
        if isinstance(one, ChatMessageAssistant):
            calls += [call.id for call in one.tool_calls or ()]
        if isinstance(one, ChatMessageTool):
            calls.remove(str(one.tool_call_id))
    return not calls


def test_no_message_is_changed_while_there_is_room() -> None:
    """What stands as it was listed goes to the model as the same object."""
    thought = ContentReasoning(reasoning="hm", signature="abc")
    call = ToolCall("c1", "read_file", {"path": "é.py"})
    image = ContentImage(image="https://a.example/cat.png", detail="low")
    messages: list[ChatMessage] = [
        ChatMessageSystem(content="Be careful."),
        ChatMessageUser(content=[ContentText(text="Look."), image]),
        ChatMessageAssistant(content=[thought, ContentText(text="I read.")], tool_calls=[call]),
        ChatMessageTool(content="text", tool_call_id="c1", function="read_file"),
        ChatMessageUser(content="Go on."),
        ChatMessageUser(content="Go on."),
    ]
    again = wire_to_messages(messages_to_wire(messages), messages)
    assert [id(one) for one in again] == [id(one) for one in messages]
    made = wire_to_messages(messages_to_wire(messages))
    assert [one.content for one in made] == [one.content for one in messages]
    assert isinstance(made[2], ChatMessageAssistant) and made[2].tool_calls == [call]
    assert isinstance(made[3], ChatMessageTool) and made[3].function == "read_file"


def test_thirty_steps_in_a_small_window(tmp_path: Path, runs: Sessions) -> None:
    """Several cuts: every request is within the window, paired, with the rule in it, and the log
    has every message."""
    model = Scripted(reading, limit=WINDOW)
    agent = loom_agent(runs, prompt=f"You read. {RULE}", tools=[read_file()], model=model.model())
    [sample] = ran(tmp_path, agent, model.model())
    assert sample.scores is not None and sample.scores["includes"].value == "C"
    assert model.refused == 0 and len(model.inputs) == STEPS + 1
    assert all(paired(one) and RULE in one[0].text for one in model.inputs)
    shorter = zip(model.inputs, model.inputs[1:], strict=False)
    assert sum(len(text(after)) < len(text(before)) for before, after in shorter) >= 3
    results = [one.text for one in sample.messages if one.role == "tool"]
    assert len(results) == STEPS * 4 // 3
    assert results[0] == text_of("f0.py")


def test_looms_tools_are_answered_within(tmp_path: Path, runs: Sessions) -> None:
    """What left comes back by its name; the log has neither the calls nor their results."""

    def script(messages: list[ChatMessage], step: int) -> Made:
        if step == 10:
            return "", [("recall", {"query": "f0.py:7"})]
        if step == 11:
            return "Both.", [
                ("working", {"action": "note", "text": "zebra"}),
                ("read_file", {"path": "z.py"}),
            ]
        return reading(messages, step)

    model = Scripted(script, limit=WINDOW)
    agent = loom_agent(runs, tools=[read_file()], model=model.model())
    [sample] = ran(tmp_path, agent, model.model())
    assert "f0.py:7 = 5398" in text(model.inputs[11])
    assert "f0.py:7 = 5398" not in text(model.inputs[10])
    assert any("zebra" in text(one) for one in model.inputs[12:])  # on the scratchpad
    called = [
        call.function
        for one in sample.messages
        if isinstance(one, ChatMessageAssistant)
        for call in one.tool_calls or ()
    ]
    assert set(called) == {"read_file"}


def test_a_model_that_takes_nothing(tmp_path: Path, runs: Sessions) -> None:
    """A second refusal is Loom's error, in the sample."""
    model = Scripted(reading, limit=10)
    agent = loom_agent(runs, tools=[read_file()], model=model.model())
    data = [Sample(input="Read all.")]
    task = Task(dataset=data, solver=agent, fail_on_error=False)
    [log] = eval(task, model=model.model(), display="none", log_dir=str(tmp_path / "logs"))
    [sample] = log.samples or []
    assert sample.error is not None and "OverCapacity" in sample.error.traceback
    assert model.refused == 2


def test_a_conversation_goes_on_after_a_reopening(tmp_path: Path) -> None:
    """Half of it in one process, half in another: nothing is taken in twice."""
    model = Scripted(lambda messages, step: (f"Reply {step}.", []))
    folder = tmp_path / "runs"
    kept: list[ChatMessage] = [ChatMessageUser(content="Begin.")]

    async def spoken(sessions: Sessions) -> None:
        agent = loom_model(sessions, model=model.model(), session=lambda state: "talk")
        state = await agent(AgentState(messages=kept), [])
        kept[:] = [one.model_copy(deep=True) for one in state.messages]

    for _ in range(3):
        with Sessions(folder, window=WINDOW) as sessions:
            anyio.run(spoken, sessions)
            entries = [one.entry for one in sessions.of("talk").history.synced]
        kept.append(ChatMessageUser(content=f"More {len(kept)}."))
    assert len(entries) == len(set(entries)) == 5  # the last reply is synced with the next
    said = text(model.inputs[-1])
    assert all(said.count(one) == 1 for one in ("Begin.", "Reply 0.", "More 2.", "Reply 1."))


def test_the_page(tmp_path: Path) -> None:
    """The block of the page runs as printed, and once more in the same folder."""
    script = lambda messages, step: said("", ("submit", {"answer": "168"}))  # noqa: E731
    with ScriptedServer(script) as server:
        for number in range(2):
            shown = printed(blocks_of("inspect-ai.md")[0], tmp_path, server.v1)
            assert "1.0" in shown
            assert len(list((tmp_path / "runs").iterdir())) == number + 1
        assert [one.answer for one in server.refused] == [] and server.faults == []
