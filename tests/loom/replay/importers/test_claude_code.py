"""Claude Code's session files."""

from pathlib import Path
from typing import Any

import pytest

from loom.inputs import (
    User,
)
from loom.replay.importers import BadSession, load


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


def piece(uuid: str, id: str | None, *blocks: dict[str, Any], cached: int = 90) -> dict[str, Any]:
    """Return a line with blocks of a reply."""
    usage = {"input_tokens": 10, "cache_read_input_tokens": cached, "output_tokens": 1}
    message = {"id": id, "model": "claude-x", "role": "assistant", "type": "message"}
    return line("assistant", uuid, message={**message, "content": list(blocks), "usage": usage})


def use(id: str) -> dict[str, Any]:
    """Return a call block."""
    return {"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "ls"}}


def text(words: str) -> dict[str, Any]:
    """Return a text block."""
    return {"type": "text", "text": words}


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


@pytest.mark.parametrize(
    "broken",
    [
        line("user", "2"),
        line("user", "2", message="x"),
        line("assistant", "2", message={"role": "assistant"}),
        line("user", ["2"], message={}),
        piece("2", "m", {"type": "tool_use", "input": {}}),
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
