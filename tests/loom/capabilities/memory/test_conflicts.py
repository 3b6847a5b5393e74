"""Conflicts between guides: where both cannot hold, by path and line, never elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from loom.capabilities.memory.conflicts import LINE_CHARS, SHOWN_MOST, conflicts, told
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


def test_siblings_never_meet() -> None:
    """Guides of folders beside each other rule different files."""
    assert conflicts([part("a/AGENTS.md", "Use tabs."), part("b/AGENTS.md", "Use spaces.")]) == ()
    assert conflicts([part("a/AGENTS.md", "Use tabs."), part("ab/AGENTS.md", "Use spaces.")]) == ()


def test_of_three_the_next_one_up() -> None:
    """The closest is held against the next, and that one against the first."""
    found = conflicts([part("AGENTS.md", "Use tabs."), part("a/AGENTS.md", "Use spaces."),
                       part("a/b/AGENTS.md", "Use tabs.")])  # fmt: skip
    assert [(one.stands.path, one.overrides.path) for one in found] == [
        ("a/AGENTS.md", "AGENTS.md"), ("a/b/AGENTS.md", "a/AGENTS.md")]  # fmt: skip


def test_what_is_told_is_bounded() -> None:
    """A line each, so many lines, and a count of the others."""
    far = "\n".join(f"- Setting number{n} of the tool: {n}" for n in range(30))
    close = "\n".join(f"- Setting number{n} of the tool: {n + 1}" for n in range(30))
    folder = "x" * 150
    found = conflicts([part("AGENTS.md", far), part(f"{folder}/AGENTS.md", close)])
    lines = told(found).split("\n")
    assert len(found) == 30 and len(lines) == SHOWN_MOST + 2
    assert all(len(line) <= LINE_CHARS + 2 for line in lines)
    assert lines[-1].startswith("22 more")


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
EXCLUDE = [
    ("Run `make verify` before committing.", "Run only `pytest svc` before committing."),
    ("Never push to main.", "Push to main directly."),
    ("Always run `make all` before committing.", "Never run `make all`."),
    ("- Always run make all.", "- Never run make all."),
    ("Always add type hints.", "Never add type hints in handlers."),
]


@all_cases(("far", "close"), ADD_UP)
def test_what_adds_up(far: str, close: str) -> None:
    """Two commands due at a moment are both due; an order for one place leaves others alone."""
    assert conflicts([part("AGENTS.md", far), part("src/AGENTS.md", close)]) == ()


@all_cases(("far", "close"), EXCLUDE)
def test_what_excludes(far: str, close: str) -> None:
    """What is bid and forbidden, or the only one, is told once, with the folder it holds below."""
    (one,) = conflicts([part("AGENTS.md", far), part("src/api/AGENTS.md", close)])
    assert one.below == "src/api"
    assert one.line.startswith("below src/api/: src/api/AGENTS.md:1")


def test_in_one_folder_no_folder_is_told() -> None:
    """What holds in all of the project says none."""
    (one,) = conflicts([part("b.md", "Use tabs."), part("AGENTS.md", "Use spaces.")])
    assert one.below == "." and one.line.startswith("AGENTS.md:1")
