"""What settles a failure, told from what commands really answered."""

from __future__ import annotations

import json
from typing import Any

from loom.compress.digest.collect import collected
from loom.compress.digest.state import as_it_is, brought_together
from loom.reduce.deeds import facts_of_result
from loom_partitions.message import Reduction, Step
from tests.kit.cases import all_cases

NONE = Reduction("shell", {}, "", "")
FAIL = "FAILED tests/test_a.py::test_x - boom\n1 failed in 0.1s"
PASS = "4 passed in 0.1s"
HIDDEN = {"run_in_background": True}


def came(*runs: tuple[Any, ...]) -> dict[str, str]:
    """What holds of some commands after what they answered: (line, output, failed, options)."""
    steps = []
    for id, (line, output, *more) in enumerate(runs, 1):
        error = bool(more and more[0])
        asked = json.dumps({"command": line, **(more[1] if more[1:] else {})})
        facts = facts_of_result("Bash", asked, output, error, NONE)
        steps.append(Step(id, (), 0, facts=facts))
    facts = brought_together(collected(steps))
    assert sorted(map(str, brought_together(facts))) == sorted(map(str, facts))
    held = as_it_is(facts, [])
    return {fact.text: fact.came for fact in held if fact.kind in ("ran", "error")}


def test_a_later_success_settles_a_failure() -> None:
    """Without anything else a check that passes closes its failure and takes its line away."""
    assert came(("pytest", FAIL, True), ("pytest", PASS)) == {"pytest": "passes; failed before"}


@all_cases(
    "later",
    [
        [("pytest", "Command running in background with ID: b_1", False, HIDDEN)],
        [("pytest", "Command running in background with ID: b_1")],
        [("pytest", "", False, {"is_background": True})],
        [("pytest &", "")],
        [("pytest > log 2>&1 &", "[1] 4242")],
        [("git stash && pytest", PASS)],
        [("git stash; pytest; git stash pop", PASS)],
        [("git stash", "Saved"), ("pytest", PASS), ("git stash pop", "Dropped")],
        [("git stash", "Saved"), ("pytest -q", PASS)],
        [("git checkout main && pytest", PASS)],
        [("git reset --hard && pytest", PASS)],
        [("pytest --deselect tests/test_a.py::test_x", PASS)],
    ],
)
def test_what_did_not_check_the_same_settles_nothing(later: list[tuple[Any, ...]]) -> None:
    """A check that goes on unseen, or ran without the changes, leaves a failure as it was."""
    found = came(("pytest", FAIL, True), *later)
    assert found["pytest"].partition(";")[0] == "fails"
    assert "FAILED tests/test_a.py::test_x - boom" in found


@all_cases(
    "later",
    [
        [("git stash", "Saved"), ("git stash pop", "Dropped"), ("pytest", PASS)],
        [("git stash", "No local changes to save"), ("pytest", PASS)],
        [("git stash pop && pytest", PASS)],
        [("git checkout -b mend && pytest", PASS)],
        [("git reset && pytest", PASS)],
        [("pytest & wait", PASS)],
    ],
)
def test_a_check_with_the_changes_settles(later: list[tuple[Any, ...]]) -> None:
    """Once what was set aside is back, or nothing was, a success closes the failure."""
    found = came(("pytest", FAIL, True), *later)
    assert found["pytest"].startswith("passes")


def test_a_success_while_a_stash_is_open_is_told_so() -> None:
    """Folded in one go or in two, it passes only while changes are set aside."""
    told = came(("pytest", PASS), ("git stash", "Saved"), ("pytest -q", PASS))
    assert told["pytest -q"] == "passes while changes are set aside"


def change(*lines: str, wrote: bool = False, path: str = "src/app.py", said: str = "") -> str:
    """What an edit, or a written file, is told with after some commands."""
    name, given = ("Write", {"content": "x\n"}) if wrote else (
        "Edit", {"old_string": "a", "new_string": "b"})  # fmt: skip
    calls = [(name, {"file_path": path, **given}, "ok")]
    calls += [("Bash", {"command": line}, said) for line in lines]
    steps = [
        Step(id, (), 0, facts=facts_of_result(tool, json.dumps(asked), text, False, NONE))
        for id, (tool, asked, text) in enumerate(calls, 1)
    ]
    held = brought_together(collected(steps))
    return next(fact.came for fact in held if fact.kind == name.lower())


@all_cases(
    "line",
    [
        "cd web && git checkout .",
        "git -C web checkout .",
        "(cd web; git restore .)",
        "cd /tmp/clone && git reset --hard",
        "cd ../other && git reset --hard",
        "git -C /tmp/clone stash",
        "git checkout -p src/app.py",
        "git checkout -p .",
        "git rm --cached src/app.py",
    ],
)
def test_an_edit_elsewhere_stands(line: str) -> None:
    """What another folder, or another repository, takes back is no change of this one."""
    assert change(line) == "+1 −1"


@all_cases(
    "line",
    [
        "git checkout .",
        "cd src && git checkout .",
        "cd web && git reset --hard",
        "cd web && git checkout :/",
        "cd src && git restore app.py",
    ],
)
def test_an_edit_here_is_reverted(line: str) -> None:
    """What a command takes back in the same place is told as reverted."""
    assert change(line) == "reverted"


def test_what_may_be_reverted_is_told_so() -> None:
    """A new file stays where it is; a folder from the root may be the one edits are named in."""
    assert change("git checkout .", wrote=True) == "perhaps reverted"
    assert change("git reset --hard", wrote=True) == "perhaps reverted"
    assert change("git checkout src/app.py", wrote=True) == "reverted"
    assert change("cd /srv/app && git checkout .") == "perhaps reverted"
    assert change("cd /srv/app && git checkout .", path="/srv/app/a.py") == "reverted"
    assert change("cd /srv/app && git checkout .", path="/srv/other/a.py") == "+1 −1"
    assert change("cd /tmp/clone && git commit -am x", "git checkout .") == "reverted"
    assert change("git commit -am x", "git checkout .") == "+1 −1"
    assert change("git stash", said="No local changes to save") == "+1 −1"
