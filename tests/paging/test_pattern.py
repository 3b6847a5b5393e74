"""Patterns: the same answers as `re`, and no way to provoke a search that does not end."""

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loom_paging.lookup import _LONGEST, _WORK, Pattern
from tests.kit.cases import all_cases

ATOMS = st.sampled_from(
    ["a", "b", "A", ".", "[ab]", "[^a]", r"\w", r"\d", r"\s", r"\b", "^", "$", "é", "(?i:B)", "_"]
)
REPEATS = st.sampled_from(["?", "{2}", "{1,3}", "{0}", "{0,2}", "??", "*", "+", "{2,}", "*?"])


def grow(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Patterns made of patterns."""
    return (
        st.lists(inner, min_size=1, max_size=3).map("".join)
        | st.lists(inner, min_size=2, max_size=3).map("|".join).map("({})".format)
        | st.builds("(?:{}){}".format, inner, REPEATS)
    )


@settings(max_examples=400, deadline=None)
@given(st.recursive(ATOMS, grow, max_leaves=6), st.text(alphabet="abAB é_1-", max_size=8))
def test_the_answers_are_those_of_re(pattern: str, line: str) -> None:
    """A line matches, and the match begins, where `re` says, its classes being of ASCII."""
    search = Pattern(pattern)
    bare = re.sub(r"\\.", "", pattern)
    fold = re.NOFLAG if bare != bare.lower() else re.IGNORECASE
    found = re.search(pattern, line, re.ASCII | fold)
    assert (search.find(line), search.note) == (found and found.start(), "")


@all_cases(
    ("pattern", "line", "matches"),
    [
        ("error", "an ERROR here", True),
        ("Error", "an ERROR here", False),
        (r"\W", "abc", False),
        (r"\Ser", "error", False),
        (r"\berror\b", "terrors", False),
        ("straße", "STRASSE", False),
        ("ünï", "ÜNÏ", True),
        ("(?s:.)", "x", True),
        (r"foo.*bar.*baz", "foo bar baz", True),
        (r"(?:foo|bar)+$", "xfoobarfoo", True),
        (r"\d{1,3}(\.\d{1,3}){3}", "at 10.0.0.254:80", True),
        ("[[a]", "[", True),
        (r"\pL+\pZ\pN", "größe ٣", True),
        ("a.c", "a\ud800c", True),
        ("a\0b", "a\0b", True),
        ("c$", "abc\r", True),
    ],
)
def test_smart_case_and_common_patterns(pattern: str, line: str, matches: bool) -> None:
    """A pattern without capitals ignores case; escapes are no capitals."""
    search = Pattern(pattern)
    assert (search.note, search.find(line) is not None) == ("", matches)


def test_a_match_begins_at_a_character() -> None:
    """Where a match begins is counted in characters, not in bytes."""
    assert Pattern("needle").find("größe 页 🧵 needle") == 10


@all_cases(
    ("pattern", "why"),
    [
        ("a++b", "bad repetition operator"),
        ("a{5000}", "invalid repetition size"),
        ("(?:a{100}){100}", "invalid repetition size"),
        ("(?:(?:(?:){1999}){1999}){1999}", "invalid repetition size"),
        (r"(?:[\pL\pN]{9}){9}x", "pattern too large"),
        (r"C:\Users", "invalid escape sequence"),
        ("def f(", "missing )"),
        ("a[", "missing ]"),
        ("*", "no argument"),
        ("a\ud800b", "half a character"),
        ("a|" * _LONGEST, "too long"),
    ],
)
def test_what_is_no_expression_is_literal(
    pattern: str, why: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """The pattern is looked for as it stands, the note says why, and nothing else does."""
    search = Pattern(pattern)
    assert "matched literally" in search.note
    assert why in search.note
    assert len(search.note) < 160
    assert search.find("a" * 40 + "b") is None
    assert search.find(f"before {pattern} after") == len("before ")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("pattern", ["(" * 4000 + ")" * 4000, "[" * _LONGEST, "(?:a?)" * 1000])
def test_a_deep_pattern_is_made_ready_or_literal(pattern: str) -> None:
    """Nesting and repeating as far as there is room for ends in a search of one kind."""
    assert Pattern(pattern).find("x") in (None, 0)


@all_cases(
    "pattern", ["(a|a)*$c", "a*a*a*a*a*a*a*a*b", "(a?){50}a{50}c", "(.*)(.*)c", "(a+)+$", "(a*)*b"]
)
def test_ambiguous_patterns_stay_linear(pattern: str) -> None:
    """What makes a backtracking matcher explode costs a few instructions a character here."""
    search = Pattern(pattern)
    assert search.find("a" * 2000 + "!") is None
    assert search.work < 2001 * 160


def test_the_work_is_metered() -> None:
    """A text that keeps meeting new states ends the search; the rest is literal, noted."""
    search = Pattern("(a|b)*a(a|b){600}c")
    chance = random.Random(7)
    assert search.find("".join(chance.choice("ab") for _ in range(2000))) is None
    assert (search.work > 2000 * 600, search.note) == (True, "")
    search.work = _WORK
    assert search.find("aac (a|b)*a(a|b){600}c") == 4
    assert "too costly" in search.note
    spent = search.work
    assert search.find("xx (a|b)*a(a|b){600}c") == 3
    assert search.work == spent
