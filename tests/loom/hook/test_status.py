"""The line for Claude Code's status line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import loom
from loom.hook.status import status_line
from tests.loom.context.test_arrivals import worked

TOLD: dict[str, Any] = {
    "session_id": "0c3d0f4e-59d2-4a5e-9f0a-5c1b3b1f2a77",
    "cwd": "/p",
    "model": {"id": "claude-opus-5", "display_name": "Opus"},
    "workspace": {"current_dir": "/p", "project_dir": "/p"},
    "context_window": {"context_window_size": 200_000, "used_percentage": 41.2},
}


@pytest.fixture(autouse=True)
def state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sessions lie in a folder of the test's own."""
    monkeypatch.setenv("LOOM_HOME", str(tmp_path))


@pytest.mark.parametrize("used", [None, "much", True])
def test_before_anything_is_known(used: object) -> None:
    """Claude Code tells null before the first answer."""
    assert status_line({**TOLD, "context_window": {"used_percentage": used}}) == "loom"
    assert status_line({}) == status_line({"session_id": 5, "context_window": 7}) == "loom"


def test_the_clients_own_share() -> None:
    """Without a proxy ρ is what Claude Code says of its window."""
    assert status_line(TOLD) == "loom ρ 0.41"


@pytest.mark.parametrize("owner", ["", "-0123456789ab"])
def test_behind_the_proxy(tmp_path: Path, owner: str) -> None:
    """ρ is that of the session's window, with its owner's hash in the folder's name or without;
    another session's is not taken for it."""
    session = TOLD["session_id"]
    name = f"claude-{session}"[:40] + owner if owner else f"claude-{session}"
    with loom.open(tmp_path / "serve" / name, window=20_000) as ctx:
        worked(ctx)
        rho = ctx.turn().pressure.rho
        assert status_line(TOLD).startswith(f"loom ρ {rho:.2f} · ")
    assert status_line({**TOLD, "session_id": "f" * 36}) == "loom ρ 0.41"


@pytest.mark.parametrize("given", [json.dumps(TOLD), "[]", "torn", "", '{"session_id": "\\ud800"}'])
def test_the_command_prints_one_line(given: str) -> None:
    """Exit 0, whatever it is given."""
    words = [sys.executable, "-P", "-c", "from loom.cli import main; raise SystemExit(main())"]
    ran = subprocess.run([*words, "statusline"], input=given.encode(), capture_output=True)
    assert ran.returncode == 0 and ran.stderr == b""
    assert len(ran.stdout.decode().splitlines()) == 1
