"""Changes that `git stash` sets aside and brings back."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from loom.compress.digest.collect import collected
from loom.compress.digest.state import brought_together
from loom.reduce.deeds import ASIDE, BACK, DROPPED, EVERY, facts_of_result
from loom_partitions.message import Fact, Reduction, Step
from tests.kit.cases import all_cases

NONE = Reduction("shell", {}, "", "")


def told(*lines: str) -> str:
    """What an edit is told with after some commands."""
    edit = Fact("edit", "a.py", "11>22", "a.py", "+1 −0")
    ran = [
        facts_of_result("Bash", json.dumps({"command": line}), "", False, NONE) for line in lines
    ]
    steps = [Step(id, (), 0, facts=facts) for id, facts in enumerate([(edit,), *ran], 1)]
    (one,) = (fact for fact in brought_together(collected(steps)) if fact.kind == "edit")
    return one.came


def test_what_is_no_stash_changes_nothing() -> None:
    """Commands that only look at a stash leave an edit as it is."""
    assert told("git stash list") == told("git log") == "+1 −0"


@all_cases(
    ("lines", "note"),
    [
        (["git stash"], f", {ASIDE}"),
        (["git stash push -m wip"], f", {ASIDE}"),
        (["git stash", "git stash pop"], f", {BACK}"),
        (["git stash && make; git stash pop"], f", {BACK}"),
        (["git stash", "git stash pop", "git stash"], f", {ASIDE}"),
        (["git stash", "git stash drop"], f", {DROPPED}"),
        (["git stash pop"], ""),
        (["git stash push other.py"], ""),
    ],
)
def test_set_aside_is_not_lost(lines: list[str], note: str) -> None:
    """A stash sets aside what a pop brings back; a pop of what was not set aside does nothing."""
    assert told(*lines) == f"+1 −0{note}"


def test_an_edit_behind_a_stash_is_not_set_aside() -> None:
    """What was changed before stays set aside, what is changed now stands."""
    facts = [
        Fact("edit", "a.py", "11>22", "a.py", "+1 −0", at=1),
        Fact("undo", "", "", EVERY, ASIDE, at=2),
        Fact("edit", "a.py", "33>44", "a.py", "+2 −0", at=3),
    ]
    (one,) = brought_together(facts)
    assert one.came == f"+3 −0; what was changed before: {ASIDE}"
    (back,) = brought_together([one, Fact("undo", "", "", EVERY, BACK, at=4)])
    assert back.came.endswith(BACK)


@given(st.lists(st.sampled_from(["git stash", "git stash pop", "git stash drop", "ls"])))
def test_told_twice_is_told_once(lines: list[str]) -> None:
    """However often changes are set aside, one note says how they stand."""
    came = told(*lines)
    assert sum(came.count(note) for note in (ASIDE, BACK, DROPPED)) <= 1
