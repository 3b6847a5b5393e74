"""Anything may lie in the place of a page: the session goes on, and the check names it."""

from __future__ import annotations

from pathlib import Path

import pytest

import loom
from loom.inputs import Reply, ToolCall
from tests.paging.test_plain import DAMAGES, pytestmark  # noqa: F401


def worked(path: Path) -> loom.Context:
    """A context with results on pages."""
    ctx = loom.open(path, goal="Build it.", window=12_000, durable=False)
    step(ctx, "part1")
    step(ctx, "part2")
    return ctx


def step(ctx: loom.Context, name: str) -> None:
    """One call, whose result rests on a page."""
    ctx.turn()
    ctx.reply(Reply((ToolCall(name, "Bash", '{"command": "make"}'),)))
    ctx.result(name, f"{name} is built\n" * 1_500)


@pytest.mark.parametrize("damage", ["link to itself", "pipe"])
def test_an_odd_index_is_made_again(tmp_path: Path, damage: str) -> None:
    """The workspace opens, and recall answers."""
    path = tmp_path / "w"
    with worked(path) as ctx:
        said = ctx.recall("part1")
    DAMAGES[damage](path / "index.db")
    with loom.open(path, durable=False) as ctx:
        assert ctx.recall("part1") == said
