"""Looking into a page by lines, by pattern, by pointer."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.errors import BadInput
from loom_paging import Slice, by_grep, by_lines, by_pointer
from loom_paging.lookup import split_lines, whole_slice
from tests.kit.cases import all_cases

PAGE = "".join(f"line {number}\n" for number in range(1, 101))
TEXTS = st.text(alphabet="ab\n\r\u2028\x0c é", max_size=30)


@all_cases(
    ("text", "total"), [("", 0), ("\n", 1), ("a", 1), ("a\n", 1), ("a\n\nb", 3), ("a\x0cb\r\n", 1)]
)
def test_whole_counts_lines(text: str, total: int) -> None:
    """A line ends at a newline and nowhere else; the last one may lack it."""
    assert whole_slice(text) == Slice(text, min(total, 1), total, total)
    assert len(split_lines(text)) == total


@all_cases(
    ("spec", "first", "last", "noted"),
    [
        ("1-100", 1, 100, False),
        ("10-40", 10, 40, False),
        (" 10 - 40 ", 10, 40, False),
        ("40", 40, 40, False),
        ("90-", 90, 100, False),
        ("-20", 81, 100, False),
        ("-1", 100, 100, False),
        ("-500", 1, 100, False),
        ("0-5", 1, 5, True),
        ("95-120", 95, 100, True),
        ("300", 100, 100, True),
        ("300-", 100, 100, True),
    ],
)
def test_by_lines(spec: str, first: int, last: int, noted: bool) -> None:
    """A range is shown as asked; what lies outside is clamped and noted."""
    shown = by_lines(PAGE, spec)
    assert (shown.first, shown.last, shown.total, bool(shown.note)) == (first, last, 100, noted)
    assert shown.text == "".join(f"line {number}\n" for number in range(first, last + 1))


@all_cases("spec", ["", "-", "a", "1-b", "1 2", "3-2", "-0", "1.5", "1-2-3", "٣", "9" * 30])
def test_nonsense_is_no_range(spec: str) -> None:
    """What is no range raises, and the message shows how one is written."""
    with pytest.raises(BadInput, match="10-40"):
        by_lines(PAGE, spec)


@given(TEXTS, st.integers(1, 12))
def test_neighbouring_slices_join_to_the_page(text: str, cut: int) -> None:
    """No character is lost or doubled between a slice and the next one."""
    if cut < whole_slice(text).total:
        left, right = by_lines(text, f"1-{cut}"), by_lines(text, f"{cut + 1}-")
        assert left.text + right.text == text
    assert by_lines(text, "1-").text == by_lines(text, "-99").text == text


@given(TEXTS, st.integers(0, 20), st.integers(0, 20))
def test_ranges_stay_within_the_page(text: str, first: int, last: int) -> None:
    """Whatever two numbers are given, the numbers shown are true."""
    first, last = sorted((first, last))
    shown = by_lines(text, f"{first}-{last}")
    assert min(shown.total, 1) <= shown.first <= shown.last <= shown.total
    assert len(split_lines(shown.text)) == (shown.last - shown.first + 1 if shown.total else 0)


def test_grep_shows_hits_in_context() -> None:
    """Hits and context are numbered and told apart, and gaps are marked."""
    shown = by_grep(PAGE, "line [39]0$", context=1)
    assert shown.text.splitlines() == [
        "29-line 29", "30:line 30", "31-line 31", "--", "89-line 89", "90:line 90", "91-line 91",
    ]  # fmt: skip
    assert (shown.first, shown.last, shown.total, shown.matches, shown.note) == (29, 91, 100, 2, "")


def test_grep_empty_pattern() -> None:
    """There is nothing to look for in an empty pattern."""
    with pytest.raises(BadInput):
        by_grep(PAGE, "")


@pytest.mark.parametrize(
    ("before", "after", "left", "right"),
    [(0, 3000, False, True), (1500, 1500, True, True), (1990, 20, True, False)],
)
def test_long_lines_are_cut_around_the_hit(
    before: int, after: int, left: bool, right: bool
) -> None:
    """A long line is shown where it matters, with marks for what is left out and its length."""
    line = "x" * before + "needle" + "y" * after
    shown = by_grep(f"{line}\nz", "needle", context=0).text
    assert "needle" in shown
    assert (shown.startswith("1:…"), f"… ({len(line)}" in shown) == (left, right)
    assert f"({len(line)} characters)" in shown
    assert len(shown) < 450


DOCUMENT = {"a": [1, {"b/c": "é", "~": None, "": 2.5}], "deep": {"k": {"x": [True]}}}


@all_cases(
    ("pointer", "value"),
    [
        ("", DOCUMENT),
        ("/a", DOCUMENT["a"]),
        ("/a/0", 1),
        ("/a/1/b~1c", "é"),
        ("/a/1/~0", None),
        ("/a/1/", 2.5),
        ("/deep/k/x", [True]),
    ],
)
def test_by_pointer(pointer: str, value: object) -> None:
    """A pointer leads to its value, shown indented, with no line numbers."""
    shown = by_pointer(json.dumps(DOCUMENT, indent=1), pointer)
    assert json.loads(shown.text) == value
    assert shown.text == json.dumps(value, indent=2, ensure_ascii=False)
    assert (shown.first, shown.last, shown.matches, shown.note) == (0, 0, 0, "")


@all_cases(
    ("pointer", "said"),
    [
        ("/b", "'a', 'deep'"),
        ("/a/2", "0 to 1"),
        ("/a/-", "0 to 1"),
        ("/a/01", "0 to 1"),
        ("/a/1/d", "'b/c', '~', ''"),
        ("/a/0/x", "plain value"),
        ("a", "no JSON pointer"),
        ("/~2", "no JSON pointer"),
    ],
)
def test_pointers_that_lead_nowhere(pointer: str, said: str) -> None:
    """The message lists what there is where the pointer left the page."""
    with pytest.raises(BadInput) as caught:
        by_pointer(json.dumps(DOCUMENT), pointer)
    assert said in str(caught.value)


@all_cases("text", ["", "plain text", '{"a":', "[" * 100_000])
def test_a_page_that_is_not_json(text: str) -> None:
    """What cannot be parsed is no page for pointers, and the message says what is."""
    with pytest.raises(BadInput, match="by lines or by pattern"):
        by_pointer(text, "/a")


def test_grep_says_what_was_done_otherwise() -> None:
    """What is no expression is looked for as it stands; classes of ASCII are told of."""
    assert "missing ]" in by_grep("list[\n", "list[").note
    assert by_grep("a\n", r"\bÜ").note == "no line matches"
    assert r"\pL is any letter" in by_grep("Ü\n", r"\bÜ").note


@all_cases("pattern", ["a(?=b)", "(?<!a)b", r"(a)\1", "(a)?(?(1)b|c)", "(?>a+)b"])
def test_grep_refuses_what_no_automaton_matches(pattern: str) -> None:
    """Look-around and what refers back raise, and the message says which and what to write."""
    with pytest.raises(BadInput, match=r"invalid .*: there is no look-around.* without"):
        by_grep(PAGE, pattern)
