"""The README and the pages of `docs/` run as printed, again in the same folder too."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.__main__ import app as benchmarks_app
from loom.cli.app import app as loom_app

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
BLOCKS = [
    pytest.param(block, id=f"{page.name}-{number}")
    for page in PAGES
    for number, block in enumerate(BLOCK.findall(page.read_text("utf-8")))
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_there_is_a_snippet(page: Path) -> None:
    """The README, and every page of `docs/`, shows at least one snippet."""
    assert BLOCK.search(page.read_text("utf-8"))


@pytest.mark.parametrize("page", PAGES[1:], ids=lambda page: page.name)
def test_page_is_linked(page: Path) -> None:
    """A reader of the README finds every page of `docs/`."""
    assert f"(docs/{page.name})" in PAGES[0].read_text("utf-8")


@pytest.mark.parametrize("block", BLOCKS)
def test_snippet_runs(block: str, tmp_path: Path) -> None:
    """Each Python block runs in an empty folder, once more in the same one, and prints something.

    A reader runs an example more than once; then its workspace is there and resumes.
    """
    for _ in range(2):
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
