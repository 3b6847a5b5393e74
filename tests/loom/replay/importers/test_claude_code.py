"""Claude Code's session files."""

from pathlib import Path
from typing import Any

import pytest

from loom.inputs import User
from loom.replay.importers import BadSession, load
from tests.kit.cases import all_cases


def line(kind: str, uuid: Any, **fields: Any) -> dict[str, Any]:
    """Return a line with the bookkeeping every line has."""
    return {
        "parentUuid": None,
        "isSidechain": False,
        "sessionId": "s",
        "uuid": uuid,
        "type": kind,
        **fields,
    }


def said(uuid: Any, content: Any, **fields: Any) -> dict[str, Any]:
    """Return a line of the user."""
    return line("user", uuid, message={"role": "user", "content": content}, **fields)


def test_what_the_client_wrote_itself(jsonl: Any) -> None:
    """Lines the client marks as its own are no words of the user; a skill's body is a skill's."""
    body = "Base directory for this skill: /s/audit\n\n# Audit\nList each function."
    path = jsonl(
        said("1", "go"),
        said("2", body, isMeta=True),
        said("3", "Continue from where you left off.", isMeta=True),
        said("4", "on"),
    )
    [session] = load(path)
    assert [one.kind for one in session.events] == ["", "", "observation", ""]


@all_cases(
    "broken",
    [
        line("user", "2"),
        line("user", "2", message="x"),
        line("assistant", "2", message={"role": "assistant"}),
        line("user", ["2"], message={}),
        line("assistant", "2", message={"role": "assistant", "content": [{"type": "tool_use"}]}),
        said("2", [{"type": "tool_result", "content": "x"}]),
    ],
)
def test_broken_line(jsonl: Any, broken: dict[str, Any]) -> None:
    """A line that cannot be read is left out and told by its number; alone it is no session."""
    [session] = load(jsonl(said("1", "go"), broken, said("3", "on")))
    assert session.events == (User("go", 0), User("on", 2))
    [note] = session.mended
    assert note.startswith("message 1: ") and note.endswith(": it was left out")
    empty = {"role": "assistant"}
    path: Path = jsonl(line("assistant", "1", message=empty), broken, name="alone.jsonl")
    with pytest.raises(BadSession, match="left out") as caught:
        load(path)
    assert (caught.value.path, caught.value.line) == (path, 1)
