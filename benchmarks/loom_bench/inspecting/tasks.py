"""The task, its solver and its scorer. inspect finds them by the package's entry point."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from anyio.to_thread import run_sync
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessage, ChatMessageUser, ModelOutput, execute_tools, get_model
from inspect_ai.scorer import (
    CORRECT,
    INCORRECT,
    Score,
    Scorer,
    Target,
    accuracy,
    grouped,
    scorer,
    stderr,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolChoice, ToolError

from loom.adapters.inspect_ai import loom_agent, loom_model
from loom.adapters.inspect_messages import tool_from_schema, wire_to_messages
from loom_bench.asked import plan_of
from loom_bench.errors import BadBench
from loom_bench.inspecting.questions import (
    PressedSession,
    PressedWindow,
    PressureQuestion,
    is_right,
    questions_of,
    request_at,
)
from loom_bench.moment import CALLS
from loom_bench.scenarios import session_of
from loom_bench.session import HALVES, HELD_OUT, PUBLIC, Wire

__all__ = ["answers_rightly", "context_pressure", "loom_agent", "loom_model", "pressed_answer"]

Names = str | list[str]


@task
def context_pressure(
    scenario: Names = "needle",
    strategy: str = "loom",
    window: int = 32_000,
    seeds: str | int | list[int] = 1,
    half: str = PUBLIC,
    questions: int = 10,
) -> Task:
    """Questions to a model about long sessions, as one strategy shows them in one window.

    `scenario` is one or several, or `all`; `seeds` as `loom bench run` takes them: `3` is the first
    three, `4-6` just these. `questions` of each session at most, 0 for all. Raises BadBench for a
    name of nothing.
    """
    if half not in HALVES:
        raise BadBench(f"half {half!r}: there are {', '.join(HALVES)}")
    named = scenario.split(",") if isinstance(scenario, str) else scenario
    plan = plan_of(
        [] if named == ["all"] else named,
        [strategy],
        windows=str(window),
        seeds=",".join(f"{one}-{one}" for one in seeds) if isinstance(seeds, list) else str(seeds),
        held_out=half == HELD_OUT,
    )
    samples = [
        _sample(name, seed, plan.half, number, question)
        for name in plan.scenarios
        for seed in plan.seeds
        for number, question in enumerate(
            questions_of(session_of(name, seed, plan.half), questions), 1
        )
    ]
    return Task(
        dataset=MemoryDataset(samples, name="context_pressure"),
        solver=pressed_answer(strategy, window),
        scorer=answers_rightly(),
    )


def _sample(name: str, seed: int, half: str, number: int, question: PressureQuestion) -> Sample:
    about = {"scenario": name, "seed": seed, "half": half, "at": question.at}
    return Sample(
        id=f"{name}-{seed}-{number}",
        input=question.text,
        target=question.right,
        metadata={**about, "kind": question.kind, "wrong": list(question.wrong)},
    )


@solver
def pressed_answer(strategy: str, window: int) -> Solver:
    """Ask the model behind the request that the strategy makes at the moment of the question."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        about = state.metadata
        session = (about["scenario"], about["seed"], about["half"])
        pressed = PressedSession(*session, strategy, window)
        # In a thread: it computes for seconds where the session is driven first.
        request = await run_sync(request_at, pressed, about["at"])
        about["refused"] = request.refused
        if request.refused:
            return state
        held = PressedWindow(pressed, about["at"])
        try:
            state.messages = [
                *wire_to_messages(request.messages),
                ChatMessageUser(content=state.input_text),
            ]
            state.output = await _answered(held, state.messages, request.tools)
        finally:
            about["calls"] = held.calls
            await run_sync(held.close)
        return state

    return solve


async def _answered(
    held: PressedWindow, messages: list[ChatMessage], declared: Sequence[Wire]
) -> ModelOutput:
    """The answer of a model that may call the strategy's tools first; `messages` grow."""
    tools = [tool_from_schema(one, _run(held, one["function"]["name"])) for one in declared]
    model, output = get_model(), ModelOutput()
    for left in range(CALLS, -1, -1):
        choice: ToolChoice = "auto" if left and tools else "none"
        output = await model.generate(messages, tools, tool_choice=choice)
        messages.append(output.message)
        if not output.message.tool_calls:
            break
        results, _ = await execute_tools(messages, tools)
        messages += results
    return output


def _run(held: PressedWindow, name: str) -> Callable[..., Any]:
    async def run(**kwargs: Any) -> str:
        try:
            return await run_sync(held.call, name, kwargs)
        except Exception as error:  # whatever a strategy raises, the model is told
            raise ToolError(f"{type(error).__name__}: {error}") from error

    return run


@scorer(metrics=[grouped(accuracy(), "kind", all_label="accuracy"), stderr()])
def answers_rightly() -> Scorer:
    """Whether an answer holds what is right, and nothing that held only before."""

    async def score(state: TaskState, target: Target) -> Score:
        about = state.metadata
        wrong: Sequence[str] = about["wrong"]
        question = PressureQuestion(
            about["kind"], about["at"], state.input_text, target.text, tuple(wrong)
        )
        answer = state.output.completion
        refused = about.get("refused")
        right = not refused and is_right(question, answer)
        why = f"the request is refused: {refused}" if refused else f"right: {target.text}"
        return Score(
            value=CORRECT if right else INCORRECT,
            answer=answer,
            explanation=why,
            metadata={"calls": about.get("calls", 0), "kind": about["kind"]},
        )

    return score
