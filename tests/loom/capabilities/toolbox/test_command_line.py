"""A command line read into words, as a shell would read it."""

from __future__ import annotations

import shlex

from hypothesis import given
from hypothesis import strategies as st

from loom.capabilities.toolbox.command_line import MOST, pipeline
from loom.capabilities.toolbox.errors import ToolRefused
from tests.kit.cases import all_cases

WORD = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)


def test_one_word() -> None:
    """A word alone is a command."""
    assert pipeline("ls") == [["ls"]] == pipeline("  ls \n")


@all_cases(
    ("command", "stages"),
    [
        ("grep -n 'a b' c", [["grep", "-n", "a b", "c"]]),
        ("a|b |c| d", [["a"], ["b"], ["c"], ["d"]]),
        ("grep '|;>&$(`' x", [["grep", "|;>&$(`", "x"]]),
        (r"grep \| \;", [["grep", "|", ";"]]),
        ('grep "a|b" "" x', [["grep", "a|b", "", "x"]]),
        (r'grep "\$x \"q\" \\ \n"', [["grep", '$x "q" \\ \\n']]),
        ("grep foo$ 'x'", [["grep", "foo$", "x"]]),
        ('grep "foo$" x#y', [["grep", "foo$", "x#y"]]),
        ("a'b'\"c\"d", [["abcd"]]),
        ("find . \\\n -name x", [["find", ".", "-name", "x"]]),
        (r"find . \( -name x \)", [["find", ".", "(", "-name", "x", ")"]]),
        ("cat größe 文件", [["cat", "größe", "文件"]]),
    ],
)
def test_read(command: str, stages: list[list[str]]) -> None:
    """Quotes and backslashes mean what they mean in a shell."""
    assert pipeline(command) == stages


@given(st.lists(st.lists(WORD, min_size=1, max_size=4), min_size=1, max_size=MOST))
def test_quoted_words_come_back(stages: list[list[str]]) -> None:
    """Whatever was quoted for a shell is read as it was."""
    assert pipeline(" | ".join(map(shlex.join, stages))) == stages


@given(st.text(st.sampled_from("ab '\"\\|&;<>()$`#\n\0\ud800"), max_size=30))
def test_any_text(command: str) -> None:
    """A text is read into words or refused; nothing else can come of it."""
    try:
        stages = pipeline(command)
    except ToolRefused:
        return
    assert all(stages) and "\0" not in command
