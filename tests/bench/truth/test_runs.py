"""Commands told as they ended: resolved is not open, open is told."""

from collections.abc import Callable
from typing import Any

import pytest

from loom.inputs import Reply, Result, ToolCall
from loom_bench.truth import FollowedSession
from loom_bench.truth.runs import OutcomesTold, failed, names
from tests.kit.cases import all_cases

FAILURE = "FAILED tests/test_values.py::test_sum - assert 3 == 4"
COMMAND = "pytest -q tests"


@pytest.fixture
def resolved(court: Callable[..., Any]) -> Any:
    """A court in which tests failed and then passed."""
    made = court(OutcomesTold())
    made.bad = made.call("Bash", f"Exit code 1\n{FAILURE}\n1 failed", error=True, command=COMMAND)
    made.good = made.call("Bash", "4 passed", command=COMMAND)
    return made


@pytest.fixture
def unresolved(court: Callable[..., Any]) -> Any:
    """A court in which tests passed and then failed."""
    made = court(OutcomesTold())
    made.good = made.call("Bash", "4 passed", command=COMMAND)
    made.bad = made.call("Bash", f"{FAILURE}\n1 failed", command=f"{COMMAND}  ")
    return made


@pytest.mark.parametrize(
    "text",
    [
        f"errors:\n  {FAILURE}",
        f"errors:\n  {FAILURE[:40]}…",
        f"{COMMAND} → passes\nerrors: {FAILURE}",
    ],
)
def test_resolved_shown_as_open(resolved: Any, text: str) -> None:
    """A line of the failure with nothing of the pass behind it, whole or cut at its end."""
    assert [kind for kind, _ in resolved.rule(text).faults] == ["resolved_open"]
    assert resolved.rule(resolved.bad).faults


@all_cases(
    "text",
    [
        "",
        f"{COMMAND} → passes (was failing, step_0007)",
        f"errors:\n  {FAILURE}\nran:\n  {COMMAND}: passes",
        f"resolved: {FAILURE}",
        "errors:\n  FAILED another test of a file with a long name",
    ],
)
def test_resolved_told(resolved: Any, text: str) -> None:
    """It is told as resolved, or not at all."""
    assert not resolved.rule(text).faults
    assert not resolved.rule(resolved.bad, resolved.good).faults


@pytest.mark.parametrize(
    "text", ["", "ran:\n  pytest -q tests: passes", "ran pytest -q tests (step_0009)"]
)
def test_open_untold(unresolved: Any, text: str) -> None:
    """A check that failed last is not told by silence, its name, or its earlier success."""
    assert unresolved.rule(text).faults == [("open_untold", COMMAND)]
    assert unresolved.rule(unresolved.good).faults


@all_cases(
    ("command", "text", "error", "bad"),
    [
        ("pytest -q", "3 passed", False, False),
        ("pytest -q | tail -3", "1 failed, 2 passed", False, True),
        ("go test ./...", "--- FAIL: TestX (0.1s)\nFAIL", False, True),
        ("cat log", "--- FAIL: TestX (0.1s)\nFAIL", False, False),
        ("ls", "Command exited with code 2", False, True),
        ("ls", "", True, True),
        ("npm run check", "a.ts(2,3): error TS2304: no name", False, True),
        ("go test ./...", "ok  app 0 failed", False, False),
    ],
)
def test_failed(command: str, text: str, error: bool, bad: bool) -> None:
    """By flag, by exit code, and for checks by what their runner sums up."""
    session = FollowedSession()
    session.take(Reply((ToolCall("1", "Bash", f'{{"command": "{command}"}}'),)))
    made = session.take(Result("1", text, error))
    assert failed(made) is bad


@all_cases(
    ("line", "command", "found"),
    [
        ("mise run test: passes", "mise run test 2>&1 | tail -5", True),
        ("mise run test 2>&1 | tail -9: passes", "mise run test", True),
        ("`mise run test` passes", "mise run test", True),
        ("mise run test:integration passes", "mise run test", False),
        ("pytest -q tests -k one → passes", "pytest -q tests", False),
        ("go test ./app/server/storage/… → ok", "go test ./app/server/storage/files -v", True),
        ("go test ./app/server/storage/memory → ok", "go test ./app/server/storage/files", False),
        ("pytest -q → passes", "cd /repo && pytest -q", True),
        ("cd /other && pytest -q → passes", "cd /repo && pytest -q", False),
        ("cd /other && pytest -q → passes", "pytest -q", False),
    ],
)
def test_names(line: str, command: str, found: bool) -> None:
    """A command is named by its text or a cut of it, not by a longer one or elsewhere."""
    assert names(line, command) is found
