"""A guide's bytes as the lines that count."""

from __future__ import annotations

import re

from hypothesis import assume, given
from hypothesis import strategies as st

from loom.capabilities.memory.guide_text import plain
from tests.kit.cases import all_cases
from tests.kit.guide_rules import lines_of

Lines = list[tuple[int, str]]


def shown(data: bytes) -> Lines:
    """The lines that count, with their numbers."""
    return [(line.number, line.text) for line in plain(data)]


ROWS = [b"text", b"", b" \t", b"\ttext  ", b"# h", b"```", b"```py", b"````", b"~~~", b"~~~ `x`",
        b"  ```", b"    ```", b"<!-- c -->", b"a <!-- c --> b", b"<!-- open", b"end --> rest",
        b"-->", b"`<!-- code -->`", b"`a` <!-- c --> `b`", b"<!-- a --> <!-- b -->",
        b"a <!-- a --> <!-- open", "中文".encode(), b"\xff\xfe", b"\xe4\xb8", b"a\x00",
        "a\x0bb\x0cc\x1cd\x85e\u2028f\u2029g".encode(), b"<!-- <!-- a --> b -->",
        b"<!-- ` --> ` <!-- c", b"`` ` <!-- c --> ``", b"a ` <!-- c --> b",
        b"```a``` b"]  # fmt: skip
# What a row alone does not show.
TEXTS = [b"\xef\xbb\xbfa\n", b"a\r\nb\rc\nd", b"\n \n\ta\n\n \nb\n\n\t\n",
         b"a\n\n<!-- c -->\n\nb",
         b"a <!-- c\nd\ne --> b\nf", b"a\nb <!-- c\nd", b"<!--\n```\n-->\n<!-- c -->\na",
         b"`a\n<!-- c -->\nb`", b"```\n<!-- c -->\n", b"```a``` b\n<!-- c -->\nd"]  # fmt: skip
ENDS = st.sampled_from([b"\n", b"\n", b"\r\n", b"\r"])
rows = st.lists(st.tuples(st.sampled_from(ROWS), ENDS).map(b"".join), max_size=16)


@given(rows.map(b"".join), st.sampled_from([b"", b"\xef\xbb\xbf"]))
def test_any_rows_against_the_reference(data: bytes, mark: bytes) -> None:
    """Fences, comments and encodings in any order read as the rules say."""
    inside = rb"<!--(?:(?!-->).)*(?:\n|\r)[ \t]*[\r\n]"
    assume(not re.search(inside, data.replace(b"\r\n", b"\n"), re.DOTALL))  # a row above
    assert ([line for _, line in shown(mark + data)] or [""]) == lines_of(mark + data)


@all_cases("data", [*ROWS, *TEXTS])
def test_a_text_against_the_reference(data: bytes) -> None:
    """Each row alone, and texts in which rows depend on one another."""
    assert ([line for _, line in shown(data)] or [""]) == lines_of(data)


def test_numbers_of_lines() -> None:
    """They are those of the file, whatever was left out before and however its lines end."""
    assert shown(b"\r\n\n<!-- a\rb --> c\r\nd\re \n\n") == [(4, " c"), (5, "d"), (6, "e")]
