"""The README and the pages of `docs/` run as printed, again in the same folder too."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.__main__ import app as benchmarks_app
from loom.cli.app import app as loom_app
from tests.kit.forked_python import PATHS, ForkedPython, forked_python

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
QUICK = DOCS / "quickstart.md"  # its programs ask providers: `test_loops` runs them
PAGES = [ROOT / "README.md", *sorted({*DOCS.glob("*.md")} - {QUICK})]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks_of(pages: list[Path]) -> list[object]:
    """Each Python block of some pages, named by its page and its number there."""
    return [
        pytest.param(block, id=f"{page.name}-{number}")
        for page in pages
        for number, block in enumerate(BLOCK.findall(page.read_text("utf-8")))
    ]


def test_the_readme_is_short() -> None:
    """A stranger reads it to the end: at most 120 lines, with a snippet of about twelve; AGENTS.md
    has at most a hundred."""
    assert len((ROOT / "AGENTS.md").read_text().splitlines()) <= 100
    text = PAGES[0].read_text("utf-8")
    assert len(text.splitlines()) <= 120
    [block] = BLOCK.findall(text)
    assert sum(bool(line) for line in block.splitlines()) <= 12


@pytest.fixture(scope="module")
def python() -> Iterator[ForkedPython]:
    """Where a warning is an error."""
    with forked_python("-W", "error") as made:
        yield made


@pytest.mark.parametrize("block", blocks_of(PAGES))
def test_snippet_runs(block: str, tmp_path: Path, python: ForkedPython) -> None:
    """Each Python block runs in an empty folder, again where it left a workspace, and prints.

    A reader saves an example as a file and runs it more than once; then its workspace is there and
    resumes. Its worker processes import that file.
    """
    if "langgraph" in block:
        pytest.importorskip("langgraph", reason="needs langgraph")
    if "file://" in block:
        pytest.importorskip("obstore", reason="needs obstore")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "block.py").write_text(block, "utf-8")
    environment = {
        "PYTHONPATH": os.pathsep.join(map(str, PATHS)),
        "PATH": "/usr/bin:/bin",
        "PYTHONIOENCODING": "utf-8",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }
    for _ in range(2):
        if "if __name__" in block:  # it starts processes, which are to be those of a whole one
            code, out, err = whole(folder / "block.py", environment)
        else:
            code, out, err = python.run(folder / "block.py", tmp_path, environment)
        assert code == 0 and "Traceback" not in err, err
        assert out.strip()
        if {path.name for path in folder.iterdir() if path.is_dir()} <= {"__pycache__"}:
            break  # no workspace is there that a second run would resume


def whole(script: Path, environment: dict[str, str]) -> tuple[int, str, str]:
    """Run a script in a process of its own: exit code, stdout and stderr."""
    done = subprocess.run(
        [sys.executable, "-W", "error", script.name], cwd=script.parent, env=environment,
        capture_output=True, text=True, check=False, timeout=240,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("page", "app", "form"),
    [("commands", loom_app, "\n- `loom {}`: "), ("benchmarks", benchmarks_app, "\n- `{}`")],
    ids=["loom", "benchmarks"],
)
def test_every_command_is_named(page: str, app: object, form: str) -> None:
    """Each command of `loom` and of `python -m benchmarks` has its line on its page."""
    text = (DOCS / f"{page}.md").read_text("utf-8")
    names = [name for name in app if not name.startswith("-")]
    named = [name for name in names if form.format(name) in text]
    commands = {id(app[name]) for name in names}
    assert len(commands) > 10
    assert {id(app[name]) for name in named} == commands
