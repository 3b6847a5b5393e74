"""What it costs to look into what rests: a page by its name, and recall by words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from benchmarks.conftest import TOLD
from loom.context import Context

ROUNDS = 30
WAYS: tuple[dict[str, str], ...] = ({}, {"lines": "2-4"}, {"grep": "e"})
QUERY = "where is the spare key of the harbour master, quokka"


@pytest.mark.benchmark(group="page in")
@pytest.mark.parametrize("ways", WAYS, ids=lambda ways: next(iter(ways), "whole"))
def test_page_in(benchmark: Any, ctx: Context, ways: dict[str, str]) -> None:
    """A page by name: whole, by lines, by pattern."""
    name = next(
        outcome.text.page
        for entry in ctx.window.history.stream.entries_back
        for outcome in getattr(entry, "outcomes", ())
        if outcome.text.page
    )
    found = benchmark.pedantic(lambda: ctx.page_in(name, **ways), rounds=ROUNDS)
    assert found.text
    if ways:
        assert len(found.text) < len(ctx.page_in(name).text)


@pytest.mark.benchmark(group="recall")
def test_recall(benchmark: Any, ctx: Context) -> None:
    """What was said first, by its words; all that came since is indexed already."""
    ctx.recall(QUERY)
    assert TOLD in benchmark.pedantic(ctx.recall, args=(QUERY,), rounds=ROUNDS)


@pytest.mark.benchmark(group="recall")
def test_recall_after_a_step(benchmark: Any, ctx: Context, step: Callable[[Context], None]) -> None:
    """The same when one step is to be indexed first."""
    ctx.recall(QUERY)
    found = benchmark.pedantic(ctx.recall, args=(QUERY,), setup=lambda: step(ctx), rounds=ROUNDS)
    assert TOLD in found
