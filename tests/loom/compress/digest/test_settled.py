"""What settles a failure, told from what commands really answered."""

from __future__ import annotations

import json
from typing import Any

import pytest

from loom.compress.digest.collect import collected
from loom.compress.digest.state import as_it_is, brought_together
from loom.reduce.deeds import facts_of_result
from loom_partitions.message import Reduction, Step

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


@pytest.mark.parametrize(
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
    assert found["pytest"] == "fails"
    assert "FAILED tests/test_a.py::test_x - boom" in found


@pytest.mark.parametrize(
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
