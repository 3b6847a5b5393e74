"""Labels of sessions that are made up, from their calls alone."""

from __future__ import annotations

import json

from msgspec.structs import replace

from loom.inputs import Event, Reply, Result, ToolCall, User
from loom_bench.recorded.sources import derived, needed
from tests.kit.cases import all_cases


def call(**arguments: str) -> ToolCall:
    """A call of a tool."""
    return ToolCall("c1", "edit", json.dumps(arguments))


@all_cases(
    ("given", "names"),
    [
        ({}, []),
        ({"command": "make all"}, []),
        ({"pattern": "stale_cursor"}, [("ident", "stale_cursor")]),
        ({"command": "cat src/a.py | wc"}, [("ident", "src/a.py")]),
        ({"old_string": "x = 1", "new_string": "y_z = 2"}, [("edit_old", "x = 1")]),
        ({"path": "src/a.py", "content": "new_name"}, [("ident", "src/a.py")]),
    ],
)
def test_a_call_needs_what_it_did_not_come_up_with(
    given: dict[str, str], names: list[tuple[str, str]]
) -> None:
    """The old text of an edit, paths and names; never what is written new."""
    assert list(needed(call(**given))) == names


def test_a_label_tells_the_last_sight_and_what_lies_between() -> None:
    """Only what was shown before is a label; distances are in tokens of four characters."""
    asked: list[Event] = [
        User("see src/a.py"),
        User("and src/a.py"),
        User("z" * 400),
        Reply((call(path="src/a.py"),)),
        Result("c1", "nothing"),
        Reply((call(path="src/b.py"),)),
    ]
    events = [replace(event, index=10 * at) for at, event in enumerate(asked)]
    (label,) = derived(events)
    assert (label.call, label.kind, label.needle, label.tool) == (30, "ident", "src/a.py", "edit")
    assert (label.last_seen, label.distance_tokens) == (10, 100)
