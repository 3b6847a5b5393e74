"""What the heading of a digest counts."""

from __future__ import annotations

import json

import loom
from loom.compress.digest.digest import DigestRoom, digest_of
from loom.providers.counts import counter_for
from tests.kit.opened import Open
from tests.kit.step import step


def heading(ctx: loom.Context) -> str:
    """The first line of the digest that would stand for all entries."""
    entries = tuple(ctx.window.history.stream.entries)
    return digest_of(entries, DigestRoom(1_500), counter_for()).text.partition("\n")[0]


def run(ctx: loom.Context, line: str, result: str, error: bool = False) -> None:
    """A command with what it printed."""
    step(ctx, result, tool="Bash", args=json.dumps({"command": line}), error=error)


def test_no_failure_is_counted_where_none_was(opened: Open) -> None:
    """Commands that went well, and a search that found nothing, are no failures."""
    ctx = opened(window=200_000)
    run(ctx, "pytest -q", "2 passed")
    run(ctx, "grep -rn nothing src", "", True)
    assert "failure" not in heading(ctx)


def test_a_failure_behind_a_pipe_is_counted(opened: Open) -> None:
    """What failed is counted though the exit code was the filter's, and a failed call as well."""
    ctx = opened(window=200_000)
    run(ctx, "pytest -q | head -20", "FAILED tests/test_a.py::test_x - assert 1 == 2\n1 failed")
    step(ctx, "no such file", tool="Read", args='{"path": "a.py"}', error=True)
    run(ctx, "pytest -q", "2 passed")
    assert "3 steps completed, 2 of them with a failure" in heading(ctx)


def test_one_is_told_as_one(opened: Open) -> None:
    """A digest of one entry says so; of more it names the first and the last of them."""
    ctx = opened(window=200_000)
    run(ctx, "pytest -q", "2 passed")
    assert heading(ctx).startswith("Earlier: 1 step completed (entry 1 → ")
    run(ctx, "pytest -q", "2 passed")
    assert heading(ctx).startswith("Earlier: 2 steps completed (entries 1–2 → ")
