"""What the heading of a digest counts."""

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
