"""The README runs as printed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.__main__ import app as benchmarks_app
from loom.cli.app import app as loom_app

ROOT = Path(__file__).parent.parent
BLOCKS = re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(), re.M | re.S)


def test_there_is_a_snippet() -> None:
    """The README shows at least one snippet."""
    assert BLOCKS


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_snippet_runs(block: str, tmp_path: Path) -> None:
    """Each Python block runs in an empty folder and prints something."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", block],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "PYTHONIOENCODING": "utf-8"},
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_every_command_is_named() -> None:
    """Each command of `loom` and of `python -m benchmarks` has its line in a table."""
    text = (ROOT / "README.md").read_text()
    for app, form in ((loom_app, "| `loom {}` |"), (benchmarks_app, "| `{}` |")):
        names = [name for name in app if not name.startswith("-")]
        named = [name for name in names if form.format(name) in text]
        commands = {id(app[name]) for name in names}
        assert len(commands) > 10
        assert {id(app[name]) for name in named} == commands


def test_agents_file_is_short() -> None:
    """AGENTS.md stays within 100 lines."""
    assert len((ROOT / "AGENTS.md").read_text().splitlines()) <= 100
