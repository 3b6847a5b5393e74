import json
from typing import Any

import pytest

from loom.reduce.shell_rule import command_of_call, output_and_exit_code
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
    assert command_of_call(arguments) == command


@all_cases(
    ("text", "code", "body"),
    [
        ("", None, ""),
        ("hello", None, "hello"),
        ("Exit code 1\nboom", 1, "boom"),
        ("boom\n\nCommand exited with code 2", 2, "boom\n\n"),
        ("[The command completed with exit code 0.]", 0, ""),
        ("exit status 3", 3, ""),
        ("boom\n[exit 2]", 2, "boom\n"),
        ("boom\n\n(exit 139)", 139, "boom\n\n"),
        ("<returncode>4</returncode>\n<output>boom</output>", 4, "<output>boom</output>"),
        ("#!/bin/sh\nexit 1", None, "#!/bin/sh\nexit 1"),
        ("status: 404", None, "status: 404"),
        ("the text says exit code 1 somewhere", None, "the text says exit code 1 somewhere"),
    ],
)
def test_exit_codes_in_text(text: str, code: int | None, body: str) -> None:
    """Only a line that is nothing but a report of the exit code counts as one."""
    assert output_and_exit_code(None, text) == (body, "", code)


def test_exit_codes_in_the_middle_are_output() -> None:
    """A report far from either end belongs to what the command printed."""
    text = "x\n" * 1000 + "Exit code 9\n" + "y\n" * 1000
    assert output_and_exit_code(None, text)[2] is None


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
    assert output_and_exit_code(payload, json.dumps(payload)) == (out, err, code)
