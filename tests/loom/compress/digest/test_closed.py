"""The task list as it is now, by its calls and by what the agent said."""

from __future__ import annotations

from loom.compress.digest.closed import task_list
from loom.compress.digest.state import as_it_is, brought_together
from loom.reduce.closings import EVERY_TASK
from loom.reduce.tasks import WHOLE
from loom_partitions.message import Fact
from tests.kit.cases import all_cases

WHOLE_LIST = [
    Fact("task", "", about="*", at=1),
    Fact("task", "Write the parser", WHOLE, "1", "doing", at=1),
    Fact("task", "Task 3: test it", WHOLE, "2", "todo", at=1),
]
NUMBERED = [Fact("task", "Write it", "", "7", "todo", at=1), Fact("task", "Test", "", "8", at=1)]


def states(facts: list[Fact]) -> list[str]:
    """The state of each item that has words."""
    return [fact.came for fact in brought_together(facts) if fact.kind == "task" and fact.text]


def said(text: str = "", about: str = "") -> Fact:
    """The agent says that something is done."""
    return Fact("closed", text, about=about, at=2)


def test_nothing_said_closes_nothing() -> None:
    """A list stands as its calls wrote it; words about no item of it close none."""
    assert task_list([]) == []
    assert states(WHOLE_LIST) == ["doing", "todo"]
    assert states([*WHOLE_LIST, said("Parser"), said(about="1"), said("Write")]) == [
        "doing",
        "todo",
    ]


@all_cases(
    ("closing", "left"),
    [
        (said("write the parser!"), ["done", "todo"]), (said(about="3"), ["doing", "done"]),
        (said("Write the parser, with tests"), ["done", "todo"]),
        (said(about=EVERY_TASK), ["done", "done"]),
    ],
)  # fmt: skip
def test_what_the_agent_says_is_done_is_not_open(closing: Fact, left: list[str]) -> None:
    """An item is closed by its words, or by the number it begins with."""
    assert states([*WHOLE_LIST, closing]) == left
    kept = as_it_is(brought_together(WHOLE_LIST), [closing])
    assert [fact.came for fact in kept if fact.text] == left


def test_an_item_with_a_number_of_its_own_is_closed_by_it() -> None:
    """The number a call gave an item names it; a later call has the last word."""
    assert states([*NUMBERED, said(about="7")]) == ["done", ""]
    again = Fact("task", "", about="7", came="doing", at=3)
    assert states([*NUMBERED, said(about="7"), again]) == ["doing", ""]


def test_a_list_written_anew_is_the_list() -> None:
    """What was on an older list, and what was said of it, is no more."""
    assert states([*NUMBERED, said(about=EVERY_TASK), *WHOLE_LIST]) == ["doing", "todo"]
