"""The user's words: what of them can still be found."""

from collections.abc import Callable
from typing import Any

from loom_bench.truth.said import LONG, UserWords
from tests.kit.cases import all_cases

SENTENCE = "Please keep the old parser until the new one has passed every test we own."
PLAN = "# Plan\n\n" + "\n".join(f"Step {n} changes the module number {n} of it." for n in range(60))


@all_cases(
    ("text", "found"),
    [
        (SENTENCE, 1),
        (f"the user said:\n - {SENTENCE}", 1),
        ("Please keep the old parser until the new one has passed every test", 1),
        ("Please keep the old  parser\nuntil the new one has passed every test we own.", 1),
        ("Please keep the parser until the new one has passed each test we own.", 1),
        ("Please keep the old parser until the…", 0),
        (SENTENCE.upper(), 0),
        ("", 0),
    ],
)
def test_found(court: Callable[..., Any], text: str, found: int) -> None:
    """Whole, four fifths of it, or four fifths of its words in order; blanks play no part."""
    made = court(UserWords())
    made.user(SENTENCE)
    ruling = made.rule(text)
    assert ruling.sums["short_said"] == 1
    assert ruling.sums["short_found"] == found


def test_long_and_headings(court: Callable[..., Any]) -> None:
    """Sentences of a long message and its headings are told apart from short ones."""
    assert len(PLAN) > LONG
    made = court(UserWords())
    said = made.user(PLAN)
    sums = made.rule(said).sums
    assert (sums["long_said"], sums["long_found"]) == (60, 60)
    assert (sums["headings_said"], sums["headings_found"]) == (1, 1)
    assert made.rule("").sums["headings_found"] == 0
    assert made.rule("Step 3 changes the module number 3 of it.").sums["long_found"] == 1


@all_cases(
    "text",
    [
        "<system-reminder>Be sure to read the file first.</system-reminder>",
        "[Request interrupted by user]",
        "This session is being continued from a previous conversation that ran out. It did much.",
        "yes please",
    ],
)
def test_not_typed(court: Callable[..., Any], text: str) -> None:
    """A client's blocks, notes and summaries and words too short to be looked for do not count."""
    made = court(UserWords())
    made.user(text)
    assert not made.rule("").sums


def test_cut_short(court: Callable[..., Any]) -> None:
    """A sentence shown with its end cut off is counted, one that ends in dots itself is not."""
    made = court(UserWords())
    made.user(f"{SENTENCE}\nand so it goes on and on and on for ever and ever...")
    assert made.rule(f"{SENTENCE[:60]}…").sums["cut_short"] == 1
    assert made.rule("and so it goes on and on and on for ever and ever...").sums["cut_short"] == 0


def test_the_text_of_a_command_is_not_the_users(court: Callable[..., Any]) -> None:
    """What a client sends behind the message that names a command was typed by nobody."""
    made = court(UserWords())
    made.user("<command-message>x</command-message>")
    made.user("Always be strict with what you read.\n" * 40)
    assert not made.rule("").sums
