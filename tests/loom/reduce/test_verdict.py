"""What came of a command: by its exit code where that is its own, else by what it printed."""

import pytest

from loom.reduce.commands import parsed
from loom.reduce.verdict import verdict


@pytest.mark.parametrize(
    ("line", "output", "code", "error", "came"),
    [
        ("ls", "", None, False, "ok"),
        ("ls", "a.py", 0, False, "ok"),
        ("pytest -q", "3 passed in 0.1s", None, False, "passes"),
        ("make test", "", 0, False, "passes"),
        ("pytest -q", "1 failed, 3 passed", 1, True, "fails (exit 1)"),
        ("pytest -q", "1 failed, 3 passed", None, True, "fails"),
        ("x", "boom", 127, False, "fails (exit 127)"),
        ("pytest -q | tail -3", "1 failed, 3 passed", None, False, "fails"),
        ("go test ./... 2>&1 | tail", "--- FAIL: TestX\nFAIL", None, False, "fails"),
        ("go test ./... 2>&1 | tail", "ok  \tpkg 0.1s", None, False, "passes"),
        ("go test ./...", "ok  \tpkg 0.1s\n?   \tx\t[no test files]", None, False, "passes"),
        ("pytest x.py", "no tests ran in 0.01s", None, False, "ended, its outcome not seen"),
        ("pytest || true", "2 failed", None, False, "fails"),
        ("pytest | tail", "0 failed, 3 passed", None, False, "passes"),
        ("cat log.txt", "ERROR: 3 errors", 0, False, "ok"),
        ("grep -r x src", "", 1, False, "found nothing"),
        ("diff a b", "< x", 1, False, "found nothing"),
        ("npm run build | tail", "error TS2322: no", None, False, "fails"),
    ],
)
def test_what_came_of_it(line: str, output: str, code: int | None, error: bool, came: str) -> None:
    """One word for each; a program that answers a question with 1 has not failed."""
    assert verdict(parsed(line), output, code, error) == came
