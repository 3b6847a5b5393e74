"""Calls that were turned down, told from results that only say so."""

from __future__ import annotations

import json

from loom.capabilities.toolbox.errors import ToolRefused
from loom.reduce import reduce
from loom.reduce.deeds import facts_of_result
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


def test_a_command_that_was_turned_down_did_not_run() -> None:
    """It has no exit code, and is told once: as turned down, not as a failure beside it."""
    arguments = json.dumps({"command": "curl x"})
    made = reduce("Bash", arguments, OURS, error=True).reduction
    assert made.compact.startswith("Not run: `curl x` — failed: refused 'curl x'")
    assert "exit" not in made.observation and made.observation.startswith("curl x: not run")
    (fact,) = facts_of_result("Bash", arguments, OURS, True, made)
    assert (fact.kind, fact.text) == ("refused", "curl x")
    assert fact.came == "not among the programs allowed here; use fetch"
