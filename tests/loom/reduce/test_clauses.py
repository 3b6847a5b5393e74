"""Sentences written shorter say that they were cut."""

from hypothesis import given
from hypothesis import strategies as st

from loom.reduce.clauses import CUT, LIMITED, LONG, begun, told


@given(st.text(max_size=600), st.integers(2, 200))
def test_any_text_is_begun_within_its_room(text: str, limit: int) -> None:
    """However odd it is, in at most so many characters, on one line; what is cut is marked."""
    made = begun(text, limit)
    assert len(made) <= limit and "\n" not in made
    assert not made or made.endswith((CUT, LIMITED)) or made == begun(text, 9_000)
    assert told(text, limit) or not text.strip()


def test_a_line_ends_where_a_sentence_does() -> None:
    """A later sentence limits none before it, so nothing has to be said of it."""
    text = "Mend the parser in the old folder first of all. Never touch the tests of it, whatever."
    assert begun(text, 70) == "Mend the parser in the old folder first of all. …"
    assert begun("Mend it.", 70) == "Mend it."
    assert begun("word " * 40, 40) == "word " * 7 + "…"


def test_what_binds_and_is_cut_says_so() -> None:
    """A rule cut within its sentence ends with a clause, and says that more may limit it."""
    text = (
        "You may rename the helpers of client 3, but never delete its old retry code, as we bill."
    )
    assert begun(text, 80) == "You may rename the helpers of client 3" + LIMITED
    assert begun(text, 20) == ""
    assert (told(text, 20), told(text, 20, 80)) == (LONG, begun(text, 80))
    assert told(text, 20, otherwise="") == told("", 80) == ""
