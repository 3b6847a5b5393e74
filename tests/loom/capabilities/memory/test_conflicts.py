"""Conflicts between guides: where both cannot hold, by path and line, never elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from loom.capabilities.memory.conflicts import conflicts, told
from loom.capabilities.memory.guide_order import Guide
from loom.capabilities.memory.guide_text import plain
from loom.capabilities.memory.merging import GuidePart
from tests.kit.cases import all_cases


def part(path: str, text: str) -> GuidePart:
    """A guide as it counts."""
    lines = plain(text.encode())
    return GuidePart(Guide(path, lines), lines)


AGREE = [
    ("Use tabs.", "Use tabs for indentation."),
    ("Use Pydantic models.", "Use ruff."),
    ("Run tests with `pytest`.", "Run tests with `uv run pytest tests/sub`."),
    ("Run agent tests with `make a`.", "Run web tests with `make b`."),
    ("Run `make lint` before committing.\nRun `make test` before committing.",
     "Run `npm test` before committing."),
    ("Use snake_case for functions.", "Use PascalCase for classes."),
    ("Line length: 88", "Line length: 88 characters"),
    ("Never commit secrets.", "Commit often."),
    ("- Note: see docs", "- Note: read this"),
    ("- File: `a.py`", "- File: `b.py`"),
    ("Do not edit `a.py`.", "Edit `b.py`."),
    ("This package is used by the server.", "This package is not used by the server."),
    ("```\nUse tabs.\n```", "Use spaces."),
    ("Use npm scripts for tasks.", "Use pnpm."),
    ("- Timeout: 30 seconds", "- Retries: 3"),
]  # fmt: skip
DIFFER = [
    ("Use tabs for indentation.", "Use spaces for indentation."),
    ("Indent with tabs.", "Indent with 4 spaces."),
    ("Indent with 4 spaces.", "Indent with 2 spaces."),
    ("- **Line length**: 88 characters", "- Line length: 100"),
    ("Limit lines to 88 characters.", "Maximum line length is 100."),
    ("Run the tests with `make test`.", "To run the tests, use `npm test`."),
    ("- Tests: `make test`", "- Tests: `pytest -q`"),
    ("## Testing\nRun `make test`.", "## Testing\nRun `pytest`."),
    ("Always squash commits.", "Never squash commits."),
    ("Never commit generated files.", "Commit generated files."),
    ("Avoid default exports.", "Use default exports."),
    ("- Always use type hints.", "- Don't use type hints here."),
    ("Prefer composition over inheritance.", "Prefer inheritance over composition."),
    ("Use pnpm, not npm.", "Use npm."),
    ("- Formatter: black", "- Formatter: ruff"),
    ("Use British spelling.", "Use American spelling."),
    ("## Indentation\nTabs.", "## Indentation\nTwo spaces."),
]


@all_cases(("far", "close"), AGREE)
def test_no_conflict(far: str, close: str) -> None:
    """What adds, narrows or speaks of another thing is no conflict, whichever is closer."""
    for one, two in ((far, close), (close, far)):
        found = conflicts([part("AGENTS.md", one), part("sub/AGENTS.md", two)])
        assert found == () and told(found) == ""


@all_cases(("far", "close"), DIFFER)
def test_the_closest_stands(far: str, close: str) -> None:
    """Both are named by path and line; the one further down the tree stands."""
    for one, two in ((far, close), (close, far)):
        found = conflicts([part("AGENTS.md", f"# R\n\n{one}"), part("sub/AGENTS.md", two)])
        assert found
        assert found[0].stands.path == "sub/AGENTS.md" and found[0].overrides.path == "AGENTS.md"
        assert found[0].stands.line == two.count("\n") + 1
        assert found[0].overrides.line == one.count("\n") + 3
        assert "sub/AGENTS.md:" in found[0].line and " overrides AGENTS.md:" in found[0].line


@pytest.mark.shared
def test_recorded_trees_raise_no_false_alarm(shared: Path) -> None:
    """In the guides of five real repositories nothing contradicts."""
    root = shared / "agents-md"
    if not root.is_dir():
        pytest.skip(f"no {root}")
    for tree in root.iterdir():
        guides = sorted(tree.rglob("AGENTS.md"), key=lambda path: len(path.parts))
        parts = [
            GuidePart(Guide(path.relative_to(tree).as_posix(), lines), lines)
            for path in guides
            if (lines := plain(path.read_bytes()))
        ]
        assert [one.line for one in conflicts(parts)] == []


ADD_UP = [
    ("Run `make verify` before committing.", "Run `pytest svc -q` before committing."),
    ("## Before committing\nRun `make verify`.", "## Before committing\nRun `npm test`."),
    ("Run `a.sh x` before pushing.", "Run `b.sh x` after pushing."),
    ("Never use print in library code.", "Use print."),
    ("Use tabs in Makefiles.", "Never use tabs in Python."),
    ("Run `make a` before pushing.", "Never run `make a` after pushing."),
]  # fmt: skip


@all_cases(("far", "close"), ADD_UP)
def test_what_adds_up(far: str, close: str) -> None:
    """Two commands due at a moment are both due; an order for one place leaves others alone."""
    assert conflicts([part("AGENTS.md", far), part("src/AGENTS.md", close)]) == ()
