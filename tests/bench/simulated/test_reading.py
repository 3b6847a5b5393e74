"""The reader of requests: right on windows that tell the truth, wrong on those that do not."""

from __future__ import annotations

import json
from functools import cache

from loom.providers.render.message import CallBlock, Message, ResultBlock, TextBlock
from loom_bench.simulated.cues import deed, verdict
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
from loom_bench.simulated.telling import choice, failure, outcome, rule, value
from loom_bench.simulated.workings import fate, tasks
from loom_bench.simulated.world import world
from tests.kit.cases import all_cases

SEEDS = (1, 2, 3)


def window(*lines: str, role: str = "user") -> Message:
    """One text of a request."""
    return Message(role, (TextBlock("\n".join(lines)),))  # type: ignore[arg-type]


def called(command: str, result: str, id: str = "c1", *, error: bool = False) -> list[Message]:
    """A shell call and its result."""
    call = CallBlock(id, "Bash", json.dumps({"command": command}))
    return [
        Message("assistant", (call,)),
        Message("tool", (ResultBlock(id, "Bash", result, error),)),
    ]


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


def test_an_empty_window_tells_nothing():
    """Without a message everything but what was not done is untold."""
    truth = truth_of(1, False)
    reading = read([])
    given = {one.kind: one.verdict(one.answer(reading)) for one in questions(truth)}
    assert given.pop("file only read") == RIGHT
    assert RIGHT not in given.values()


@all_cases(
    ("text", "said"),
    [
        ("pytest -q → passes (was failing, step_0007)", PASS),
        ("was passing, fails", FAIL),
        ("(exit 1)", FAIL),
        ("3 failed, 9 passed in 2s", FAIL),
        ("0 failed, 9 passed", PASS),
        ("no longer fails", PASS),
        ("fails → passes", PASS),
        ("passes → fails (→ outputs/a_0001.log)", FAIL),
        ("Always run it first.", ""),
    ],
)
def test_verdicts(text, said):
    """What holds now counts, not what was."""
    assert verdict(text) == said


@all_cases(
    ("text", "said"),
    [
        ("edited src/a.py (+3 −1, step_0041)", EDITED),
        ("src/a.py: edit failed once, then edited", EDITED),
        ("edited src/a.py, later reverted", REVERTED),
        ("edit of src/a.py failed", REFUSED),
        ("src/a.py: read_0007", ""),
    ],
)
def test_deeds(text, said):
    """A file's line says with a verb what was done to it."""
    assert deed(text) == said


def test_a_later_block_counts_and_one_block_may_contradict_itself():
    """Of two messages the later counts; two lines of one that contradict leave doubt."""
    fails, passes = "`make lint` fails", "`make lint` passes"
    key = ("", "make lint")
    assert outcome(read([window(fails), window(passes)]), key, ()) == PASS
    assert outcome(read([window(passes), window(fails)]), key, ()) == FAIL
    assert outcome(read([window(passes, fails)]), key, ()) == CONTRADICTORY
    assert outcome(read([]), key, ()) == UNTOLD
    numbered = window(
        "make lint 2>&1 | tail -20 → passes (step_0012)", "make lint → fails (step_0003)"
    )
    assert outcome(read([numbered]), key, ()) == PASS


def test_a_result_without_outcome_tells_none():
    """A call whose result was cleared says that it ran, not how it ended; an error flag does."""
    key = ("web", "npm test")
    cleared = called("cd web && npm test 2>&1 | tail -5", "[old tool result cleared]")
    assert outcome(read(cleared), key, ["web"]) == UNTOLD
    failed = called("cd web && npm test", "[old tool result cleared]", error=True)
    assert outcome(read(failed), key, ["web"]) == FAIL
    assert outcome(read([*failed, *cleared]), key, ["web"]) == UNTOLD


def test_tasks_are_followed_by_their_numbers():
    """A listed task that shows its number is the one a later call speaks of."""
    listed = window("tasks:", " 1. [x] mend the door", " 2. [>] paint it")
    call = CallBlock("t", "TaskUpdate", json.dumps({"taskId": "2", "status": "completed"}))
    later = [
        Message("assistant", (call,)),
        Message("tool", (ResultBlock("t", "TaskUpdate", "ok"),)),
    ]
    items = ["mend the door", "paint it"]
    assert tasks(read([listed]), items) == dict(zip(items, (DONE, DOING), strict=True))
    assert tasks(read([listed, *later]), items) == dict.fromkeys(items, DONE)


def test_folders_and_arguments_part_commands():
    """A command in another folder, or with one more argument, is another command."""
    reading = read([window("make check (in web) → passes", "pytest -q tests/a.py → passes")])
    assert outcome(reading, ("web", "make check"), ["web", "api"]) == PASS
    assert outcome(reading, ("api", "make check"), ["web", "api"]) == UNTOLD
    assert outcome(reading, ("", "make check"), ["web", "api"]) == UNTOLD
    assert outcome(reading, ("", "pytest -q"), ["web"]) == UNTOLD
    tree = read([window("commands:", "  web/:", "    make check: ok")])
    assert outcome(tree, ("web", "make check"), ["web"]) == PASS
    counted = read([window("commands (3 failing):", "  make lint: step_0003")])
    assert outcome(counted, ("", "make lint"), ["web"]) == UNTOLD
    failing = read([window("failing:", "  web/:", "    make check")])
    assert outcome(failing, ("web", "make check"), ["web"]) == FAIL


def test_a_failure_is_closed_by_its_own_command_only():
    """A later pass of the same command closes a failure; that of another does not."""
    failed = called("pytest -q", "FAILED tests/a.py::test_b - expected 1, got 2\n1 failed")
    passed = called("pytest -q", "3 passed", "c2")
    other = called("make docs", "all ok", "c3")
    about = ("tests/a.py::test_b", "expected 1, got 2", [("", "pytest -q")], ())
    assert failure(read(failed), *about) == "open"
    assert failure(read([*failed, *other]), *about) == "open"
    assert failure(read([*failed, *passed]), *about) == "closed"
    together = window("errors:", " FAILED tests/a.py::test_b", "commands:", " pytest -q → passes")
    assert failure(read([together]), *about) == CONTRADICTORY


def test_paths_in_a_tree_and_under_headings():
    """A file's deed may stand in the heading above it; excerpts and quotes are no statements."""
    tree = window("edited:", "  src/core/", "    a.py (+1 −2)", "read:", "  src/core/", "    b.py")
    assert fate(read([tree]), "src/core/a.py") == EDITED
    assert fate(read([tree]), "src/core/b.py") == UNTOLD
    excerpt = window("[lines 3–9 of notes.md]", "edited src/a.py")
    assert fate(read([excerpt, window("> edited src/a.py")]), "src/a.py") == UNTOLD


def test_what_was_taken_back_is_not_current():
    """A rule, a choice and a value that were taken back yield to what came instead."""
    rules = window("Never edit proto/.", "Forget what I said about proto/.")
    assert rule(read([rules]), "proto") == LIFTED
    assert (
        rule(read([window(*reversed(rules.blocks[0].text.split("\n")))]), "proto") == CONTRADICTORY
    )
    said = window("The cache uses Redis.", "For the cache SQLite replaces Redis.")
    assert choice(read([said]), "cache", ("Redis", "SQLite")) == "SQLite"
    both = window("the cache uses Redis", "the cache uses SQLite")
    assert choice(read([both]), "cache", ("Redis", "SQLite")) == CONTRADICTORY
    assert value(read([window("a_limit = 30 … now 45")]), "a_limit") == "45"
    assert value(read([window("Change a_limit from 30 to 45.")]), "a_limit") == "45"
