"""The reader of requests: right on windows that tell the truth, wrong on those that do not."""

from __future__ import annotations

from functools import cache

from loom.providers.render.message import Message, TextBlock
from loom_bench.simulated.questions import KINDS, RIGHT, questions
from loom_bench.simulated.reading import CONTRADICTORY, UNTOLD, read
from loom_bench.simulated.state import (
    DOING,
    DONE,
    EDITED,
    FAIL,
    FORBIDDEN,
    LIFTED,
    PASS,
    PENDING,
    REFUSED,
    REQUIRED,
    REVERTED,
    WROTE,
    RunKey,
    Truth,
)  # fmt: skip
from loom_bench.simulated.telling import outcome
from loom_bench.simulated.world import world
from tests.kit.cases import all_cases

SEEDS = (1, 2, 3)


def window(*lines: str, role: str = "user") -> Message:
    """One text of a request."""
    return Message(role, (TextBlock("\n".join(lines)),))  # type: ignore[arg-type]


@cache
def truth_of(seed: int, held_out: bool) -> Truth:
    """What is true at the end of a session."""
    return world(seed, 90, held_out=held_out).truths[-1]


def where(key: RunKey) -> str:
    """A command with its folder."""
    return f"{key[1]} (in {key[0]})" if key[0] else key[1]


def last(truth: Truth) -> list[str]:
    """The files something was done to, that changed last at the end."""
    return sorted(truth.deeds, key=lambda path: path == truth.changed_last)


def index(truth: Truth) -> list[Message]:
    """A perfect window in the manner of an index: headings, arrows, marks."""
    lines = ["Earlier, shortened.", "rules:"]
    said = {FORBIDDEN: "never change {}", LIFTED: "{}: no longer forbidden", REQUIRED: "always {}"}
    lines += [f"  {said[state].format(about)}" for about, state in truth.rules.items()]
    lines.append("changes:")
    for path in last(truth):
        deeds = truth.deeds[path]
        if REVERTED in deeds:
            lines.append(f"  {path}: edited, then reverted (step_0019)")
        elif set(deeds) == {REFUSED}:
            lines.append(f"  {path}: edit failed, no effect (step_0019)")
        elif WROTE in deeds:
            lines.append(f"  wrote {path} (+24, step_0020)")
        else:
            lines.append(f"  edited {path} ×{deeds.count(EDITED)} (+3 −1, step_0041)")
    lines.append("commands:")
    for key, runs in truth.runs.items():
        was = f"was {'failing' if runs[-1] == PASS else 'passing'}, " if len(set(runs)) > 1 else ""
        lines.append(f"  {where(key)} → {runs[-1]} ({was}×{len(runs)}, step_0007)")
    lines.append("errors:")
    for id, one in truth.failures.items():
        lines.append(f"  {id}: {one.message}" if one.open else f"  {id}: resolved (step_0009)")
    lines.append("decided:")
    for topic, choices in truth.decisions.items():
        was = f" (was {choices[0]})" if len(choices) > 1 else ""
        lines.append(f"  the {topic}: {choices[-1]}{was}")
    lines.append("numbers:")
    for name, values in truth.values.items():
        lines.append(
            f"  {name} = {values[-1]}" + (f" (was {values[0]})" if len(values) > 1 else "")
        )
    for topic, (wrong, right) in truth.corrections.items():
        lines.append(f"  the {topic}: {right}, not {wrong}")
    lines.append("plan of the user:")
    lines += [*(f"  ## {heading}" for heading in truth.headings), *truth.steps, *truth.code]
    marks = {DONE: "[x]", DOING: "[>]", PENDING: "[ ]"}
    lines += ["tasks:", *(f"  {marks[state]} {item}" for item, state in truth.tasks.items())]
    lines += ["committed:", *(f"  {message}" for message in truth.commits)]
    lines += [f"  {message}: refused by a hook, not committed" for message in truth.uncommitted]
    lines += ["calls:", *(f"  {command} → outputs/shell_0012.log" for command in truth.reports)]
    return [window(*lines)]


def lying(truth: Truth) -> list[Message]:
    """A window that tells the contrary of everything, or nothing of it."""
    other = {
        FORBIDDEN: "{} may be changed now",
        LIFTED: "never change {}",
        REQUIRED: "forget what was said on {}: it is no longer needed",
    }
    lines = [other[state].format(about) for about, state in truth.rules.items()]
    for path in (*truth.deeds, *truth.seen[:2]):
        deeds = truth.deeds.get(path, ())
        took = REVERTED not in deeds and set(deeds) - {REFUSED}
        lines.append(f"edit of {path} failed" if took else f"edited {path} 9 times")
    lines.append(f"edited {truth.seen[0]}")
    for key, runs in truth.runs.items():
        lines.append(f"{where(key)} → {'fails' if runs[-1] == PASS else 'passes'} (×9)")
    for id, one in truth.failures.items():
        lines.append(f"{id}: resolved" if one.open else f"{id}: {one.message}")
    for topic, choices in truth.decisions.items():
        stale = choices[0] if len(choices) > 1 else "a coin toss"
        lines.append(f"the {topic} uses {stale}")
    lines += [
        f"{name} = {values[0] if len(values) > 1 else '7'}" for name, values in truth.values.items()
    ]
    lines += [f"the {topic} is called {wrong}" for topic, (wrong, _) in truth.corrections.items()]
    wrong = {DONE: PENDING, DOING: DONE, PENDING: DOING}
    lines += [f"{item}: {wrong[state]}" for item, state in truth.tasks.items()]
    lines += [f"commit refused: {message}" for message in truth.commits]
    lines += [f"committed: {message}" for message in truth.uncommitted]
    return [window(*lines)]


@all_cases("held_out", [False, True])
@all_cases("seed", SEEDS)
@all_cases("made", [index])
def test_a_perfect_window_is_right(made, seed, held_out):
    """A window made by hand from the truth answers every question, in either wording."""
    truth = truth_of(seed, held_out)
    reading = read(made(truth))
    wrong = [
        (one.kind, one.about, one.right, one.answer(reading))
        for one in questions(truth)
        if one.verdict(one.answer(reading)) != RIGHT
    ]
    assert wrong == []


@all_cases("held_out", [False, True])
@all_cases("seed", SEEDS)
def test_a_lying_window_is_wrong(seed, held_out):
    """A window that tells the contrary answers no question of any kind."""
    truth = truth_of(seed, held_out)
    reading = read(lying(truth))
    asked = questions(truth)
    right = [
        (one.kind, one.about, one.right)
        for one in asked
        if one.verdict(one.answer(reading)) == RIGHT
    ]
    assert right == []
    assert {one.kind for one in asked} | {"file changed last"} == set(KINDS)


def test_a_later_block_counts_and_one_block_may_contradict_itself():
    """Of two messages the later counts; two lines of one that contradict leave doubt."""
    fails, passes = "`make lint` fails", "`make lint` passes"
    lint = Truth(runs={("", "make lint"): []}), "make lint"
    assert outcome(read([window(fails), window(passes)]), *lint) == PASS
    assert outcome(read([window(passes), window(fails)]), *lint) == FAIL
    assert outcome(read([window(passes, fails)]), *lint) == CONTRADICTORY
    assert outcome(read([]), *lint) == UNTOLD
    numbered = window(
        "make lint 2>&1 | tail -20 → passes (step_0012)", "make lint → fails (step_0003)"
    )
    assert outcome(read([numbered]), *lint) == PASS
