"""What happens in a simulated session: scenes of a few stages, each ignorant of the others.

A scene takes the writer and returns its stages, in order; the world strews the stages of all scenes
over a session. Scenes share no file, command, setting or topic, so the truth of one is never
changed by another.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial

from loom_bench.sessions.acts import Act
from loom_bench.simulated.state import (
    DOING,
    DONE,
    FORBIDDEN,
    LIFTED,
    PENDING,
    REQUIRED,
    Failure,
    RunKey,
)
from loom_bench.simulated.writer import EXITS, SessionWriter

Stage = Callable[[], object]
FLAKY = ("fpfp", "pfpf", "fpf")  # how the runs of a flaky command end
Scene = Callable[[SessionWriter], list[Stage]]


EDITS = (
    "read often", "lose lost", "write fresh", "read new", "edit new", "edit back", "edit often",
    "lose retried", "edit retried", "many many", "edit undone", "edit often", "swap_back back",
    "undo undone",
)  # fmt: skip


def edits(w: SessionWriter) -> list[Stage]:
    """Edits of every kind: several of one file, a new file, many at once, one that never took."""
    names = ("often", "new", "many", "lost", "retried", "back", "undone")
    paths = {name: w.file() for name in names}
    paths["fresh"] = w.words.path()
    stages: list[Stage] = [
        partial(getattr(w, deed), paths[name]) for deed, name in map(str.split, EDITS)
    ]
    often = paths["often"]
    return [stages[0], lambda: w.edit(often, f"I change {often}."), *stages[1:]]


def _failure(w: SessionWriter, runner: str, *closers: RunKey, file: str = "") -> dict[str, Failure]:
    """A new failure as the runner names it."""
    name = w.words.name()
    ids = {
        "python": f"{file or f'tests/test_{name}.py'}::test_{w.words.name()}",
        "node": f"{name.replace('_', ' ')} > keeps {w.words.name().replace('_', ' ')}",
        "go": "Test" + name.title().replace("_", ""),
        "make": f"src/{name}.py:{w.rng.randint(3, 300)}",
    }
    message = f"expected {w.rng.randint(100, 999)}, got {w.rng.randint(1_000, 9_999)}"
    return {ids[runner]: Failure(message, list(closers))}


def _runs(
    w: SessionWriter, scene: str, key: RunKey, runner: str, outcomes: str, *, fix: bool = False
) -> list[Stage]:
    """Runs of one command: `f` fails, `p` passes; before a pass the fault is mended when `fix`."""
    exit = w.rng.choice(EXITS)
    broken = w.file()
    file = key[1].split()[-1] if key[1].endswith(".py") else ""
    failed = _failure(w, runner, key, file=file)
    w.truth.scenes[key] = scene
    stages: list[Stage] = []
    for outcome in outcomes:
        if outcome == "p" and fix:
            stages.append(lambda: w.edit(broken, f"The fault is in {broken}."))
        of_it = failed if outcome == "f" else {}
        stages.append(lambda of_it=of_it: w.run(key, runner, of_it, exit))  # type: ignore[misc]
    return stages


def _part(w: SessionWriter, place: str, whole: str, part: str) -> tuple[RunKey, RunKey]:
    """A command, and the one that runs a part of it."""
    broad, narrow = (place, whole), (place, f"{whole.removesuffix(' ./...')} {part}")
    w.truth.scenes |= {broad: "the whole fails", narrow: "a part passes"}
    return broad, narrow


def narrower(w: SessionWriter) -> list[Stage]:
    """A broad command fails in two places; a narrower one passes, which closes one of them."""
    place, file = w.places.pop(), f"tests/test_{w.words.name()}.py"
    broad, narrow = _part(w, place, "pytest -q", file)
    failed = _failure(w, "python", broad, narrow, file=file) | _failure(w, "python", broad)
    exit, broken = w.rng.choice(EXITS), w.file()
    return [
        lambda: w.run(broad, "python", failed, exit),
        lambda: w.edit(broken),
        lambda: w.run(narrow, "python", {}, exit),
    ]


def broader(w: SessionWriter) -> list[Stage]:
    """A narrow command passes; later the broad one fails in another file."""
    broad, narrow = _part(w, w.places.pop(), "go test ./...", f"./{w.words.name()}")
    failed, exit = _failure(w, "go", broad), w.rng.choice(EXITS)
    return [
        lambda: w.run(narrow, "go", {}, exit),
        lambda: w.run(broad, "go", failed, exit),
    ]


def rules(w: SessionWriter) -> list[Stage]:
    """Rules of the user: two folders are forbidden, one of them is allowed again later."""
    stays, lifted = w.words.some("guarded", 2)
    formatter = f"make {w.words.one('verb')}"
    package = w.words.name().replace("_", "-")

    def rule(kind: str, about: str, state: str) -> None:
        w.truth.rules[about] = state
        w.user(w.words.say(kind, about))

    return [
        partial(rule, "forbid", stays, FORBIDDEN),
        partial(rule, "forbid", lifted, FORBIDDEN),
        partial(rule, "require", formatter, REQUIRED),
        partial(rule, "ban", package, FORBIDDEN),
        partial(rule, "lift", lifted, LIFTED),
    ]


def _in_turn(
    w: SessionWriter,
    held: dict[str, list[str]],
    topic: str,
    values: Sequence[str],
    sayings: Sequence[str],
    tell: Callable[[str], object],
) -> list[Stage]:
    """Something gets one value after another, each told by a saying."""

    def get(number: int) -> None:
        held.setdefault(topic, []).append(values[number])
        tell(w.words.say(sayings[number], topic, *values[: number + 1]))

    return [partial(get, number) for number in range(len(sayings))]


def decision(w: SessionWriter, *sayings: str) -> list[Stage]:
    """The agent decides something; and later, with a second saying, otherwise."""
    topic, choices = w.words.name().replace("_", " "), [w.choices.pop(), w.choices.pop()]
    return _in_turn(w, w.truth.decisions, topic, choices, sayings, w.say)


def value(w: SessionWriter, *sayings: str) -> list[Stage]:
    """The user sets a value; and later, with a second saying, another one."""
    name, numbers = f"{w.words.name()}_limit", w.rng.sample(range(11, 990), 2)
    return _in_turn(w, w.truth.values, name, [*map(str, numbers)], sayings, w.user)


def correction(w: SessionWriter) -> list[Stage]:
    """The agent gets a name wrong, and the user says so."""
    topic, wrong, right = w.words.name().replace("_", " "), w.words.name(), w.words.name()

    def corrected() -> None:
        w.say(w.words.say("mistake", topic, wrong))
        w.truth.corrections[topic] = (wrong, right)
        w.user(w.words.say("correct", topic, wrong, right))

    return [corrected]


def plan(w: SessionWriter) -> list[Stage]:
    """The user's long message: a plan with headings, steps and a block of code."""

    def said() -> None:
        parts = ["This is the plan. Read it whole before you begin."]
        for heading in w.words.pool("heading"):
            parts.append(f"\n## {heading}\n")
            w.truth.headings.append(heading)
            for number in range(1, w.rng.randint(3, 4)):
                step = w.words.say("item")
                w.truth.steps.append(step)
                parts.append(f"{number}. {step}")
                parts.append(f"   It matters to the {w.words.one('noun')} team, so take care.")
        w.truth.code = [line for line in w.words.code(7) if line]
        parts += ["\nThe shape I have in mind:\n", "```python", *w.truth.code, "```"]
        w.user("\n".join(parts))

    return [said]


def commits(w: SessionWriter) -> list[Stage]:
    """Commits, one of them refused by a hook and not tried again."""

    def commit(refused: bool) -> None:
        message = w.words.say("commit")
        command = f'git add -A && git commit -m "{message}"'
        (w.truth.uncommitted if refused else w.truth.commits).append(message)
        if refused:
            why = "commit-msg hook exited with code 1 (error): subject is too long"
            w.shell(command, why, error=True)
        else:
            hash = f"{w.rng.getrandbits(28):07x}"
            w.shell(command, f"[main {hash}] {message}\n 2 files changed, 9 insertions(+)")

    return [partial(commit, refused) for refused in (False, False, True, False)]


def reports(w: SessionWriter) -> list[Stage]:
    """A command that can be run but once; what it said is needed later."""

    def report() -> None:
        command = f"curl -s https://reports.example.com/{w.rng.randint(10_000, 99_999)}"
        key = f"{w.rng.getrandbits(40):010x}"
        w.truth.reports[command] = key
        lines = [f"{at} {' '.join(w.words.some('noun', 6))}" for at in range(60)]
        lines.insert(w.rng.randint(15, 45), f"ticket of this report: {key}")
        w.shell(command, json.dumps({"lines": lines}, indent=1))

    return [report, report]


def tasks(w: SessionWriter) -> list[Stage]:
    """The agent keeps a task list with the harness's tool, in one of three dialects."""
    items = [w.words.say("item") for _ in range(7)]
    write = w.rng.choice((_todo_write, _task_tools, _update_plan))

    def advance(done: int) -> None:
        if done < 0:
            w.truth.tasks = dict.fromkeys(items, PENDING)
        else:
            w.truth.tasks[items[done]] = DONE
        w.truth.tasks[items[done + 1]] = DOING
        write(w, items[done] if done >= 0 else "", items[done + 1])

    return [partial(advance, done) for done in range(-1, 4)]


STATUS = {PENDING: "pending", DOING: "in_progress", DONE: "completed"}


def _todo_write(w: SessionWriter, done: str, doing: str) -> None:
    todos = [
        {"content": item, "status": STATUS[state], "activeForm": item}
        for item, state in w.truth.tasks.items()
    ]
    w.step("", Act("TodoWrite", {"todos": todos}, "Todos have been modified successfully."))


def _update_plan(w: SessionWriter, done: str, doing: str) -> None:
    plan = [{"step": item, "status": STATUS[state]} for item, state in w.truth.tasks.items()]
    w.step("", Act("update_plan", {"explanation": "", "plan": plan}, "Plan updated"))


def _task_tools(w: SessionWriter, done: str, doing: str) -> None:
    """Tasks by number: made one by one, then each told its state."""
    numbers = {item: str(at) for at, item in enumerate(w.truth.tasks, 1)}
    if not done:
        made = "Task #{} created successfully: {}"
        w.step("", *(
            Act("TaskCreate", {"subject": item, "description": item}, made.format(number, item))
            for item, number in numbers.items()
        ))  # fmt: skip
    told = [(numbers[item], STATUS[w.truth.tasks[item]]) for item in (done, doing) if item]
    w.step("", *(
        Act("TaskUpdate", {"taskId": number, "status": state}, f"Updated task #{number} status")
        for number, state in told
    ))  # fmt: skip


def _mended(w: SessionWriter) -> list[Stage]:
    """Tests fail, the fault is mended, the same command passes."""
    key = ("", f"pytest -q tests/test_{w.words.name()}.py")
    return _runs(w, "fail then pass", key, "python", "fp", fix=True)


SCENES: Sequence[Scene] = (
    plan, edits, _mended, _mended,
    # Tests pass, and later fail.
    lambda w: _runs(w, "pass then fail", (w.places.pop(), "npm test"), "node", "pf"),
    # One command fails; another, which tests something else, passes after it.
    lambda w: _runs(w, "fail, another passes", ("", "make lint"), "make", "f")
    + _runs(w, "passes", ("", "make docs"), "make", "p"),
    # The same command fails in one folder and passes in another.
    lambda w: _runs(w, "fails here", (w.places.pop(), "make check"), "make", "f")
    + _runs(w, "passes here", (w.places.pop(), "make check"), "make", "p"),
    # A command fails and passes by turns.
    lambda w: _runs(w, "flaky", (w.places.pop(), "go test ./..."), "go", w.rng.choice(FLAKY)),
    narrower, broader, rules, correction, tasks, commits, reports,
    lambda w: decision(w, "decide"), lambda w: decision(w, "decide", "undecide"),
    lambda w: decision(w, "decide", "undecide"), lambda w: value(w, "set", "reset"),
    lambda w: value(w, "set", "reset"), lambda w: value(w, "set"),
)  # fmt: skip
