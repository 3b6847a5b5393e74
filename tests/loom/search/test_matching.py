"""The lines of a text that hold what was asked for."""

from __future__ import annotations

from loom.search.matching import LINE_CHARS, Sought
from loom.search.terms import asked


def test_of_a_long_line_whole_sentences_are_shown() -> None:
    """Half a sentence may say the opposite of it: what stands before the word that was asked for
    may govern it."""
    other = "Nobody has looked at that part for years, and it shows. " * 6
    rule = "Under no circumstances whatever may anybody restart the billing server by day."
    shown = Sought(asked("billing server")).around(f"{other}{rule} {other}".strip())
    assert shown.strip("… ") == rule
    assert len(shown) <= LINE_CHARS
