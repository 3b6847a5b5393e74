"""What calls and messages are called."""

from __future__ import annotations

import pytest

from loom.report.titles import of_call, of_step, of_user
from loom_partitions.message import Call, Said, Step, Text, UserTurn


def call(name: str, arguments: str) -> Call:
    """A call of a tool."""
    return Call("c", name, arguments, 9)


@pytest.mark.parametrize(
    ("arguments", "title", "file"),
    [
        ("", "read", ""),
        ("{broken", "read", ""),
        ('{"limit": 3}', "read", ""),
        ('{"path": "a.py"}', "read a.py", "a.py"),
        (
            '{"file_path": "/home/someone/projects/loom/src/config.json"}',
            "read …/src/config.json",
            "/home/someone/projects/loom/src/config.json",
        ),
        ('{"command": "make  test"}', "read make test", ""),
        ('{"query": "who calls it"}', "read who calls it", ""),
        ('{"path": "a\\ud800.py"}', "read a .py", "a\ufffd.py"),
    ],
)
def test_a_call_is_called_by_what_it_is_about(arguments: str, title: str, file: str) -> None:
    """The end of its path, its command, else its first text; nothing that no page could hold."""
    found = of_call(call("read", arguments))
    assert (found.title, found.tool, found.file) == (title, "read", file)


def test_a_step_is_called_by_its_calls() -> None:
    """At most three of them; one without calls by what it says."""
    calls = tuple(call("read", f'{{"path": "{at}.py"}}') for at in range(5))
    assert of_step(Step(1, calls, 9)).title == "read 0.py · read 1.py · read 2.py · +2"
    assert of_step(Step(1, (Said(Text(2, 5, "Hello\nyou")),), 9)).title == "Hello you"
    assert of_step(Step(1, (), 9)).title == ""


def test_a_message_is_called_by_its_first_words() -> None:
    """What was read ahead by the file it is of."""
    assert of_user(UserTurn(1, Text(2, 5, "Do it.\nNow."), 9)).title == "Do it. Now."
    ahead = UserTurn(2, Text(2, 5, "x"), 9, source="step_0001", about="a.py", field="new_string")
    assert of_user(ahead).title == "read ahead a.py"
