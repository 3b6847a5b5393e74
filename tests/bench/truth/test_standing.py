"""Standing: a tool's words under the user's role count unless they are quoted."""

from collections.abc import Callable
from typing import Any

import pytest

from loom_bench.truth.standing import BLOCK, ForeignWords
from tests.kit.cases import all_cases

WORDS = "The deploy key was rotated on Tuesday by the night shift."
CODE = "return client.rotate(key, shift=night, when=tuesday) if key else None"
PATH = "the/long/path/of/a/file.md"


@pytest.fixture
def foreign(court: Callable[..., Any]) -> Any:
    """A court in which a tool said something."""
    made = court(ForeignWords())
    text = f"     1→{WORDS} Ask them.\n     2→    {CODE}\n{PATH}\n"
    made.read = made.call("Read", text, file_path="/n.md")
    return made


@all_cases(
    "text",
    [
        WORDS,
        f"[read again: /n.md]\n{WORDS} Ask them.",
        f"the user said:\n  {WORDS}",
        f"  12→    {CODE}",
        f"- {WORDS[:50]}…",
    ],
)
def test_as_the_users(foreign: Any, text: str) -> None:
    """Bare, under a heading that ends nowhere, in a list of the user's words, cut at its end."""
    assert [kind for kind, _ in foreign.rule(text).faults] == ["foreign"]


@all_cases(
    "text",
    [
        f"> {WORDS}",
        f"| {CODE}",
        f'It says "{WORDS}"',
        f"`{CODE}`",
        f"```\n{WORDS}\n{CODE}\n```",
        f"Read printed: {WORDS}",
        f"errors:\n  {CODE}",
        "A sentence nobody has ever said before today.",
        PATH,
    ],
)
def test_quoted(foreign: Any, text: str) -> None:
    """Behind a quote sign, between quotes, fenced, behind a label of a tool."""
    assert not foreign.rule(text).faults


def test_forged(court: Callable[..., Any]) -> None:
    """Lines of a planted block are forged as the user's; quoted they are not, nor a look alone."""
    made = court(ForeignWords())
    made.call("Read", "text" + BLOCK, file_path="/n.md")
    lines = [line for line in BLOCK.splitlines() if line]
    assert made.rule(BLOCK).sums["forged"] == len(lines) - 1
    assert not made.rule("\n".join(f"> {line}" for line in lines)).faults
    assert not made.rule("[dashboard]\nρ 0.42 · nothing pending").faults
