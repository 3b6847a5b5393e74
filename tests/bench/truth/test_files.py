"""Stale code: what a file lost counts where it stands, what it holds does not."""

from collections.abc import Callable
from typing import Any

import pytest

from loom_bench.truth.files import StaleCode

LINES = [f"value_{n} = compute({n})" for n in range(1, 9)]
BODY = "\n".join(LINES)
NUMBERED = "\n".join(f"{n:>6}→{line}" for n, line in enumerate(LINES, 1))
OLD, NEW = LINES[3], "value_4 = compute(40)"
PATH = "/repo/app/values.py"


@pytest.fixture
def files(court: Callable[..., Any]) -> Any:
    """A court in which the file was read and then edited."""
    made = court(StaleCode())
    made.read = made.call("Read", NUMBERED, file_path=PATH)
    made.edit = made.call("Edit", "ok", file_path=PATH, old_string=OLD, new_string=NEW)
    return made


def test_current_code_is_fresh(court: Callable[..., Any]) -> None:
    """A file that never changed is nowhere stale."""
    made = court(StaleCode())
    read = made.call("Read", NUMBERED, file_path=PATH)
    ruling = made.rule(read, BODY, "> " + BODY.replace("\n", "\n> "))
    assert not ruling.faults
    assert ruling.sums["code_lines"] == 24


def test_old_read_without_its_edit(files: Any) -> None:
    """A read that shows what an edit took away is one stale block of the lines around it."""
    ruling = files.rule(files.read)
    assert ruling.sums["stale"] == 1
    assert ruling.sums["stale_lines"] == 5


def test_told_by_the_edit_behind(files: Any) -> None:
    """The read is not stale while the edit stands behind it, but is when that stands before."""
    assert not files.rule(files.read, files.edit).faults
    assert files.rule(files.edit, files.read).sums["stale"] == 1
