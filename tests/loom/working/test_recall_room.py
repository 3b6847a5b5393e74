"""A recall of the model's takes a bounded part of the window, and tells how to get more."""

from __future__ import annotations

from pathlib import Path

import pytest

import loom
from loom.engine.tools.retrieval import SHARE
from loom_partitions.message import Step
from tests.kit.step import calls, step


def recalled(ctx: loom.Context, query: str) -> tuple[str, int]:
    """What the model is told of a query, and its tokens."""
    ctx.turn()
    ctx.reply(calls("r", tool="recall", args=f'{{"query": "{query}"}}'))
    entry = next(ctx.window.history.stream.entries_back)
    assert isinstance(entry, Step)
    return ctx.history.restore(entry.id).results["r"], entry.outcomes[0].text.tokens


@pytest.mark.parametrize("window", [8_192, 16_000, 64_000])
def test_a_recall_takes_at_most_its_share(tmp_path: Path, window: int) -> None:
    """However much matches, in tokens, not in characters; a line says how to get more."""
    with loom.open(tmp_path / "w", window=window, durable=False) as ctx:
        for number in range(24):
            step(ctx, f"billing 服务器 {number}: 0x{number:04x} → µ{number}\n" * 120)
        said, tokens = recalled(ctx, "billing")
        assert tokens <= SHARE * ctx.window.limits.capacity
        assert tokens > SHARE * ctx.window.limits.capacity / 3
        assert "more may match: page_in(ref) shows a place whole; other words find" in said


def test_a_recall_of_little_says_no_more(tmp_path: Path) -> None:
    """Nothing was left out, so there is nothing to tell."""
    with loom.open(tmp_path / "w", window=16_000, durable=False) as ctx:
        step(ctx, "the billing server is host-7\n")
        said, _ = recalled(ctx, "billing")
        assert "host-7" in said and "more may match" not in said
