"""Whose exit code a line has, and what else of its output tells how it ended."""

from loom.reduce.commands import parsed
from tests.kit.cases import all_cases


@all_cases(
    ("line", "masked"),
    [
        ("pytest", False), ("cd x && pytest && echo ok", False), ("ls; pytest", False),
        ("pytest | tail", True), ("pytest; ls", True), ("pytest || true", True),
        ("pytest || exit 1", False), ("pytest || { echo bad; exit 1; }", False),
        ("pytest || { echo bad; exit 0; }", True), ("pytest || ls && exit 1", True),
        ("set -e; pytest; ls", False), ("set -e\npytest | tail", True),
        ("set -euo pipefail\npytest | tail\nls", False),
        ("set -o pipefail && pytest | tail", False), ("pytest; code=$?; ls; exit $code", False),
        ("pytest | tail; exit $?", True), ("(pytest) | tail", True), ("(pytest) 2>&1", False),
        ("bash -c 'pytest; true'", True), ("bash -c 'pytest' | tail", True), ("! pytest", True),
        ("if pytest; then echo a; fi", True), ("pytest &", True),
        ("for i in 1 2; do pytest; done", True), ("if [ -f x ]; then pytest; fi", True),
    ],
)  # fmt: skip
def test_whose_exit_code_it_is(line: str, masked: bool) -> None:
    """The exit code is told from one that belongs to something else in the line."""
    assert parsed(line).masked is masked
