"""Calls that were turned down, and what the user said then."""

from __future__ import annotations

import pytest

from loom.compress.digest.collect import collected
from loom.compress.digest.refusals import asked, made_later
from loom.compress.digest.state import brought_together
from loom_partitions.message import Fact, Step
from tests.kit.cases import all_cases

EDIT = Fact("refused", "Edited a.py", came="Never push. Why that?", at=1)
PUSH = Fact("refused", "git push", at=2)


def test_nothing_turned_down_is_told_of_nothing() -> None:
    """Facts without a refusal stay as they are."""
    facts = [Fact("ran", "git push", "", "git push", "ok", at=1)]
    assert made_later(facts) == facts


def test_the_reason_is_nobodys_rule() -> None:
    """The words of a refusal come out of a result: they stay beside the call, quoted."""
    (turned,) = collected([Step(7, (), 0, facts=(EDIT,))])
    assert turned.kind == "refused" and turned.came == "Never push. Why that?"


@all_cases(
    ("later", "said"),
    [
        (Fact("edit", "a.py", "", "a.py", at=4), "edited later (step_0004)"),
        (Fact("write", "a.py", "", "a.py", at=4), "written later (step_0004)"),
        (Fact("edit", "b.py", "", "b.py", at=4), ""),
        (Fact("edit", "a.py", "", "a.py", "no result", at=4), ""),
    ],
)
def test_a_change_that_was_made_later_is_said_so(later: Fact, said: str) -> None:
    """A like change of the same file, behind the refusal, is told with it."""
    refusal = next(f for f in brought_together([EDIT, later]) if f.kind == "refused")
    assert refusal.about == said
    again = next(f for f in brought_together([refusal, later]) if f.kind == "refused")
    assert again == refusal


@pytest.mark.parametrize(("came", "said"), [("ok", "run later (step_0005)"), ("fails", "")])
def test_a_command_that_ran_later_is_said_so(came: str, said: str) -> None:
    """A command is made when it was run and did not fail."""
    run = Fact("ran", "git push", "", "git push", came, at=5)
    assert made_later([PUSH, run])[0].about == said
    assert made_later([Fact("ran", "git push", "", "git push", came, at=1), PUSH])[1].about == ""


def test_a_shortened_name_is_known_by_its_end() -> None:
    """A refusal that names the end of a path is told with the change of that file."""
    turned = Fact("refused", "Edited …/lib/a.py", at=1)
    (said, _) = made_later([turned, Fact("edit", "/repo/lib/a.py", "", "/repo/lib/a.py", at=3)])
    assert said.about == "edited later (step_0003)"
    (said, _) = made_later([turned, Fact("edit", "/repo/b.py", "", "/repo/b.py", at=3)])
    assert said.about == ""


def test_what_was_asked_for_was_not_done() -> None:
    """A change that was turned down is told as what was asked for."""
    assert asked("Edited a.py") == ("edit", "a.py")
    assert asked("git push") == ("", "git push")
