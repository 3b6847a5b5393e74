import json
from typing import Any

import pytest

from loom.reduce import reduce
from loom.reduce.shell import command_of, streams
from tests.kit.cases import all_cases


@all_cases(
    ("arguments", "command"),
    [
        ({}, ""),
        ({"command": 5}, ""),
        ({"command": "ls -la "}, "ls -la"),
        ({"command": "git", "args": ["log", "--oneline", "-20"]}, "git log --oneline -20"),
        ({"command": "git", "args": "status"}, "git status"),
        ({"command": ["bash", "-lc", "make test"]}, "make test"),
        ({"command": ["ls", "-l"]}, "ls -l"),
        ({"cmd": "pwd"}, "pwd"),
    ],
)
def test_commands_are_joined(arguments: dict[str, Any], command: str) -> None:
    """A command is one text, whether it came as a string, a list, or with its arguments apart."""
    assert command_of(arguments) == command


@all_cases(
    ("text", "code", "body"),
    [
        ("", None, ""),
        ("hello", None, "hello"),
        ("Exit code 1\nboom", 1, "boom"),
        ("boom\n\nCommand exited with code 2", 2, "boom\n\n"),
        ("[The command completed with exit code 0.]", 0, ""),
        ("exit status 3", 3, ""),
        ("status: 404", None, "status: 404"),
        ("the text says exit code 1 somewhere", None, "the text says exit code 1 somewhere"),
    ],
)
def test_exit_codes_in_text(text: str, code: int | None, body: str) -> None:
    """Only a line that is nothing but a report of the exit code counts as one."""
    assert streams(None, text) == (body, "", code)


def test_exit_codes_in_the_middle_are_output() -> None:
    """A report far from either end belongs to what the command printed."""
    text = "x\n" * 1000 + "Exit code 9\n" + "y\n" * 1000
    assert streams(None, text)[2] is None


@pytest.mark.parametrize(
    ("payload", "out", "err", "code"),
    [
        ({"stdout": "a", "stderr": "b", "exit_code": 1}, "a", "b", 1),
        ({"output": "a", "metadata": {"exit_code": 2}}, "a", "", 2),
        ({"stdout": None, "stderr": "b", "returncode": True}, "", "b", None),
    ],
)
def test_payloads(payload: dict[str, Any], out: str, err: str, code: int | None) -> None:
    """Streams and exit code are read from the members tools use for them."""
    assert streams(payload, json.dumps(payload)) == (out, err, code)


@all_cases(
    ("command", "result", "error", "line"),
    [
        ("true", "", False, "true: exit 0, 0 lines output"),
        ("git log --oneline -20", "a\n" * 20, False, "git log: exit 0, 20 lines output"),
        ("cd x && npm test", "ok", False, "cd x && npm test: exit 0, 1 line output"),
        (
            "make -j4",
            "ok\nfoo.c:1: error: bad\nok",
            True,
            "make: exit 1, 3 lines output: foo.c:1: error: bad",
        ),
        ("grep x a", "Exit code 1", False, "grep x a: exit 1, 0 lines output"),
        ("t", "Exit code 2\nusage: t\nnope", True, "t: exit 2, 2 lines output: usage: t | nope"),
        (
            "t",
            '{"stdout": "ok", "stderr": "full", "exit_code": 1}',
            False,
            "t: exit 1, 2 lines output: full",
        ),
    ],
)
def test_observations(command: str, result: str, error: bool, line: str) -> None:
    """A command is told with its exit code and lines, and with what failed when it did."""
    done = reduce("Bash", json.dumps({"command": command}), result, error=error)
    assert done.reduction.observation == line
    assert done.extension == ".log"
    assert done.kind == "shell"


@all_cases(
    ("command", "result", "compact", "observation"),
    [
        ("make", "x", "Ran `make` (exit 0)", "make: exit 0, 1 line output"),
        (
            "npm run build 2>&1 | tail -5",
            "> build",
            "Ran `npm run build 2>&1 | tail -5` (outcome not seen)",
            "npm run build 2>&1 | tail: outcome not seen, 1 line output",
        ),
        (
            "npm run build 2>&1 | tail -5",
            '{"stdout": "> build", "stderr": "", "exit_code": 0}',
            "Ran `npm run build 2>&1 | tail -5` (exit 0)",
            "npm run build 2>&1 | tail: exit 0, 1 line output",
        ),
        (
            "pytest -q | tail -3",
            "1 failed, 2 passed",
            "Ran `pytest -q | tail -3` (fails)",
            "pytest: fails, 1 line output: 1 failed, 2 passed",
        ),
        ("pytest | tail", "3 passed", "Ran `pytest | tail` (passes)", None),
        ("ls | head", "a", "Ran `ls | head`", "ls | head: 1 line output"),
    ],
)
def test_an_exit_code_nobody_reported_is_not_told(
    command: str, result: str, compact: str, observation: str | None
) -> None:
    """Behind a filter it is the filter's: told is what was seen of the end, or nothing."""
    done = reduce("Bash", json.dumps({"command": command}), result).reduction
    assert done.compact == compact
    assert observation in (None, done.observation)


@pytest.mark.parametrize(("size", "page"), [(0, False), (500, False), (501, True)])
def test_output_beyond_500_characters_rests_on_a_page(size: int, page: bool) -> None:
    """The threshold is on the output, wrapped or not."""
    wrapped = json.dumps({"stdout": "x" * size, "stderr": "", "exit_code": 0})
    assert reduce("Bash", "{}", "x" * size).page is page
    assert reduce("Bash", "{}", wrapped).page is page


def test_a_failure_is_in_the_compact_line_too() -> None:
    """The compact line keeps command and exit code before it says why."""
    done = reduce("Bash", '{"command": "make"}', "fatal: nope", error=True)
    assert done.reduction.compact == "Ran `make` (exit 1) — failed: fatal: nope"
