"""The lines of a text that hold what was asked for."""

from __future__ import annotations

from loom.search.matching import LINE_CHARS, Sought
from loom.search.terms import asked
from tests.kit.cases import all_cases

TEXT = "nothing here\nthe tests were running\ncall run_tests() now\n"
MATCHES: list[tuple[str, list[int]]] = [
    ("", []),
    ("xyzzy", []),
    ("nothing", [7]),
    ("run", [8, 9]),
    ("runTests", [9, 8]),
    ("calls", [9]),
]


@all_cases(("query", "numbers"), MATCHES)
def test_matching(query: str, numbers: list[int]) -> None:
    """Lines with the most terms first, under their numbers in the whole text."""
    assert [number for number, _ in Sought(asked(query)).matching(TEXT, 7)] == numbers


@all_cases(
    ("query", "found"),
    [
        ("", False),
        ("tests", False),
        ("nothing tests", False),
        ("run the test", True),
        ("run_tests call", True),
        ("call tests nowhere", False),
        ("TÉSTS runs", True),
    ],
)
def test_a_line_holds_all(query: str, found: bool) -> None:
    """All words in one line, in any form; one word alone says nothing, nor words of two lines."""
    assert Sought(asked(query)).holds_all(TEXT) is found


@all_cases("at", [0, 500, 5_000, 9_990])
def test_a_long_line_is_shown_around_its_hit(at: int) -> None:
    """Wherever the word stands, it is shown, in at most so many characters."""
    line = "x " * (at // 2) + "kraken" + " y" * ((9_990 - at) // 2)
    ((_, shown),) = Sought(asked("kraken")).matching(line, 1)
    assert "kraken" in shown and len(shown) <= LINE_CHARS


def test_of_a_long_line_whole_sentences_are_shown() -> None:
    """Half a sentence may say the opposite of it: what stands before the word that was asked for
    may govern it."""
    other = "Nobody has looked at that part for years, and it shows. " * 6
    rule = "Under no circumstances whatever may anybody restart the billing server by day."
    shown = Sought(asked("billing server")).around(f"{other}{rule} {other}".strip())
    assert shown.strip("… ") == rule
    assert len(shown) <= LINE_CHARS
