"""What calls and messages are called."""

from __future__ import annotations

from loom.report.lanes import of_user
from loom_partitions.message import Call, Text, UserTurn


def call(name: str, arguments: str) -> Call:
    """A call of a tool."""
    return Call("c", name, arguments, 9)


def test_a_message_is_called_by_its_first_words() -> None:
    """What was read ahead by the file it is of."""
    assert of_user(UserTurn(1, Text(2, 5, "Do it.\nNow."), 9)).title == "Do it. Now."
    ahead = UserTurn(2, Text(2, 5, "x"), 9, source="step_0001", about="a.py", field="new_string")
    assert of_user(ahead).title == "read ahead a.py"
