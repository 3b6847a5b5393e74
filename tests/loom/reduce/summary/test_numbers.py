"""Numbers are one value in many spellings, and stand on their own bounds."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from loom.reduce.summary.numbers import NUMBER, is_number_at, is_word, spellings
from tests.kit.cases import all_cases

SAME = [
    ("0", "0"), ("7", "7.0"), ("1024", "1,024"), ("1,024", "1 024"), ("1024.0", "1_024"),
    ("1,024.50", "1024.5"), ("1.234.567", "1234567"), ("3,5", "3.50"), ("0.5", ".5"),
]  # fmt: skip
OTHER = [("1.024", "1024"), ("3", "35"), ("0,125", "125"), ("12.5", "125"), ("1e3", "1000")]


def held(number: str, text: str) -> bool:
    """Whether a text that is one number holds another."""
    for spelled in spellings(number):
        at = text.find(spelled)
        if at >= 0 and is_number_at(text, at, at + len(spelled)):
            return True
    return False


@all_cases(("one", "two"), SAME)
def test_one_value(one: str, two: str) -> None:
    """A spelling is found in another of the same value."""
    assert held(one, two)


@all_cases(("one", "two"), OTHER)
def test_two_values(one: str, two: str) -> None:
    """A spelling is not found in one of another value."""
    assert not held(one, two)


@all_cases("text", ["12", "[1,12]", "v12", "12ms", "12 %", "第12行", "T-12", "12.", "12.0"])
def test_on_its_own_bounds(text: str) -> None:
    """Units, brackets and scripts without spaces end a number."""
    assert held("12", text)


@all_cases("text", ["", "112", "123", "x12", "1.12", "12.5", "12.1.3", "12abc", "_12"])
def test_within_something_else(text: str) -> None:
    """Digits of a longer number, a fraction or a name are no number."""
    assert not held("12", text)


@given(st.from_regex(NUMBER.pattern, fullmatch=True))
def test_a_number_is_in_itself(number: str) -> None:
    """Whatever has the form of a number has spellings, and is found where it stands."""
    if number[0] != "0" and number.isascii():
        assert held(number, number)


def test_letters_that_join() -> None:
    """Letters, digits and the underscore join; CJK, blanks and joints do not."""
    assert [is_word(char) for char in "a1_é中 -"] == [True] * 4 + [False] * 3
