from loom.reduce.closings import CLOSINGS, EVERY_TASK, closings
from tests.kit.cases import all_cases


def told(text: str) -> list[tuple[str, str]]:
    """What a text closes: (number or all, words)."""
    return [(fact.about, fact.text) for _, fact in closings(text)]


@all_cases(
    "text",
    [
        "", "Working on task 3.", "Task 3 is not done.", "Is task 3 done?", "- [ ] write it",
        "Once task 3 is done, I go on.", "Task 3 will be completed.", "All tests are done well",
        "## Batch Complete - All Tasks Done", "Almost all tasks are done.",
    ],
)  # fmt: skip
def test_what_is_open_or_under_a_condition_closes_nothing(text: str) -> None:
    """A word of doubt or of time, and nothing is said to be done."""
    assert told(text) == []


@all_cases(
    ("text", "closed"),
    [
        ("Task 3 is done.", [("3", "")]), ("Task #12 (the parser) is now complete", [("12", "")]),
        ("Issue 7: resolved", [("7", "")]), ("All 5 tasks are complete.", [(EVERY_TASK, "")]),
        ("- [x] Write the parser", [("", "Write the parser")]),
        ("✅ **Write the parser**", [("", "Write the parser")]),
        ("1. Write the parser — done", [("", "Write the parser")]),
        ("~~Write the parser~~", [("", "Write the parser")]),
    ],
)  # fmt: skip
def test_what_is_said_to_be_done(text: str, closed: list[tuple[str, str]]) -> None:
    """An item by its number or its words, or the whole list."""
    assert told(f"Good.\n{text}\nNow on.") == closed


@all_cases("unit", ["✅ ab\n", "task 1 ", "~~a", "- [x] a", "a: ", "all tasks "])
def test_closings_are_bounded(unit: str) -> None:
    """Of any text at most so many, each from the head of a line."""
    assert len(told(unit * 20_000)) <= CLOSINGS
