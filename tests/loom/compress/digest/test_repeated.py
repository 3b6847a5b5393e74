"""Sentences of the user that say the same."""

from __future__ import annotations

from msgspec.structs import replace

from loom.compress.digest.state import as_it_is, brought_together
from loom.reduce.said import facts_of_user
from loom_partitions.message import Fact
from tests.kit.cases import all_cases


def said(*messages: str) -> list[Fact]:
    """What messages say, each at its own entry."""
    return [
        replace(fact, at=at)
        for at, message in enumerate(messages, 1)
        for fact in facts_of_user(message)
    ]


def left(*messages: str) -> list[str]:
    """The sentences that stay of messages."""
    return [fact.text for fact in brought_together(said(*messages))]


@all_cases(
    "messages",
    [
        (),
        ("Q1: keep the old API. Yes.\nQ2: rename the table. No.\nQ3: drop the index. Yes.",),
        ("Keep a? No. Keep b? No.",),
        ("Move the cache to the disk. Yes.", "Rename the table of users. Yes."),
        ("Go on.", "Go on."),
        ("The first module of the two:\nno\nThe second module of the two:\nno",),
    ],
)
def test_an_answer_stays_with_what_it_answers(messages: tuple[str, ...]) -> None:
    """A short sentence that stands twice answers two questions: both stay."""
    assert left(*messages) == [fact.text for fact in said(*messages)]


@all_cases(
    ("messages", "stays"),
    [
        (("Never push to main without me.",) * 2, ["Never push to main without me."]),
        (("Use tabs in all files. Test every change you make.", "Test every change you make."),
         ["Use tabs in all files.", "Test every change you make."]),
    ],
)  # fmt: skip
def test_what_says_the_same_stands_once(messages: tuple[str, ...], stays: list[str]) -> None:
    """Of sentences that are understood alone the last stands."""
    assert left(*messages) == stays


def test_what_stays_in_the_window_takes_no_part_of_a_line() -> None:
    """An answer in a message that is still there closes no question of one that left."""
    facts = said("Q1: keep the old API. Yes.\nQ2: rename the table. No.", "Also b. Yes. No.")
    gone, later = [f for f in facts if f.at == 1], [f for f in facts if f.at == 2]
    assert as_it_is(brought_together(gone), later) == gone
