from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from loom.capabilities.toolbox.descriptor import tool_refused
from loom.reduce.lines import (
    FAILURE,
    REFUSAL,
    failing_lines,
    failure_line,
    human_size,
    last_lines,
    refusal_reason,
    without_tags,
)
from loom.text import clip_front, clip_text, encodable, one_line
from tests.kit.cases import all_cases

ANY = st.text(st.characters(codec=None), max_size=300)


@given(ANY, st.integers(1, 80))
def test_one_line_is_one_encodable_line_within_its_limit(text: str, limit: int) -> None:
    """Whatever goes in, one line of at most the limit comes out, and UTF-8 can hold it."""
    line = one_line(text, limit)
    assert len(line) <= limit
    assert len(line.splitlines()) <= 1
    assert line.encode()[:0] == b""
    assert one_line(line, limit) == line


def test_one_line_says_that_blanks_hid_the_rest() -> None:
    """Text beyond the part looked at is marked even when the line itself is short."""
    assert one_line("head" + " " * 10_000 + "tail", 100) == "head …"


@all_cases(
    ("text", "limit", "head", "tail"),
    [("", 3, "", ""), ("abc", 3, "abc", "abc"), ("abcdef", 4, "abc…", "…def"), ("ab", 1, "…", "…")],
)
def test_cuts_keep_one_end(text: str, limit: int, head: str, tail: str) -> None:
    """A cut keeps the head or the tail and marks the other end."""
    assert (clip_text(text, limit), clip_front(text, limit)) == (head, tail)


@all_cases(
    ("size", "words"),
    [
        (0, "0 bytes"),
        (1023, "1023 bytes"),
        (1024, "1 KB"),
        (1536, "1.5 KB"),
        (1024 * 1024 - 1, "1 MB"),
        (5 * 1024**3, "5 GB"),
        (3000 * 1024**4, "3000 TB"),
    ],
)
def test_sizes_for_people(size: int, words: str) -> None:
    """A size is told in the largest unit that keeps it at least 1."""
    assert human_size(size) == words


def test_tags_and_surrogates() -> None:
    """Tags that are closed are taken off, others are left, lone surrogates are replaced."""
    assert without_tags("<tool_use_error>no</tool_use_error>").strip() == "no"
    for text in ('<a href="x">', "a.py:3: in <module>"):
        assert without_tags(text) == text
    assert encodable("a\ud800b") == "a\ufffdb"


@all_cases(
    ("text", "lines"),
    [
        ("", []),
        ("all good\n2 passed", []),
        ("ok\nE   AssertionError: 1 != 2\nok", ["E AssertionError: 1 != 2"]),
        ("--- FAIL: TestX\nFAIL\nFAIL\n", ["--- FAIL: TestX"]),
        ("panic: nil\nfatal: not a git repository", ["panic: nil", "fatal: not a git repository"]),
        ("failover is fine", []),
        ("a.go:3:5: undefined: x\n2 errors", ["a.go:3:5: undefined: x"]),
    ],
)
def test_failing_lines(text: str, lines: list[str]) -> None:
    """Lines that say what failed, else those with a word of failure, are found once each."""
    assert failing_lines(text) == lines


def test_a_failure_on_an_endless_line_is_shown_with_what_surrounds_it() -> None:
    """On a line of a megabyte the part around the word is kept, not its beginning."""
    line = failing_lines("x" * 500_000 + " fatal: disk full " + "y" * 500_000)[0]
    assert "fatal: disk full" in line
    assert len(line) <= 160


def test_every_hit_on_one_line_is_one_failure() -> None:
    """A line full of errors is visited once, not once for each of them."""
    assert len(failing_lines("error " * 200_000)) == 1


def test_failure_falls_back_on_the_last_lines() -> None:
    """Without a telling word the last lines that are not blank stand for the failure."""
    assert last_lines("a\nb\nc\nd\n\n") == ["b", "c", "d"]
    assert (
        failure_line("usage: tool [-h]\n\nno such option\n") == "usage: tool [-h] | no such option"
    )
    many = "\n".join(f"error {number} {'x' * 100}" for number in range(9))
    assert len(failure_line(many)) == FAILURE


OURS = str(tool_refused("curl x", "not among the programs allowed here", "use fetch"))


@all_cases(
    ("result", "shell", "why"),
    [
        ("", True, None),
        ("ok", True, None),
        (OURS, True, "not among the programs allowed here; use fetch"),
        (str(tool_refused("echo 'it'", "no")), True, "no"),
        (f"{OURS}\nand more", True, None),
        (f"connect: {OURS}", True, None),
        ("The user doesn't want to proceed with this tool use.", True, ""),
        ("User rejected it\nline", True, None),
        ("User rejected it\nline", False, ""),
        ("The user doesn't want to take this. x" + "y" * REFUSAL, True, None),
    ],
)
def test_refusals(result: str, shell: bool, why: str | None) -> None:
    """The reason where one is given; an output that goes on is an output."""
    assert refusal_reason(result, shell) == why
