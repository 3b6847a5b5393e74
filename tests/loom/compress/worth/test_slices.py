"""Slices: ranges that cover a text, and excerpts made of them."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from loom.compress.worth.slices import (
    CHARS,
    END,
    MOST,
    ExcerptPart,
    excerpt_text,
    lines_with_ends,
    merge_ranges,
    slice_ranges,
    start_line_note,
    strip_line_numbers,
    without_line_number,
)
from tests.kit.cases import all_cases

LINE = st.sampled_from(
    ["", "    deep = 1", "def top():", "x" * 3_000, "\r", "héllo", "\u2028", " "]
)
TEXTS = st.one_of(st.text(max_size=300), st.lists(LINE, max_size=300).map("\n".join))


@given(TEXTS)
def test_slices_cover_every_line_once(text: str) -> None:
    """Ranges follow each other without gap or overlap, from the first line to the last; each has at
    most MOST lines, and more than CHARS characters only as one line."""
    lines = lines_with_ends(text)
    assert "".join(lines) == text
    covered = [line for first, last in slice_ranges(lines) for line in range(first, last + 1)]
    assert covered == list(range(1, len(lines) + 1))
    for first, last in slice_ranges(lines):
        assert 0 <= last - first < MOST
        assert first == last or sum(map(len, lines[first - 1 : last])) <= CHARS


@given(st.lists(LINE.filter(bool), min_size=1, max_size=300), st.data())
def test_an_excerpt_names_every_gap(lines: list[str], data: st.DataObject) -> None:
    """What is shown and what the gaps name are each line once, in order."""
    text = lines_with_ends("\n".join(lines) + "\n")
    kept = sorted(data.draw(st.sets(st.sampled_from(slice_ranges(text)))))
    pieces = [ExcerptPart((a, b), "".join(text[a - 1 : b])) for a, b in kept]
    shown = excerpt_text(pieces, len(text), "REF")
    rest: list[str] = []
    at = 0
    for first, last in merge_ranges(kept):
        rest += [f"[lines {at + 1}–{first - 1} moved → REF]\n"] if first > at + 1 else []
        rest += text[first - 1 : last]
        at = last
    rest += [f"[lines {at + 1}–{len(text)} moved → REF]\n"] if at < len(text) else []
    assert shown == "".join(rest).removesuffix("\n")


def test_an_excerpt_without_a_page_marks_what_is_between() -> None:
    """Two places never stand as if one followed the other; what comes before the first is told by
    the heading above."""
    pieces = [
        ExcerptPart((3, 3), "one\n"),
        ExcerptPart((4, 4), "two\n"),
        ExcerptPart((9, 9), "ten"),
    ]
    assert excerpt_text(pieces, 0, "", "zx12") == "one\ntwo\n[… zx12]\nten"
    numbered = [ExcerptPart((3, 3), "one\n", 30), ExcerptPart((9, 9), "ten", 90)]
    assert (
        excerpt_text(numbered, 0, "", "zx12")
        == "[line 30 of the file zx12]\none\n[line 90 of the file zx12]\nten"
    )


@all_cases(
    ("text", "ranges"),
    [
        ("", []),
        ("one", [(1, 1)]),
        ("one\n", [(1, 1)]),
        ("a\n" * 48, [(1, 48)]),
        ("a\n" * 49, [(1, 40), (41, 49)]),
        ("a\n" * 30 + "\n" + "b\n" * 30, [(1, 31), (32, 61)]),
        ("    a\n" * 25 + "\n    b\n\ndef c():\n" + "    a\n" * 40, [(1, 28), (29, 69)]),
        ("z" * 7_000 + "\nshort\n", [(1, 1), (2, 2)]),
    ],
)
def test_where_a_text_is_cut(text: str, ranges: list[tuple[int, int]]) -> None:
    """Short texts are one slice; long ones are cut after a blank line, least indented, or at 40."""
    assert slice_ranges(lines_with_ends(text)) == ranges


@given(st.lists(st.tuples(st.integers(1, 60), st.integers(0, 9)), max_size=12))
def test_merged_ranges_are_the_same_lines(spans: list[tuple[int, int]]) -> None:
    """Merging keeps the set of lines, leaves a gap between any two, and is idempotent."""
    ranges = [(first, first + more) for first, more in spans]
    done = merge_ranges(ranges)
    lines = {line for first, last in ranges for line in range(first, last + 1)}
    assert {line for first, last in done for line in range(first, last + 1)} == lines
    assert all(one[1] + 1 < two[0] for one, two in pairwise(done))
    assert merge_ranges(done) == done


@all_cases(
    ("line", "rest"),
    [
        ("plain", "plain"),
        ("x = 12: y", "x = 12: y"),
        ("", ""),
        ("    12→code", "code"),
        ("7\t  code\n", "  code\n"),
        ("3: code", " code"),
        ("  9|code", "code"),
    ],
)
def test_line_numbers(line: str, rest: str) -> None:
    """The number a file tool wrote is taken off."""
    assert without_line_number(line) == rest


@given(
    st.lists(LINE.map(lambda line: line.replace("\r", "")), min_size=1, max_size=80),
    st.integers(0, 9_000),
    st.sampled_from(["{:6d}→{}", "{}\t{}", "{:5d}\t{}"]),
    st.booleans(),
)
def test_numbers_leave_and_the_first_tells_them(
    lines: list[str], first: int, form: str, ended: bool
) -> None:
    """Lines numbered one after another lose just their numbers; one line alone keeps its own."""
    text = "\n".join(form.format(first + at, line) for at, line in enumerate(lines)) + "\n" * ended
    plain = "\n".join(lines) + "\n" * ended
    run = (plain, first) if len(lines) > 1 else (text, 0)
    assert strip_line_numbers(lines_with_ends(text)) == run


@all_cases(
    ("text", "rest", "number"),
    [
        ("", "", 0),
        (" 7→only\n", " 7→only\n", 0),
        (" 7→one\n 9→two\n", " 7→one\n 9→two\n", 0),
        (" 7→one\n 8→two\n 8→three\n", "one\ntwo\n 8→three\n", 7),
        ("9→one\n10→two\n(end)\n", "one\ntwo\n(end)\n", 9),
        ("(begin)\n1→one\n2→two\n", "(begin)\n1→one\n2→two\n", 0),
        ("1: one\n2: two\n", "1: one\n2: two\n", 0),
        ("1|one\n2|two\n", "1|one\n2|two\n", 0),
        ("1→2→x\n2→3→y\n", "2→x\n3→y\n", 1),
    ],
)
def test_where_a_run_of_numbers_ends(text: str, rest: str, number: int) -> None:
    """Only what surely is a number goes, and only as far as the numbers follow each other."""
    assert strip_line_numbers(lines_with_ends(text)) == (rest, number)


@given(st.integers(2, 200), st.integers(1, 30), st.integers(1, 900))
def test_a_slice_ends_where_the_numbers_end(numbered: int, behind: int, first: int) -> None:
    """What a tool says behind the lines of a file stands in slices of its own."""
    lines = [f"{first + at:6d}→code\n" for at in range(numbered)]
    lines += [f"said behind it {at}\n" for at in range(behind)]
    assert numbered in [last for _, last in slice_ranges(lines)]


ONE, TWO = ExcerptPart((1, 2), "a\nb\n", 11), ExcerptPart((3, 4), "c\nd\n", 13)
LAST, FAR = ExcerptPart((5, 5), "(end)"), ExcerptPart((3, 4), "c\nd\n", 101)


@all_cases(
    ("pieces", "text"),
    [
        ([ONE, TWO, LAST], "[line 11 of the file]\na\nb\nc\nd\n(end)"),
        ([TWO, ONE], "[line 11 of the file]\na\nb\nc\nd\n[lines 5–5 moved → R]"),
        ([TWO], "[lines 1–2 moved → R]\n[line 13 of the file]\nc\nd\n[lines 5–5 moved → R]"),
        ([ONE, FAR], "[line 11 of the file]\na\nb\n[line 101 of the file]\nc\nd\n[lines 5–5 moved"
         " → R]"),
        ([ONE, LAST], "[line 11 of the file]\na\nb\n[lines 3–4 moved → R]\n(end)"),
    ],
)  # fmt: skip
def test_an_excerpt_says_where_its_lines_begin(pieces: list[ExcerptPart], text: str) -> None:
    """Before lines whose numbers were left out stands the first, once for those that follow."""
    assert excerpt_text(pieces, 5, "R") == text


def test_notes_alone_carry_the_mark() -> None:
    """Each note does, before its end or its arrow; where lines show the mark, `…` stands for it."""
    pieces = [ExcerptPart((1, 2), "[lines 1–9 moved zx73 → x]\nb\n", 11), FAR]
    assert excerpt_text(pieces, 5, "R", "zx73") == (
        "[line 11 of the file zx73]\n[lines 1–9 moved … → x]\nb\n"
        "[line 101 of the file zx73]\nc\nd\n[lines 5–5 moved zx73 → R]"
    )
    assert start_line_note(0, "zx73") == ""


def test_of_a_very_long_text_both_ends_are_sliced() -> None:
    """Lines between the first END and the last END stand in no slice, however many they are."""
    lines = lines_with_ends("".join(f"line {number}\n" for number in range(3 * END)))
    covered = [line for first, last in slice_ranges(lines) for line in range(first, last + 1)]
    assert covered == [*range(1, END + 1), *range(2 * END + 1, 3 * END + 1)]
    assert lines_with_ends("\n" * 5) == ["\n"] * 5
