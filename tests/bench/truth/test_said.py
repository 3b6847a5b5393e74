"""The user's words: what of them can still be found."""

from collections.abc import Callable
from typing import Any

from loom_bench.truth.said import LinesTwice, UserWords
from tests.kit.cases import all_cases

SENTENCE = "Please keep the old parser until the new one has passed every test we own."


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


LINE = "a line that is long enough to be told from others"
OTHER = "another line that stands nowhere but in its own place"


def test_twice_by_the_window(court: Callable[..., Any]) -> None:
    """A result shown again as text, numbered or quoted, counts once for each further place."""
    made = court(LinesTwice())
    read = made.call("Read", f"   1→{LINE}\n   2→{OTHER}", file_path="/a.py")
    ruling = made.rule(read, f"> {LINE}", f"  12→{LINE}")
    assert ruling.sums["twice"] == ruling.sums["again"] == 2 * len(LINE)
