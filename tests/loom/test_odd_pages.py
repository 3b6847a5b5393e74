"""Anything may lie in the place of a page: the session goes on, and the check names it."""

from __future__ import annotations

from pathlib import Path

import pytest

import loom
from loom.inputs import Reply, ToolCall
from loom_paging import FileStore, check
from tests.kit.cases import all_cases
from tests.paging.test_plain import DAMAGES, pytestmark  # noqa: F401

ODD = ["link to itself", "pipe", "sparse"]


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


@all_cases("live", [False, True])
@all_cases("damage", ODD)
def test_a_session_goes_on(tmp_path: Path, damage: str, live: bool) -> None:
    """Pages that cannot be read are stood in for; recall, renewal and new pages go through."""
    path = tmp_path / "w"
    ctx = worked(path)
    pages = sorted(ctx._engine.workspace.pager.table)
    assert pages
    if not live:
        ctx.close()
    for page in pages:
        DAMAGES[damage](path / page)
    if not live:
        ctx = loom.open(path, durable=False)
    with ctx:
        turn = ctx.turn()
        for form in ("openai", "responses", "anthropic", "gemini"):
            turn.request(form)
        ctx.recall("part1")
        if not live:
            with pytest.raises((loom.MissingPage, loom.CorruptPage)):
                ctx.page_in(pages[0])
        ctx.renew()
        step(ctx, "part3")
        ctx.turn()
    found = {problem.where for problem in check(FileStore(path, create=False)).problems}
    assert found == set(pages)


@pytest.mark.parametrize("damage", ["link to itself", "pipe"])
def test_an_odd_index_is_made_again(tmp_path: Path, damage: str) -> None:
    """The workspace opens, and recall answers."""
    path = tmp_path / "w"
    with worked(path) as ctx:
        said = ctx.recall("part1")
    DAMAGES[damage](path / "index.db")
    with loom.open(path, durable=False) as ctx:
        assert ctx.recall("part1") == said
