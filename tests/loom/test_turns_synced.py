"""A workspace that syncs once a turn: how often, what a torn end leaves, what is refused."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

import loom
from loom.inputs import Reply, Speech, ToolCall
from loom_paging import FileStore
from tests.kit.journal import lawful


def step(ctx: loom.Context, number: int) -> None:
    """A step of three calls, and the turn that acknowledges it."""
    calls = [ToolCall(f"c{number}-{at}", "Read", f'{{"path":"{at}.py"}}') for at in range(3)]
    ctx.reply(Reply((Speech(f"Step {number}."), *calls)))
    for at, call in enumerate(calls):
        ctx.result(call.id, f"line {number} of {at}\n" * 200)
    ctx.turn()


def test_what_is_no_way_to_be_durable(tmp_path: Path) -> None:
    """Another word or kind is refused, and so is a store in the place of a folder."""
    with pytest.raises(loom.LoomError, match="give True, False or 'turn'"):
        loom.open(tmp_path / "w", durable="turns")  # type: ignore[arg-type]
    with pytest.raises(loom.BadInput, match="durable= is True, False or 'turn'"):
        loom.open(tmp_path / "w", durable=None)  # type: ignore[arg-type]
    store = FileStore(tmp_path / "s", durable="turn")
    for given in ({"path": store}, {"path": FileStore(tmp_path / "t"), "durable": "turn"}):
        with pytest.raises(loom.LoomError, match="is for a folder"):
            loom.open(**given)  # type: ignore[arg-type]
    assert not (tmp_path / "w").exists()


def test_a_turn_whose_sync_fails_has_not_happened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It raises, and so does the next, until the workspace is opened anew: all is there then."""
    ctx = loom.open(tmp_path / "w", goal="Count.", durable="turn")
    ctx.turn()
    step(ctx, 0)
    ctx.user("Go on.")
    with monkeypatch.context() as patched:
        patched.setattr(os, "fdatasync", _failing)
        with pytest.raises(OSError, match="Input/output"):
            ctx.turn()
    with pytest.raises(loom.LoomError, match="close the store and open it again"):
        ctx.turn()
    ctx.close()
    with loom.open(tmp_path / "w", durable="turn") as again:
        assert lawful(again) == [] and again.window.sent.turn == 2
        assert "Go on." in repr(again.turn().messages)


def _failing(descriptor: int) -> None:
    raise OSError(errno.EIO, "Input/output error")
