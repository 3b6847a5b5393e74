"""A message given with a key stands once, wherever the loop that gives it was killed."""

from __future__ import annotations

import pytest

import loom
from tests.kit.opened import Open, opened_with

opened = opened_with(window=20_000)


def test_a_known_key_is_a_no_op(opened: Open) -> None:
    """Whatever the content: nothing is committed, and the name of the first is returned."""
    ctx = opened()
    assert ctx.user("Begin.", key="m-1") == "user_0001"
    before = ctx._engine.workspace.commits
    assert ctx.user("Something else.", key="m-1") == "user_0001"
    assert ctx._engine.workspace.commits == before
    assert ctx.user("Go on.", key="m-2") == "user_0002"


def test_a_key_that_is_too_long_is_refused(opened: Open) -> None:
    """With its length and the longest there may be; nothing is stored."""
    ctx = opened()
    with pytest.raises(loom.LoomError, match="a key of 201 characters; it has at most 200"):
        ctx.user("Begin.", key="k" * 201)
    with pytest.raises(loom.BadArgument, match="user: key= is a text"):
        ctx.user("Begin.", key=7)  # type: ignore[arg-type]
    assert ctx.window.history.next_id == 1
