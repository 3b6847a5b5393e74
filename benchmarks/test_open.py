"""What opening a known workspace costs, up to its request."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

import loom
from loom.context import Context

ROUNDS = 3
SMALL = 32_000


@pytest.mark.benchmark(group="open")
@pytest.mark.parametrize("window", [SMALL, None], ids=["small", "all resident"])
def test_open(benchmark: Any, ctx: Context, tmp_path: Path, window: int | None) -> None:
    """A copy of the workspace, as it stands or after it was brought into a small window."""
    policy = loom.Policy(own_tools=False)
    folder = ctx._engine.folder
    assert folder is not None
    shutil.copytree(folder, tmp_path / "w")
    with loom.open(tmp_path / "w", policy=policy, durable=False) as copy:
        if window:
            copy.resize(window, reply=window // 4)
        told, entries = copy.turn().sha256, len(copy.window.history.stream)
        assert (copy.window.sent.cuts > 0) == bool(window)

    def reopened() -> tuple[str, int]:
        with loom.open(tmp_path / "w", policy=policy, durable=False) as again:
            return again.turn().sha256, len(again.window.history.stream)

    assert benchmark.pedantic(reopened, rounds=ROUNDS) == (told, entries)
