"""What came of a command: by its exit code where that is its own, else by what it printed."""

import re

from loom.reduce.shell_commands import parse_command
from loom.reduce.verdict import (
    _CALL,
    _FAILED,
    _NO_TEST,
    _PASSED,
    DONE,
    PASSES,
    STARTED,
    UNKNOWN,
    verdict,
)
from tests.kit.cases import all_cases


@all_cases(
    ("line", "output", "came"),
    [
        ("go build ./... 2>&1 | head -20", "a.go:3:5: undefined: x", "fails"),
        ("go build ./... 2>&1 | head -20", "", UNKNOWN),
        ("make 2>&1 | tail", "src/a.c:3:5: warning: unused x", UNKNOWN),
        ("pytest | tail", "a/b.py:3: DeprecationWarning: old\n3 passed", PASSES),
        ("pytest | tail -1; grep -n x a.py b.py", "3 passed\na.py:3:    x = 1", PASSES),
        ("pytest | tail -5", "", UNKNOWN),
        ("pytest | tail -5", "3 passed in 1s", PASSES),
        ("pytest | tail -5", "1 failed, 3 passed in 1s", "fails"),
        ("pytest || true", "", UNKNOWN),
        ("pytest; echo done", "done", UNKNOWN),
        ("pytest -q; echo 'all tests passed'", "all tests passed", UNKNOWN),
        ("set -o pipefail; pytest | tail", "5 warnings", UNKNOWN),
        ("pytest > out.log 2>&1; echo EXIT=$?", "EXIT=1", "fails (exit 1)"),
        ("pytest > out.log 2>&1; echo EXIT=$?", "EXIT=0", PASSES),
        ('pytest 2>&1 | tail -3; echo "exit ${PIPESTATUS[0]}"', "blah\nexit 2", "fails (exit 2)"),
        ("pytest 2>&1 | tail -3; echo $?", "blah\n0", UNKNOWN),
        ('pytest; rc=$?; echo "rc: $rc"', "rc: 0", UNKNOWN),
        ("pytest; rc=$?; ls; exit $rc", "", UNKNOWN),
        ("set +e; pytest; set -e", "1 failed, 3 passed", "fails"),
        ("pytest a; ruff check b; echo EXIT=$?", "EXIT=0", UNKNOWN),
        ("true || pytest", "", UNKNOWN),
        ("trap 'exit 0' EXIT; pytest", "", UNKNOWN),
        ("pytest & wait; echo EXIT=$?", "EXIT=0", UNKNOWN),
        ("pytest && echo PASSED || echo FAILED", "PASSED", UNKNOWN),
        ("git show x | grep y || echo 'No matches'", "No matches", DONE),
        ("ls x || echo none", "none", DONE),
        ("pytest | grep x || echo none", "none", UNKNOWN),
        ("cat log.txt | tail", "ERROR: 3 errors", DONE),
        ("cat nofile | head", "cat: nofile: No such file or directory", "fails"),
        ("make test | tail", "test_5000 FAILED: expected 177", "fails"),
        ("make test | tail", "PASSED: 12, FAILED: 0\n12 passed", PASSES),
        ("echo 'tests passed'", "tests passed", DONE),
        ("cat >> notes.md <<'EOF'\npytest passes\nEOF", "", DONE),
        ("git log --oneline | head -3", "abc fix: 3 errors\n1 failed", DONE),
        ("(cd web && npm test) 2>&1 | tail -4", "Tests: 2 failed, 3 passed", "fails"),
        ("npm test 2>&1 | tail", "Test Files  2 passed (2)\n Tests  30 passed (30)", PASSES),
        ("npx tsc --noEmit | head", "src/a.ts(3,4): error TS2322: x", "fails"),
        ("cargo build 2>&1 | tail -3", "error[E0308]: mismatched types", "fails"),
        (
            "cargo test 2>&1 | grep 'test result'",
            "test result: FAILED. 3 passed; 1 failed",
            "fails",
        ),
        ("ruff check . | tail -1", "All checks passed!", PASSES),
        ("make test 2>&1 | tail -2", "make: *** [test] Error 1", "fails"),
        ("pytest -q 2>&1 | tail -1", "ERROR: file or directory not found: x", "fails"),
        ("python run_tests.py | tail", "OK", PASSES),
        ("python -m unittest 2>&1 | tail -3", "FAILED (failures=1)", "fails"),
        ("pytest & ", "", STARTED),
        (
            "eslint src | head",
            "  3:4  error  no-unused\n✖ 1 problem (1 error, 0 warnings)",
            "fails",
        ),
        ("mypy . | tail -1", "Success: no issues found in 3 source files", PASSES),
        ("dotnet test | tail", "Passed!  - Failed:     0, Passed:    12", PASSES),
        ("dotnet test | tail", "Failed!  - Failed:     2, Passed:    12", "fails"),
        ("gradle test | tail", "BUILD SUCCESSFUL in 3s", PASSES),
        (
            "mvn test | tail",
            "Tests run: 5, Failures: 0, Errors: 0, Skipped: 0\nBUILD SUCCESS",
            PASSES,
        ),
        ("ctest | tail", "100% tests passed, 0 tests failed out of 3", PASSES),
        ("mix test | tail", "5 tests, 0 failures", PASSES),
        ("deno test | tail", "ok | 3 passed | 0 failed (2ms)", PASSES),
        ("pre-commit run -a | tail", "ruff.....Failed", "fails"),
        ("black --check . | tail -1", "would reformat a.py\n1 file would be reformatted", "fails"),
        ("shellcheck a.sh | head", "In a.sh line 3:\nSC2086", "fails"),
        ("bazel test //... | tail", "//a:t FAILED in 1s", "fails"),
        ("swift test | tail", "Executed 3 tests, with 0 failures", PASSES),
        ("phpunit | tail", "FAILURES!\nTests: 3, Assertions: 3, Failures: 1.", "fails"),
        ("tox | tail", "  py311: OK (1.2 seconds)\n  congratulations :)", PASSES),
        ("pyright | tail -1", "0 errors, 0 warnings, 0 informations", PASSES),
        ("pylint a | tail", "Your code has been rated at 10.00/10", PASSES),
    ],
)
def test_a_status_that_is_another_ones(line: str, output: str, came: str) -> None:
    """Where the exit code is a filter's or an echo's the output decides, without what the line says
    itself; where nothing is seen, that is told."""
    assert verdict(parse_command(line), output, 0, False) == came


@all_cases(
    ("line", "output", "code", "error", "came"),
    [
        ("ls", "", None, False, DONE),
        ("make test", "", 0, False, PASSES),
        ("pytest -q", "1 failed, 3 passed", None, True, "fails"),
        ("ruff check --fix .", "Found 4 errors (4 fixed, 0 remaining).", None, False, PASSES),
        ("ruff check --fix .", "Found 4 errors (3 fixed, 1 remaining).", None, False, "fails"),
        ("x", "boom", 127, False, "fails (exit 127)"),
        ("pytest x.py", "no tests ran in 0.01s", None, False, UNKNOWN),
        ("grep -r x src", "", 1, False, "found nothing"),
        ("pytest | grep FAILED", "", 1, True, UNKNOWN),
        ("grep -q x f && pytest", "", 1, True, UNKNOWN),
        ("[ -f x ] && (cd a && pytest)", "", 1, True, UNKNOWN),
        ("test -f x && pytest; echo EXIT=$?", "EXIT=1", 0, False, UNKNOWN),
        ("grep -q x f && pytest", "1 failed", 1, True, "fails (exit 1)"),
        ("cd a && pytest", "", 1, True, "fails (exit 1)"),
        ("grep -q x f && ls", "", 2, True, "fails (exit 2)"),
        ("pytest && grep -q x f", "3 passed", 1, True, PASSES),
        ("pytest && grep -q x f", "1 failed", 1, True, "fails"),
    ],
)
def test_by_its_exit_code(line: str, output: str, code: int | None, error: bool, came: str) -> None:
    """One word for each; a program that answers a question with 1 has not failed, and a check
    behind another program that may have has no outcome where nothing shows that it ran."""
    assert verdict(parse_command(line), output, code, error) == came


@all_cases("pattern", [_FAILED, _PASSED, _NO_TEST, _CALL])
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
    assert verdict(parse_command(line), output, 0, False) == came
