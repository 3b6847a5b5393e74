"""Commands in one spelling, and which success says something of which failure."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.reduce.commands import parsed
from loom.reduce.covering import covers, targets_in


@pytest.mark.parametrize(
    ("line", "key", "masked"),
    [
        ("", "", False),
        ("pytest", "pytest", False),
        ("pytest -q", "pytest", False),
        ("python -m pytest -q tests/a.py 2>&1 | tail -20", "pytest tests/a.py", True),
        ("uv run pytest -x -vv tests", "pytest tests", False),
        ("cd web && npm run test", "cd web && npm test", False),
        ("cd /a && cd b && FOO=1 make lint", "cd /a/b && FOO=1 make lint", False),
        ("go build ./... 2>&1", "go build ./...", False),
        ("make &> out.log", "make", False),
        ("make &", "make", True),
        ("make -C web check", "cd web && make check", False),
        ("timeout 60 pytest tests || true", "pytest tests", True),
        ("make; echo $?", "make", True),
        ("set -o pipefail; make | tail", "make", False),
        ("go test ./... -run TestX -v", "go test -run=TestX ./...", False),
        ("ls 'a b'", "ls 'a b'", False),
        ("cat <<'EOF'\nx\nEOF", "cat here:bcdf4cc9", False),
        ("echo 'unclosed", "echo unclosed", False),
    ],
)
def test_one_spelling(line: str, key: str, masked: bool) -> None:
    """What only changes how it runs or prints is left out; what hides the exit code is told."""
    command = parsed(line)
    assert command.key == key
    assert command.masked is masked


@pytest.mark.parametrize(
    ("wide", "narrow", "covered"),
    [
        ("pytest", "pytest", True),
        ("pytest -q", "pytest tests/a.py", True),
        ("pytest tests", "pytest tests/a.py::test_b", True),
        ("go test ./...", "go test ./cmd/x", True),
        ("pytest", "pytest -k foo", True),
        ("make fmt && make lint", "make lint", True),
        ("pytest tests/a.py", "pytest", False),
        ("pytest -k foo", "pytest tests/a.py", False),
        ("pytest", "ruff check", False),
        ("cd web && npm test", "npm test", False),
        ("cd a && npm test", "cd b && npm test", False),
        ("go test ./...", "go test -race ./...", False),
        ("make test", "make lint", False),
        ("make", "make test", False),
        ("ls", "ls foo", False),
        ("pytest tests/a", "pytest tests/ab.py", False),
    ],
)
def test_what_covers_what(wide: str, narrow: str, covered: bool) -> None:
    """A success says something of a failure when it checked the same, or all of it."""
    assert covers(parsed(wide), parsed(narrow)) is covered


def test_a_failing_line_names_its_target() -> None:
    """A line of a failure is about a narrower command when it names what that works on."""
    assert targets_in(parsed("pytest tests/a.py"), "FAILED tests/a.py::test_x - assert 1")
    assert not targets_in(parsed("pytest tests/b.py"), "FAILED tests/a.py::test_x - assert 1")


@given(st.text(st.characters(codec=None), max_size=300))
def test_any_line_can_be_taken_apart(line: str) -> None:
    """Whatever a command line holds, it has a key, and covers itself when it runs anything."""
    command = parsed(line)
    assert covers(command, command) is bool(command.programs)
