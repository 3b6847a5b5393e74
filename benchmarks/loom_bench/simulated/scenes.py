"""What happens in a simulated session: scenes of a few stages, each ignorant of the others.

A scene takes the writer and returns its stages, in order; the world strews the stages of all scenes
over a session. Scenes share no file, command, setting or topic, so the truth of one is never
changed by another.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from loom_bench.simulated.lists import Stage, tasks
from loom_bench.simulated.state import (
    FORBIDDEN,
    LIFTED,
    REQUIRED,
    Failure,
    RunKey,
)
from loom_bench.simulated.writer import EXITS, SessionWriter

Scene = Callable[[SessionWriter], list[Stage]]


def edits(w: SessionWriter) -> list[Stage]:
    """Edits of every kind: several of one file, a new file, many at once, one that never took."""
    often, new, many, lost, retried = (w.file() for _ in range(5))
    kept: list[tuple[str, str]] = []
    back, undone = w.file(), w.file()
    fresh = w.words.path()
    return [
        lambda: w.read(often),
        lambda: w.edit(often, f"I change {often}."),
        lambda: w.edit(lost, lost=True),
        lambda: w.write(fresh),
        lambda: w.read(new),
        lambda: w.edit(new),
        lambda: kept.append(w.edit(back)),
        lambda: w.edit(often),
        lambda: w.edit(retried, lost=True),
        lambda: w.edit(retried),
        lambda: w.many(many),
        lambda: w.edit(undone),
        lambda: w.edit(often),
        lambda: w.swap_back(back, *kept[0]),
        lambda: w.undo(undone),
    ]  # fmt: skip


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
        stages.append(lambda of_it=of_it: w.run(key, runner, of_it, exit=exit))  # type: ignore[misc]
    return stages


def failing_then_passing(w: SessionWriter) -> list[Stage]:
    """Tests fail, the fault is mended, the same command passes."""
    key = ("", f"pytest -q tests/test_{w.words.name()}.py")
    return _runs(w, "fail then pass", key, "python", "fp", fix=True)


def passing_then_failing(w: SessionWriter) -> list[Stage]:
    """Tests pass, and later fail."""
    return _runs(w, "pass then fail", (w.places.pop(), "npm test"), "node", "pf")


def unrelated(w: SessionWriter) -> list[Stage]:
    """One command fails; another, which tests something else, passes after it."""
    lint = _runs(w, "fail, another passes", ("", "make lint"), "make", "f")
    return lint + _runs(w, "passes", ("", "make docs"), "make", "p")


def elsewhere(w: SessionWriter) -> list[Stage]:
    """The same command fails in one folder and passes in another."""
    one, other = w.places.pop(), w.places.pop()
    failing = _runs(w, "fails here", (one, "make check"), "make", "f")
    return failing + _runs(w, "passes here", (other, "make check"), "make", "p")


def flaky(w: SessionWriter) -> list[Stage]:
    """A command that fails and passes by turns."""
    outcomes = w.rng.choice(("fpfp", "pfpf", "fpf"))
    return _runs(w, "flaky", (w.places.pop(), "go test ./..."), "go", outcomes)


def narrower(w: SessionWriter) -> list[Stage]:
    """A broad command fails in two places; a narrower one passes, which closes one of them."""
    place = w.places.pop()
    file = f"tests/test_{w.words.name()}.py"
    broad, narrow = (place, "pytest -q"), (place, f"pytest -q {file}")
    closed = _failure(w, "python", broad, narrow, file=file)
    still = _failure(w, "python", broad)
    w.truth.scenes |= {broad: "the whole fails", narrow: "a part passes"}
    exit = w.rng.choice(EXITS)
    broken = w.file()
    return [
        lambda: w.run(broad, "python", {**closed, **still}, exit=exit),
        lambda: w.edit(broken),
        lambda: w.run(narrow, "python", {}, exit=exit),
    ]


def broader(w: SessionWriter) -> list[Stage]:
    """A narrow command passes; later the broad one fails in another file."""
    place = w.places.pop()
    broad = (place, "go test ./...")
    narrow = (place, f"go test ./{w.words.name()}")
    failed = _failure(w, "go", broad)
    w.truth.scenes |= {broad: "the whole fails", narrow: "a part passes"}
    exit = w.rng.choice(EXITS)
    return [
        lambda: w.run(narrow, "go", {}, exit=exit),
        lambda: w.run(broad, "go", failed, exit=exit),
    ]


def rules(w: SessionWriter) -> list[Stage]:
    """Rules of the user: two folders are forbidden, one of them is allowed again later."""
    stays, lifted = w.words.some("guarded", 2)
    formatter = f"make {w.words.one('verb')}"
    package = w.words.name().replace("_", "-")

    def rule(kind: str, about: str, state: str) -> Stage:
        def said() -> None:
            w.truth.rules[about] = state
            w.user(w.words.say(kind, about))

        return said

    return [
        rule("forbid", stays, FORBIDDEN),
        rule("forbid", lifted, FORBIDDEN),
        rule("require", formatter, REQUIRED),
        rule("ban", package, FORBIDDEN),
        rule("lift", lifted, LIFTED),
    ]


def decision(w: SessionWriter, *, reverted: bool) -> list[Stage]:
    """The agent decides something; `reverted`: and later decides otherwise."""
    topic = w.words.name().replace("_", " ")
    one, other = w.choices.pop(), w.choices.pop()

    def decide() -> None:
        w.truth.decisions[topic] = [one]
        w.say(w.words.say("decide", topic, one))

    def undecide() -> None:
        w.truth.decisions[topic].append(other)
        w.say(w.words.say("undecide", topic, one, other))

    return [decide, undecide] if reverted else [decide]


def value(w: SessionWriter, *, changed: bool) -> list[Stage]:
    """The user sets a value; `changed`: and later another one."""
    name = f"{w.words.name()}_limit"
    one, other = (str(number) for number in w.rng.sample(range(11, 990), 2))

    def first() -> None:
        w.truth.values[name] = [one]
        w.user(w.words.say("set", name, one))

    def again() -> None:
        w.truth.values[name].append(other)
        w.user(w.words.say("reset", name, one, other))

    return [first, again] if changed else [first]


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

    def commit(refused: bool) -> Stage:
        def stage() -> None:
            message = w.words.say("commit")
            command = f'git add -A && git commit -m "{message}"'
            if refused:
                w.truth.uncommitted.append(message)
                why = "commit-msg hook exited with code 1 (error): subject is too long"
                w.shell(command, why, error=True)
                return
            w.truth.commits.append(message)
            hash = f"{w.rng.getrandbits(28):07x}"
            w.shell(command, f"[main {hash}] {message}\n 2 files changed, 9 insertions(+)")

        return stage

    return [commit(False), commit(False), commit(True), commit(False)]


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


SCENES: Sequence[Scene] = (
    plan, edits, failing_then_passing, failing_then_passing, passing_then_failing, unrelated,
    elsewhere, flaky, narrower, broader, rules, correction, tasks, commits, reports,
    lambda w: decision(w, reverted=False), lambda w: decision(w, reverted=True),
    lambda w: decision(w, reverted=True), lambda w: value(w, changed=True),
    lambda w: value(w, changed=True), lambda w: value(w, changed=False),
)  # fmt: skip
