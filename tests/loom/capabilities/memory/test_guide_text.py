"""A guide's bytes as the lines that count."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from loom.capabilities.memory.guide_text import plain
from tests.kit.cases import all_cases

BREAK = re.compile(r"\r\n|\r|\n")
Lines = list[tuple[int, str]]


def shown(data: bytes) -> Lines:
    """The lines that count, with their numbers."""
    return [(line.number, line.text) for line in plain(data)]


# Lines and encodings

CASES: list[tuple[str, bytes, Lines]] = [
    ("as it is", b"a\n\nb", [(1, "a"), (2, ""), (3, "b")]),
    ("BOM", b"\xef\xbb\xbfa\n", [(1, "a")]),
    ("a BOM further on", b"a\n\xef\xbb\xbfb", [(1, "a"), (2, "\ufeffb")]),
    ("CRLF, CR, LF", b"a\r\nb\rc\nd", [(1, "a"), (2, "b"), (3, "c"), (4, "d")]),
    ("CR CR LF is two", b"a\r\r\nb", [(1, "a"), (2, ""), (3, "b")]),
    ("no other newlines", "a\x0bb\x0cc\x1cd\x85e\u2028f\u2029g".encode(),
     [(1, "a\x0bb\x0cc\x1cd\x85e\u2028f\u2029g")]),
    ("NUL", b"a\x00b", [(1, "a\x00b")]),
    ("no UTF-8", b"\xff a \xe4\xb8\nb", [(1, "\ufffd a \ufffd"), (2, "b")]),
    ("Latin-1", "Größe".encode("latin-1"), [(1, "Gr\ufffd\ufffde")]),
    ("ends of lines", b"a \t\n b\t \n", [(1, "a"), (2, " b")]),
    ("ends of the file", b"\n \n\ta\n\n \nb\n\n\t\n", [(3, "\ta"), (4, ""), (5, ""), (6, "b")]),
    ("comment in a line", b"a <!-- c --> b", [(1, "a  b")]),
    ("comment at the end", b"a <!-- c -->", [(1, "a")]),
    ("comment alone", b"a\n <!-- c --> \nb", [(1, "a"), (3, "b")]),
    ("two comments", b"<!--a-->x<!--b-->\n<!--a--> <!--b-->\ny", [(1, "x"), (3, "y")]),
    ("an empty comment", b"a<!---->b", [(1, "ab")]),
    ("blank lines stay beside a comment", b"a\n\n<!-- c -->\n\nb",
     [(1, "a"), (2, ""), (4, ""), (5, "b")]),
    ("over lines", b"a <!-- c\nd\ne --> b\nf", [(1, "a"), (3, " b"), (4, "f")]),
    ("over CRs", b"a <!-- c\rd\r\ne --> b\rf", [(1, "a"), (3, " b"), (4, "f")]),
    ("an opening in a comment", b"<!-- <!-- a --> b -->", [(1, " b -->")]),
    ("unclosed", b"a\nb <!-- c\nd", [(1, "a"), (2, "b <!-- c"), (3, "d")]),
    ("a close alone", b"a --> b", [(1, "a --> b")]),
    ("closed, then unclosed", b"<!-- a --> b <!-- c\nd", [(1, " b <!-- c"), (2, "d")]),
    ("a fence in a comment", b"<!--\n```\n-->\n<!-- c -->\na", [(5, "a")]),
    ("code span", b"a `<!-- c -->` <!-- d -->b", [(1, "a `<!-- c -->` b")]),
    ("between code spans", b"`a` <!-- c --> `b`", [(1, "`a`  `b`")]),
    ("a span that opens in a comment", b"<!-- ` --> ` <!-- c", [(1, " ` <!-- c")]),
    ("a backtick in a span of two", b"`` ` <!-- c --> ``", [(1, "`` ` <!-- c --> ``")]),
    ("a code span is of one line", b"`a\n<!-- c -->\nb`", [(1, "`a"), (3, "b`")]),
]  # fmt: skip


@all_cases(("data", "lines"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_lines_that_count(data: bytes, lines: Lines) -> None:
    """Decoded, less comments and blank ends, each with its number in the file."""
    assert shown(data) == lines


def test_an_unclosed_fence_goes_to_the_end() -> None:
    """Nothing is dropped from there on."""
    assert shown(b"```\n<!-- c -->\n") == [(1, "```"), (2, "<!-- c -->")]


SPANS = [
    ("an unmatched backtick opens no span", b"a ` <!-- c --> b", [(1, "a `  b")]),
    ("a span of two backticks", b"``<!-- c -->``", [(1, "``<!-- c -->``")]),
    ("a blank line in a comment", b"a<!--\n\n-->b", [(1, "a"), (3, "b")]),
    ("a code span that looks like a fence", b"```a``` b\n<!-- c -->\nd",
     [(1, "```a``` b"), (3, "d")]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("data", "lines"),
    [pytest.param(data, lines, id=id) for id, data, lines in SPANS],
)
def test_code_spans_and_blank_lines(data: bytes, lines: Lines) -> None:
    """A span is closed by as many backticks as open it; all lines of a comment go."""
    assert shown(data) == lines


# Any bytes

PIECES = [b"a", b" ", b"\n", b"\r", b"<!--", b"-->", b"`", b"```", b"~~~", b"\n```\n", b"\n~~~\n",
          b"\xff", b"\xef\xbb\xbf", b"\t", b"<!-- c -->", b"<", b"-", b"\x00",
          b"\xe2\x80\xa8"]  # fmt: skip
pieces = st.lists(st.sampled_from(PIECES), max_size=14).map(b"".join)


def less_comments(line: str, kept: str) -> bool:
    """Whether `kept` is `line` less comments, one that began or goes on elsewhere among them."""
    after = [m.end() for m in re.finditer("-->", line)]
    states, seen = [(0, 0), *((at, 0) for at in after)], set[tuple[int, int]]()
    while states:
        at, done = state = states.pop()
        if state in seen:
            continue
        seen.add(state)
        if line.startswith("<!--", at):
            if done == len(kept):
                return True
            states += [(end, done) for end in after if end >= at + 7]
        elif done == len(kept) and not line[at:].strip():
            return True
        if at < len(line) and done < len(kept) and line[at] == kept[done]:
            states.append((at + 1, done + 1))
        elif at < len(line) and done == len(kept) and line[at].isspace():
            states.append((at + 1, done))
    return False


@given(st.binary(max_size=200) | pieces)
def test_any_bytes(decoded: Callable[[bytes], str], data: bytes) -> None:
    """Reading never raises, and what is kept is a line of the file, or one less comments."""
    text = decoded(data)
    file = BREAK.split(text)
    read = shown(data)
    assert [number for number, _ in read] == sorted({number for number, _ in read})
    for number, line in read:
        assert less_comments(file[number - 1], line), (file[number - 1], line)
        assert not line.endswith((" ", "\t"))
        assert "\n" not in line
        assert "\r" not in line
    assert not read or (read[0][1] and read[-1][1])


ROWS = [b"text", b"", b" \t", b"\ttext  ", b"# h", b"```", b"```py", b"````", b"~~~", b"~~~ `x`",
        b"  ```", b"    ```", b"<!-- c -->", b"a <!-- c --> b", b"<!-- open", b"end --> rest",
        b"-->", b"`<!-- code -->`", b"`a` <!-- c --> `b`", b"<!-- a --> <!-- b -->",
        b"a <!-- a --> <!-- open", "中文".encode(), b"\xff\xfe", b"\xe4\xb8", b"a\x00"]  # fmt: skip
ENDS = st.sampled_from([b"\n", b"\n", b"\r\n", b"\r"])
rows = st.lists(st.tuples(st.sampled_from(ROWS), ENDS).map(b"".join), max_size=16)


@given(rows.map(b"".join), st.sampled_from([b"", b"\xef\xbb\xbf"]))
def test_against_the_reference(
    lines_of: Callable[[bytes], list[str]], data: bytes, mark: bytes
) -> None:
    """Fences, comments and encodings in any order read as the rules say."""
    inside = rb"<!--(?:(?!-->).)*(?:\n|\r)[ \t]*[\r\n]"
    assume(not re.search(inside, data.replace(b"\r\n", b"\n"), re.DOTALL))  # its own test above
    assert ([line for _, line in shown(mark + data)] or [""]) == lines_of(mark + data)
