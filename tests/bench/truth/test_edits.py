"""Edits told: a changed file needs its name with a word of changing."""

from collections.abc import Callable
from typing import Any

import pytest

from loom_bench.truth.edits import EditsTold
from tests.kit.cases import all_cases

PATH = "/repo/app/values.py"


@pytest.fixture
def edits(court: Callable[..., Any]) -> Any:
    """A court in which one file was read and another edited."""
    made = court(EditsTold())
    made.read = made.call("Read", "text", file_path="/repo/app/only_read.py")
    made.edit = made.call("Edit", "ok", file_path=PATH, old_string="a", new_string="b")
    return made


@all_cases(
    "text",
    [
        "edited app/values.py (+3 −1, step_0041)",
        "values.py +3 −1",
        "Files changed:\n  app/\n    values.py\n",
        "- wrote `values.py`",
        "> rewritten: values.py",
    ],
)
def test_told(edits: Any, text: str) -> None:
    """A line, or the heading it is listed under, says that the file was changed."""
    ruling = edits.rule(text)
    assert not ruling.faults
    assert ruling.sums["changed"] == 1


@all_cases(
    "text",
    [
        "",
        "files:\n  app/values.py: read_0001\n  app/only_read.py: read_0002",
        "edited app/my_values.py",
        "changed:\n  other.py\nfiles:\n  values.py",
    ],
)
def test_untold(edits: Any, text: str) -> None:
    """A name alone, another name, and a name under another heading tell nothing."""
    assert edits.rule(text).faults == [("untold", PATH)]


def test_calls_and_answers(edits: Any) -> None:
    """A standing edit tells it; a standing read and what a search found do not."""
    assert not edits.rule(edits.edit).faults
    assert edits.rule(edits.read).faults
    grep = edits.call("Grep", "values.py: # values are written here", pattern="values")
    assert edits.rule(grep).faults
    assert not edits.rule(edits.call("Bash", "modified: values.py", command="git status")).faults
