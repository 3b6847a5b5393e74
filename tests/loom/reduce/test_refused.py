"""Calls that were turned down, told from results that only say so."""

from __future__ import annotations

from loom.capabilities.toolbox.errors import ToolRefused
from loom.reduce.refused import REFUSAL, refusal
from tests.kit.cases import all_cases

OURS = str(ToolRefused("curl x", "not among the programs allowed here", "use fetch"))


@all_cases(
    ("result", "shell", "why"),
    [
        ("", True, None),
        ("ok", True, None),
        (OURS, True, "not among the programs allowed here; use fetch"),
        (str(ToolRefused("echo 'it'", "no")), True, "no"),
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
    assert refusal(result, shell) == why
