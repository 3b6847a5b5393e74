"""The scenarios as tasks of inspect, with scripted models: no connection, no key."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import loom
from loom_bench.inspecting.questions import VALUE, PressureQuestion, questions_of
from loom_bench.scenarios import session_of
from loom_bench.session import HELD_OUT, PUBLIC
from tests.kit.vocabulary import kept_vocabulary

pytest.importorskip("inspect_ai", reason="inspect-ai is not installed")
from inspect_ai import eval
from inspect_ai.log import EvalLog
from inspect_ai.model import (
    ChatMessage,
    ChatMessageTool,
    GenerateConfig,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from loom_bench.inspecting.tasks import context_pressure

ROOT = Path(loom.__file__).parents[1]
USED = ModelUsage(input_tokens=1_000, output_tokens=5, total_tokens=1_005)
Said = Callable[[list[ChatMessage], list[ToolInfo]], str | tuple[str, dict[str, Any]]]
# Those of the libraries beneath are none of ours.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


class Scripted:
    """A model: what it says is a text, or (tool, arguments)."""

    def __init__(self, said: Said) -> None:
        self.said = said
        self.inputs: list[list[ChatMessage]] = []
        self.choices: list[ToolChoice] = []

    def __call__(
        self,
        messages: list[ChatMessage],
        tools: list[ToolInfo],
        choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Its reply."""
        self.inputs.append(messages)
        self.choices.append(choice)
        made = self.said(messages, tools)
        if isinstance(made, str):
            output = ModelOutput.from_content("scripted", made)
        else:
            output = ModelOutput.for_tool_call("scripted", *made)
        output.usage = USED
        return output


def evaluated(folder: Path, model: Scripted, **given: Any) -> EvalLog:
    """The log of the task."""
    asked = get_model("mockllm/model", custom_outputs=model)
    task = context_pressure(**given)
    [log] = eval(task, model=asked, display="none", log_dir=str(folder / "logs"))
    assert log.status == "success", log.error
    return log


def figures(log: EvalLog) -> dict[str, float]:
    """The metrics by name."""
    metrics = (one for score in log.results.scores for one in score.metrics.values())
    return {one.name: float(one.value) for one in metrics}


def asked_of(scenario: str, half: str = PUBLIC) -> dict[str, PressureQuestion]:
    """The questions of a session by their texts."""
    return {one.text: one for one in questions_of(session_of(scenario, 1, half))}


def test_known_answers(tmp_path: Path) -> None:
    """Who answers rightly has 1, in each kind; the question is the last message."""
    known = asked_of("constraints", HELD_OUT)
    model = Scripted(lambda messages, tools: f"That is {known[messages[-1].text].right}.")
    log = evaluated(
        tmp_path, model, scenario="constraints", strategy="tail", window=8_192, half=HELD_OUT,
        questions=0,
    )  # fmt: skip
    assert figures(log) == {"fact": 1, "rule": 1, "lifted": 1, "accuracy": 1, "stderr": 0}
    assert len(model.inputs) == len(questions_of(session_of("constraints", 1, HELD_OUT)))
    assert set(model.choices) == {"none"}  # of this strategy nothing can be asked


def test_tools_are_called_and_answered(tmp_path: Path) -> None:
    """A model that reads nothing but what Loom's recall brings back answers rightly."""
    known = asked_of("needle")

    def said(messages: list[ChatMessage], tools: list[ToolInfo]) -> Any:
        if not isinstance(messages[-1], ChatMessageTool):
            assert {"page_in", "recall"} <= {one.name for one in tools}
            return "recall", {"query": messages[-1].text.removesuffix(VALUE.format(""))}
        [asked] = [one for one in known.values() if any(one.text == m.text for m in messages)]
        return asked.right if asked.right in messages[-1].text else "UNKNOWN"

    log = evaluated(tmp_path, Scripted(said), scenario="needle", window=8_192)
    assert figures(log)["fact"] == 1
    for sample in log.samples or ():
        assert (sample.scores or {})["answers_rightly"].metadata == {"calls": 1, "kind": "fact"}
        assert [one.function for one in sample.events if one.event == "tool"] == ["recall"]


def test_a_model_that_calls_without_end(tmp_path: Path) -> None:
    """It is answered a few times; then it has to answer, and what it says is scored."""
    model = Scripted(lambda messages, tools: ("recall", {"query": "tax"}))
    log = evaluated(tmp_path, model, scenario="needle", window=8_192, questions=1)
    assert model.choices == ["auto", "auto", "auto", "none"]
    assert figures(log)["accuracy"] == 0


def test_a_refused_request_is_not_sent(tmp_path: Path) -> None:
    """What no provider takes shows the model nothing, and the answer is wrong."""
    model = Scripted(lambda messages, tools: "UNKNOWN")
    log = evaluated(tmp_path, model, scenario="needle", strategy="whole", window=8_192, questions=2)
    assert model.inputs == [] and figures(log)["accuracy"] == 0
    [first, _] = log.samples or ()
    assert "are allowed" in str((first.scores or {})["answers_rightly"].explanation)


def test_the_command(tmp_path: Path) -> None:
    """`inspect eval` knows the task of an installed package by its name."""
    site = tmp_path / "site-packages"
    about = site / "loom_bench-0.1.0.dist-info"
    about.mkdir(parents=True)
    trees = ("loom", "partitions/loom_partitions", "paging/loom_paging", "benchmarks/loom_bench")
    for tree in trees:
        (site / Path(tree).name).symlink_to(ROOT / tree)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: loom-bench\nVersion: 0.1.0\n")
    told = (ROOT / "benchmarks/pyproject.toml").read_text("utf-8")
    [line] = [one for one in told.splitlines() if "loom_bench.inspecting" in one and "=" in one][:1]
    (about / "entry_points.txt").write_text(f"[inspect_ai]\n{line.replace(chr(34), '')}\n")
    asked = ["-T", "scenario=needle", "-T", "strategy=tail", "-T", "window=8192", "--limit", "2"]
    to = ["--model", "mockllm/model", "--display", "plain", "--log-dir", str(tmp_path / "logs")]
    done = subprocess.run(
        [sys.executable, "-m", "inspect_ai", "eval", "loom_bench/context_pressure", *asked, *to],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={
            **os.environ,
            "PYTHONPATH": str(site),
            "TIKTOKEN_CACHE_DIR": str(kept_vocabulary(tmp_path / "vocabulary")),
        },
        timeout=240,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "answers_rightly" in done.stdout and list((tmp_path / "logs").glob("*.eval"))
