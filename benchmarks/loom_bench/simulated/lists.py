"""The agent's task list, kept with the tools of three harnesses."""

from __future__ import annotations

from collections.abc import Callable

from loom_bench.sessions.acts import Act
from loom_bench.simulated.state import DOING, DONE, PENDING
from loom_bench.simulated.writer import SessionWriter

Stage = Callable[[], object]


def tasks(w: SessionWriter) -> list[Stage]:
    """The agent keeps a task list with the harness's tool, in one of three dialects."""
    items = [w.words.say("item") for _ in range(7)]
    write = w.rng.choice((_todo_write, _task_tools, _update_plan))

    def begin() -> None:
        w.truth.tasks = dict.fromkeys(items, PENDING)
        w.truth.tasks[items[0]] = DOING
        write(w, "", "")

    def advance(done: int) -> Stage:
        def stage() -> None:
            w.truth.tasks[items[done]] = DONE
            w.truth.tasks[items[done + 1]] = DOING
            write(w, items[done], items[done + 1])

        return stage

    return [begin, *(advance(done) for done in range(4))]


def _states(w: SessionWriter, text: str, doing: str) -> list[dict[str, str]]:
    """Every task under the keys of a dialect."""
    named = {PENDING: "pending", DOING: doing, DONE: "completed"}
    return [{text: item, "status": named[state]} for item, state in w.truth.tasks.items()]


def _todo_write(w: SessionWriter, done: str, doing: str) -> None:
    todos = [
        {**each, "activeForm": each["content"]} for each in _states(w, "content", "in_progress")
    ]
    w.step("", Act("TodoWrite", {"todos": todos}, "Todos have been modified successfully."))


def _update_plan(w: SessionWriter, done: str, doing: str) -> None:
    given = {"explanation": "", "plan": _states(w, "step", "in_progress")}
    w.step("", Act("update_plan", given, "Plan updated"))


def _task_tools(w: SessionWriter, done: str, doing: str) -> None:
    """Tasks by number: made one by one, then each told its state."""
    numbers = {item: str(at) for at, item in enumerate(w.truth.tasks, 1)}
    if not done:
        made = [
            Act("TaskCreate", {"subject": item, "description": item},
                f"Task #{number} created successfully: {item}")
            for item, number in numbers.items()
        ]  # fmt: skip
        w.step("", *made)
        doing = next(iter(numbers))
    w.step(
        "",
        *(
            Act(
                "TaskUpdate",
                {"taskId": numbers[item], "status": state},
                f"Updated task #{numbers[item]} status",
            )
            for item, state in ((done, "completed"), (doing, "in_progress"))
            if item
        ),
    )
