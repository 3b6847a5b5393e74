"""What came of a command: by its exit code where that is its own, else by what it printed."""

import re

from loom.reduce.commands import parsed
from loom.reduce.verdict import (
    _CALL,
    _FAILED,
    _NO_TEST,
    _PASSED,
    _PLACED,
    DONE,
    PASSES,
    STARTED,
    UNKNOWN,
    verdict,
)
from tests.kit.cases import all_cases


@all_cases(
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


@all_cases(
    ("line", "output", "came"),
    [
        ("go build ./... 2>&1 | head -20", "a.go:3:5: undefined: x", "fails"),
        ("go build ./... 2>&1 | head -20", "", PASSES),
        ("pytest | tail -5", "", UNKNOWN),
        ("pytest | tail -5", "3 passed in 1s", PASSES),
        ("pytest | tail -5", "1 failed, 3 passed in 1s", "fails"),
        ("pytest || true", "", UNKNOWN),
        ("pytest; echo done", "done", UNKNOWN),
        ("pytest -q; echo 'all tests passed'", "all tests passed", UNKNOWN),
        ("pytest -q; echo '3 passed'", "3 passed\n1 failed", "fails"),
        ("pytest; true", "", UNKNOWN),
        ("set -o pipefail; pytest | tail", "5 warnings", PASSES),
        ("set -euo pipefail\npytest | tail\nls", "x", PASSES),
        ("pytest > out.log 2>&1; echo EXIT=$?", "EXIT=1", "fails (exit 1)"),
        ("pytest > out.log 2>&1; echo EXIT=$?", "EXIT=0", PASSES),
        ('pytest 2>&1 | tail -3; echo "exit ${PIPESTATUS[0]}"', "blah\nexit 2", "fails (exit 2)"),
        ("pytest 2>&1 | tail -3; echo $?", "blah\n0", UNKNOWN),
        ('pytest; rc=$?; echo "rc: $rc"', "rc: 0", PASSES),
        ("pytest; rc=$?; ls; exit $rc", "", PASSES),
        ("pytest && echo PASSED || echo FAILED", "FAILED", "fails"),
        ("pytest -q >/dev/null && echo PASSED || echo FAILED", "PASSED", PASSES),
        ("pytest && echo ok", "ok", PASSES),
        ("git show x | grep y || echo 'No matches'", "No matches", DONE),
        ("ls x || echo none", "none", DONE),
        ("pytest | grep x || echo none", "none", UNKNOWN),
        ("make deploy || echo BROKEN", "BROKEN", "fails"),
        ("cat log.txt | tail", "ERROR: 3 errors", DONE),
        ("cat nofile | head", "cat: nofile: No such file or directory", "fails"),
        ("pytest | grep FAILED", "FAILED a.py::x - assert", "fails"),
        ("make test | tail", "test_5000 FAILED: expected 177", "fails"),
        ("make test | tail", "t.py::a FAILED   [ 50%]\nt.py::b PASSED   [100%]", "fails"),
        ("make test | tail", "PASSED: 12, FAILED: 0\n12 passed", PASSES),
        ("echo 'tests passed'", "tests passed", DONE),
        ("cat >> notes.md <<'EOF'\npytest passes\nEOF", "", DONE),
        ("git commit -m 'fix: pytest fails'", "[main abc] fix: pytest fails", DONE),
        (
            "git rebase main 2>&1 | tail -3",
            "CONFLICT (content): Merge conflict in a.py\nerror: could not apply abc",
            "fails",
        ),
        ("git log --oneline | head -3", "abc fix: 3 errors\n1 failed", DONE),
        ("pytest || exit 1", "", PASSES),
        ("! pytest", "", UNKNOWN),
        ("(cd web && npm test) 2>&1 | tail -4", "Tests: 2 failed, 3 passed", "fails"),
        ("npm test 2>&1 | tail", "Test Files  2 passed (2)\n Tests  30 passed (30)", PASSES),
        ("npx tsc --noEmit | head", "src/a.ts(3,4): error TS2322: x", "fails"),
        ("npx tsc --noEmit | head", "", PASSES),
        ("cargo build 2>&1 | tail -3", "error[E0308]: mismatched types", "fails"),
        ("cargo test 2>&1 | grep 'test result'", "test result: ok. 3 passed; 0 failed", PASSES),
        (
            "cargo test 2>&1 | grep 'test result'",
            "test result: FAILED. 3 passed; 1 failed",
            "fails",
        ),
        ("bash -c 'pytest -q | tail -1'", "", UNKNOWN),
        ("ruff check . | tail -1", "All checks passed!", PASSES),
        ("ruff check . | tail -1", "Found 3 errors.", "fails"),
        ("make test 2>&1 | tail -2", "make: *** [test] Error 1", "fails"),
        ("pytest -q 2>&1 | tail -1", "ERROR: file or directory not found: x", "fails"),
        ("python run_tests.py | tail", "OK", PASSES),
        ("python -m unittest 2>&1 | tail -3", "FAILED (failures=1)", "fails"),
        ("ls; pytest", "", PASSES),
        ("pytest; ls", "a", UNKNOWN),
        ("pytest & ", "", STARTED),
        ("gh pr create --body 'pytest 3 failed'", "https://x", DONE),
        (
            "eslint src | head",
            "  3:4  error  no-unused\n✖ 1 problem (1 error, 0 warnings)",
            "fails",
        ),
        ("mypy . | tail -1", "Success: no issues found in 3 source files", PASSES),
        ("go test ./... | tail -3", "ok  \ta\t0.1s\nFAIL\tb [build failed]", "fails"),
        ("dotnet test | tail", "Passed!  - Failed:     0, Passed:    12", PASSES),
        ("dotnet test | tail", "Failed!  - Failed:     2, Passed:    12", "fails"),
        ("gradle test | tail", "BUILD SUCCESSFUL in 3s", PASSES),
        (
            "mvn test | tail",
            "Tests run: 5, Failures: 0, Errors: 0, Skipped: 0\nBUILD SUCCESS",
            PASSES,
        ),
        (
            "mvn test | tail",
            "Tests run: 5, Failures: 1, Errors: 0, Skipped: 0\nBUILD FAILURE",
            "fails",
        ),
        ("ctest | tail", "100% tests passed, 0 tests failed out of 3", PASSES),
        ("mix test | tail", "5 tests, 0 failures", PASSES),
        ("rspec | tail", "5 examples, 2 failures", "fails"),
        ("deno test | tail", "ok | 3 passed | 0 failed (2ms)", PASSES),
        ("pre-commit run -a | tail", "ruff.....Failed", "fails"),
        ("black --check . | tail -1", "would reformat a.py\n1 file would be reformatted", "fails"),
        ("shellcheck a.sh | head", "In a.sh line 3:\nSC2086", "fails"),
        ("bazel test //... | tail", "//a:t FAILED in 1s", "fails"),
        ("swift test | tail", "Executed 3 tests, with 0 failures", PASSES),
        ("phpunit | tail", "OK (3 tests, 3 assertions)", PASSES),
        ("phpunit | tail", "FAILURES!\nTests: 3, Assertions: 3, Failures: 1.", "fails"),
        ("jest 2>&1 | tail", "Tests:       1 failed, 3 passed, 4 total", "fails"),
        ("tox | tail", "  py311: OK (1.2 seconds)\n  congratulations :)", PASSES),
        ("flake8 | head", "a.py:1:1: F401 x imported but unused", "fails"),
        ("pyright | tail -1", "0 errors, 0 warnings, 0 informations", PASSES),
        ("pylint a | tail", "Your code has been rated at 10.00/10", PASSES),
    ],
)
def test_a_status_that_is_another_ones(line: str, output: str, came: str) -> None:
    """Where the exit code is a filter's or an echo's the output decides, without what the line says
    itself; where nothing is seen, that is told."""
    assert verdict(parsed(line), output, 0, False) == came


def test_a_filter_that_finds_nothing_is_no_failure() -> None:
    """`grep` ends with 1 where it finds nothing, which says nothing of the tests before it."""
    assert verdict(parsed("pytest | grep FAILED"), "", 1, True) == UNKNOWN


@all_cases("pattern", [_FAILED, _PASSED, _NO_TEST, _PLACED, _CALL])
def test_no_pattern_runs_over_lines_from_each_of_them(pattern: re.Pattern[str]) -> None:
    """No pattern takes any number of blanks from the head of a line: of many empty lines each would
    be looked at from every one before it."""
    assert r"\s*" not in pattern.pattern
    assert r"\s+" not in pattern.pattern


@all_cases(
    ("line", "output", "came"),
    [
        ("pytest > /dev/null; printf '%s passed\\n' 3", "3 passed", UNKNOWN),
        ('pytest > /dev/null; echo "$N passed"', "3 passed", UNKNOWN),
        ("pytest | tail; echo EXIT=${PIPESTATUS[0]}", "1 passed\nEXIT=0", PASSES),
        ("pytest | tail; echo EXIT=${PIPESTATUS[0]}", "1 passed\nEXIT=1", "fails (exit 1)"),
    ],
)
def test_a_line_does_not_speak_for_what_it_runs(line: str, output: str, came: str) -> None:
    """What a line prints itself is no success, and a report stands where the line prints it."""
    assert verdict(parsed(line), output, 0, False) == came
