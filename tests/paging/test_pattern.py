"""Patterns: the same answers as `re`, and no way to provoke a search that does not end."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loom_paging.pattern import _Automaton, search_for

ATOMS = st.sampled_from(
    ["a", "b", "A", ".", "[ab]", "[^a]", r"\w", r"\d", r"\s", r"\b", "^", "$", "é", "(?i:B)", "_"]
)
REPEATS = st.sampled_from(["?", "{2}", "{1,3}", "{0}", "{,2}", "??"])
LOOPS = st.sampled_from(["*", "+", "{2,}", "*?"])


def grow(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Patterns made of patterns, without unbounded repeats."""
    return (
        st.lists(inner, min_size=1, max_size=3).map("".join)
        | st.lists(inner, min_size=2, max_size=3).map("|".join).map("({})".format)
        | st.builds("(?:{}){}".format, inner, REPEATS)
    )


FLAT = st.recursive(ATOMS, grow, max_leaves=6)
PATTERNS = st.lists(FLAT | st.builds("(?:{}){}".format, FLAT, LOOPS), min_size=1, max_size=3)


@settings(max_examples=400, deadline=None)
@given(PATTERNS.map("".join), st.text(alphabet="abAB é_1-", min_size=1, max_size=8))
def test_the_answers_are_those_of_re(pattern: str, line: str) -> None:
    """Whether a line matches is what `re` says, and the end is that of the earliest match."""
    search = search_for(pattern)
    assert isinstance(search, _Automaton), search.note
    bare = re.sub(r"\\.", "", pattern)
    compiled = re.compile(pattern, 0 if bare != bare.lower() else re.IGNORECASE)
    found = search.end(line)
    assert (found is not None) == (compiled.search(line) is not None)
    if found is not None:
        # Cutting the line could let `$` and `\b` match early; asking where a match may end cannot.
        assert any(
            re.compile(f"(?:{pattern})(?<=^.{{{found}}})", compiled.flags).match(line, start)
            for start in range(found + 1)
        )


@pytest.mark.parametrize(
    ("pattern", "line", "matches"),
    [
        ("error", "an ERROR here", True),
        ("Error", "an ERROR here", False),
        (r"\W", "abc", False),
        (r"\Ser", "error", False),
        (r"\berror\b", "terrors", False),
        ("straße", "STRASSE", False),
        ("ünï", "ÜNÏ", True),
        ("(?x) a b # c", "ab", True),
        ("(?s:.)", "x", True),
        (r"foo.*bar.*baz", "foo bar baz", True),
        (r"(?:foo|bar)+$", "xfoobarfoo", True),
        (r"\d{1,3}(\.\d{1,3}){3}", "at 10.0.0.254:80", True),
        ("[[a]", "[", True),
    ],
)
def test_smart_case_and_common_patterns(pattern: str, line: str, matches: bool) -> None:
    """A pattern without capitals ignores case; escapes are no capitals."""
    search = search_for(pattern)
    assert (search.note, search.end(line) is not None) == ("", matches)


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("(a+)+$", "nests unbounded repeats"),
        ("(a*)*b", "nests unbounded repeats"),
        ("((a{2,})|b)*", "nests unbounded repeats"),
        ("(?:(?:x+x+)+y){1,}", "nests unbounded repeats"),
        ("(a)\\1", "refers back"),
        ("(a)?(?(1)b|c)", "refers back"),
        ("a(?=b)", "looks ahead"),
        ("(?<!a)b", "looks ahead"),
        ("(?>a+)b", "atomic"),
        ("a++b", "possessive"),
        ("a{5000}", "repeats too much"),
        ("(?:a{100}){100}", "repeats too much"),
        ("(?:(?:(?:){1999}){1999}){1999}", "repeats too much"),
        (r"(?a)\bx", "in ASCII"),
        ("a[", "no regular expression"),
        ("*", "no regular expression"),
        ("(" * 5000 + ")" * 5000, "nested too deep"),
        ("a{99999999999999999999}", "nested too deep"),
    ],
)
def test_what_cannot_be_walked_is_literal(pattern: str, why: str) -> None:
    """The pattern is looked for as it stands, and the note says why."""
    search = search_for(pattern)
    assert "matched literally" in search.note
    assert why in search.note
    assert search.end("a" * 40 + "b") is None
    assert search.end(f"before {pattern} after") == len("before ") + len(pattern)


@pytest.mark.parametrize(
    "pattern", ["(a|a)*$c", "a*a*a*a*a*a*a*a*b", "(a?){50}a{50}c", "(.*)(.*)c"]
)
def test_ambiguous_patterns_stay_linear(pattern: str) -> None:
    """What makes a backtracking matcher explode costs a few visits per character here."""
    search = search_for(pattern)
    assert isinstance(search, _Automaton)
    assert search.end("a" * 2000) is None
    assert search.work < 2000 * 160


def test_the_walk_is_metered() -> None:
    """A text that keeps meeting new sets ends the walk; the rest is matched literally, noted."""
    search = search_for("(a|b)*a(a|b){600}c")
    assert isinstance(search, _Automaton)
    chance = random.Random(7)
    for _ in range(200):
        search.end("".join(chance.choice("ab") for _ in range(2000)))
        if search.note:
            break
    assert "too costly" in search.note
    spent = search.work
    assert search.end("xx (a|b)*a(a|b){600}c") == 21
    assert search.work == spent
