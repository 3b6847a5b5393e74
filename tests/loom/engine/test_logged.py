"""Cuts and renewals in the log of the program that embeds Loom."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from tests.kit.opened import plain
from tests.kit.step import step


def test_each_cut_is_logged_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """With its level, the request it is made for, and the tokens before and behind it."""
    with caplog.at_level(logging.INFO, logger="loom"), plain(tmp_path / "w", window=4_000) as ctx:
        ctx.user("go")
        ctx.turn()
        assert not caplog.records
        while ctx.window.sent.generation < 3:
            step(ctx, 40)
            ctx.turn()
        said = [record.getMessage() for record in caplog.records if record.name == "loom"]
        assert len(said) == ctx.window.sent.cuts
        last = ctx.window.sent.turn
        assert said[-1].startswith(f"renewal to generation 3 before request {last}: ")
        ctx.renew()
        assert f"renewal to generation 4 before request {last + 1}: " in caplog.text
