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


# Lines and encodings

CASES: list[tuple[str, bytes, Lines]] = [
    ("BOM", b"\xef\xbb\xbfa\n", [(1, "a")]),
    ("CRLF, CR, LF", b"a\r\nb\rc\nd", [(1, "a"), (2, "b"), (3, "c"), (4, "d")]),
    ("no other newlines", "a\x0bb\x0cc\x1cd\x85e\u2028f\u2029g".encode(),
     [(1, "a\x0bb\x0cc\x1cd\x85e\u2028f\u2029g")]),
    ("no UTF-8", b"\xff a \xe4\xb8\nb", [(1, "\ufffd a \ufffd"), (2, "b")]),
    ("ends of lines", b"a \t\n b\t \n", [(1, "a"), (2, " b")]),
    ("ends of the file", b"\n \n\ta\n\n \nb\n\n\t\n", [(3, "\ta"), (4, ""), (5, ""), (6, "b")]),
    ("comment in a line", b"a <!-- c --> b", [(1, "a  b")]),
    ("two comments", b"<!--a-->x<!--b-->\n<!--a--> <!--b-->\ny", [(1, "x"), (3, "y")]),
    ("blank lines stay beside a comment", b"a\n\n<!-- c -->\n\nb",
     [(1, "a"), (2, ""), (4, ""), (5, "b")]),
    ("over lines", b"a <!-- c\nd\ne --> b\nf", [(1, "a"), (3, " b"), (4, "f")]),
    ("an opening in a comment", b"<!-- <!-- a --> b -->", [(1, " b -->")]),
    ("unclosed", b"a\nb <!-- c\nd", [(1, "a"), (2, "b <!-- c"), (3, "d")]),
    ("a fence in a comment", b"<!--\n```\n-->\n<!-- c -->\na", [(5, "a")]),
    ("code span", b"a `<!-- c -->` <!-- d -->b", [(1, "a `<!-- c -->` b")]),
    ("a span that opens in a comment", b"<!-- ` --> ` <!-- c", [(1, " ` <!-- c")]),
    ("a backtick in a span of two", b"`` ` <!-- c --> ``", [(1, "`` ` <!-- c --> ``")]),
    ("a code span is of one line", b"`a\n<!-- c -->\nb`", [(1, "`a"), (3, "b`")]),
    ("an unmatched backtick opens no span", b"a ` <!-- c --> b", [(1, "a `  b")]),
    ("a blank line in a comment", b"a<!--\n\n-->b", [(1, "a"), (3, "b")]),
    ("a code span that looks like a fence", b"```a``` b\n<!-- c -->\nd",
     [(1, "```a``` b"), (3, "d")]),
    ("an unclosed fence", b"```\n<!-- c -->\n", [(1, "```"), (2, "<!-- c -->")]),
]  # fmt: skip


@all_cases(("data", "lines"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_lines_that_count(data: bytes, lines: Lines) -> None:
    """Decoded, less comments and blank ends, each with its number in the file."""
    assert shown(data) == lines


ROWS = [b"text", b"", b" \t", b"\ttext  ", b"# h", b"```", b"```py", b"````", b"~~~", b"~~~ `x`",
        b"  ```", b"    ```", b"<!-- c -->", b"a <!-- c --> b", b"<!-- open", b"end --> rest",
        b"-->", b"`<!-- code -->`", b"`a` <!-- c --> `b`", b"<!-- a --> <!-- b -->",
        b"a <!-- a --> <!-- open", "中文".encode(), b"\xff\xfe", b"\xe4\xb8", b"a\x00"]  # fmt: skip
ENDS = st.sampled_from([b"\n", b"\n", b"\r\n", b"\r"])
rows = st.lists(st.tuples(st.sampled_from(ROWS), ENDS).map(b"".join), max_size=16)


@given(rows.map(b"".join), st.sampled_from([b"", b"\xef\xbb\xbf"]))
def test_against_the_reference(data: bytes, mark: bytes) -> None:
    """Fences, comments and encodings in any order read as the rules say."""
    inside = rb"<!--(?:(?!-->).)*(?:\n|\r)[ \t]*[\r\n]"
    assume(not re.search(inside, data.replace(b"\r\n", b"\n"), re.DOTALL))  # a row above
    assert ([line for _, line in shown(mark + data)] or [""]) == lines_of(mark + data)
