"""Commands in one spelling."""

from hypothesis import given
from hypothesis import strategies as st

from loom.reduce.shell_commands import parse_command
from tests.kit.cases import all_cases


@all_cases(
    ("line", "key", "masked"),
    [
        ("", "", False), ("pytest", "pytest", False), ("pytest -q", "pytest", False),
        ("python -m pytest -q tests/a.py 2>&1 | tail -20", "pytest tests/a.py", True),
        ("uv run pytest -x -vv tests", "pytest tests", False),
        ("cd web && npm run test", "cd web && npm test", False),
        ("cd /a && cd b && FOO=1 make lint", "cd /a/b && FOO=1 make lint", False),
        ("go build ./... 2>&1", "go build ./...", False), ("make &> out.log", "make", False),
        ("make &", "make", True), ("make -C web check", "cd web && make check", False),
        ("timeout 60 pytest tests || true", "pytest tests", True), ("make; echo $?", "make", True),
        ("set -o pipefail; make | tail", "make", True),
        ("go test ./... -run TestX -v", "go test -run=TestX ./...", False),
        ("ls 'a b'", "ls 'a b'", False), ("cat <<'EOF'\nx\nEOF", "cat here:bcdf4cc9", False),
        ("echo 'unclosed", "echo unclosed", False),
    ],
)  # fmt: skip
def test_one_spelling(line: str, key: str, masked: bool) -> None:
    """What only changes how it runs or prints is left out; what hides the exit code is told."""
    command = parse_command(line)
    assert command.key == key
    assert command.masked is masked


@all_cases(
    "line",
    [
        "(cd a && make test) && (cd b && make)", "cd a && python - <<E\nx\nE",
        "A='b c' pytest -k 'd e'", "for f in a b; do pytest $f; done", "mysql <dump.sql",
        "git commit -m \"it's\" '#x'", "bash -c 'a; b'",
    ],
)  # fmt: skip
def test_a_spelling_is_spelled_alike(line: str) -> None:
    """The one spelling of a command, taken apart again, is the same command."""
    key = parse_command(line).key
    assert parse_command(key).key == key
    assert parse_command(key).programs == parse_command(line).programs


@given(st.text(st.characters(codec=None), max_size=300))
def test_any_line_can_be_taken_apart(line: str) -> None:
    """Whatever a command line holds, it has a key when it runs anything."""
    command = parse_command(line)
    assert bool(command.key) is bool(command.programs)


@all_cases(
    ("line", "masked"),
    [
        ("pytest", False), ("cd x && pytest && echo ok", False), ("ls; pytest", False),
        ("pytest | tail", True), ("pytest; ls", True), ("pytest || true", True),
        ("pytest || exit 1", True),
        ("pytest || { echo bad; exit 0; }", True), ("pytest || ls && exit 1", True),
        ("set -e; pytest; ls", True), ("set -e\npytest | tail", True),
        ("set -euo pipefail\npytest", False),
        ("set -o pipefail && pytest | tail", True), ("pytest; code=$?; ls; exit $code", True),
        ("pytest | tail; exit $?", True), ("(pytest) | tail", True), ("(pytest) 2>&1", False),
        ("bash -c 'pytest; true'", True), ("bash -c 'pytest' | tail", True), ("! pytest", True),
        ("if pytest; then echo a; fi", True), ("pytest &", True),
        ("for i in 1 2; do pytest; done", True), ("if [ -f x ]; then pytest; fi", True),
    ],
)  # fmt: skip
def test_whose_exit_code_it_is(line: str, masked: bool) -> None:
    """The exit code is told from one that belongs to something else in the line."""
    assert parse_command(line).masked is masked
