from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from loom.hook.answering import event_answer
from tests.kit.hook_events import bash_event

Answer = Callable[..., Any]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Loom's folder for sessions of hooks, with a home of the user that has nothing in it."""
    monkeypatch.setenv("LOOM_HOME", str(tmp_path / "loom"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("CLAUDE_CONFIG_DIR", "CLAUDE_PROJECT_DIR"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "loom" / "hook"


@pytest.fixture
def ran(place: Path) -> Callable[[Any], subprocess.CompletedProcess[bytes]]:
    """Run the hook as Claude Code does, in a process, on an event or on bytes."""

    def running(event: Any) -> subprocess.CompletedProcess[bytes]:
        given = event if isinstance(event, bytes) else json.dumps(event).encode()
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-P", "-m", "loom.hook"]
        return subprocess.run(command, input=given, capture_output=True, env=env, check=False)

    return running


@pytest.fixture
def bash(place: Path) -> Answer:
    """The output Bash's result is given in place of what it printed; None where it passes."""

    def given(text: str, **more: Any) -> Any:
        said = event_answer(bash_event(text, **more))
        return json.loads(said)["hookSpecificOutput"]["updatedToolOutput"] if said else None

    return given
