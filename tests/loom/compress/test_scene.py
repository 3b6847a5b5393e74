"""What a cut has to free: as much as the request it leads to is over its target."""

from __future__ import annotations

import pytest

from tests.kit.opened import Open
from tests.kit.scene import scene

TARGET = 100


@pytest.mark.parametrize("kept", ["", "The user writes in verse. " * 30])
def test_the_excess_counts_what_joins_the_head(opened: Open, kept: str) -> None:
    """What was remembered since the last cut comes into the request with the next one."""
    ctx = opened()
    ctx.user("Begin.")
    ctx.turn()
    if kept:
        ctx.memory.remember("style", kept)
    seen = scene(ctx, TARGET)
    assert (seen.window.head_settled > seen.window.head_tokens) is bool(kept)
    assert seen.excess == seen.tokens_after(()) - TARGET
