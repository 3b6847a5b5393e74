"""Sessions with one message a line, recorded by any harness."""

from typing import Any

import pytest

from loom.inputs import System, User
from loom.replay.importers import load


def test_compaction(jsonl: Any) -> None:
    """The mark of a compaction is dropped and noted, the summary stays a turn of the user."""
    path = jsonl(
        {"role": "user", "content": "go"},
        {"role": "system", "content": "compacted", "compact_boundary": {"preTokens": 9}},
        {"role": "user", "content": "So far: nothing.", "compact_summary": True},
        {"role": "system", "content": "later rules"},
    )
    [session] = load(path)
    assert session.events == (
        User("go", 0),
        User("So far: nothing.", 2),
        System("later rules", 3),
    )
    assert session.mended == ("message 1: the mark of a compaction was dropped",)


@pytest.mark.parametrize(
    "broken",
    [
        {"role": "wizard", "content": "x"},
        {"role": ["user"], "content": "x"},
        {"role": {"name": "user"}, "content": "x"},
        {"type": "note"},
        {"role": "tool", "content": "x"},
        {"role": "assistant", "tool_calls": "t"},
        {"role": "assistant", "tool_calls": ["t"]},
        {"role": "assistant", "tool_calls": [{"id": "t"}]},
    ],
)
def test_broken_message(jsonl: Any, broken: dict[str, Any]) -> None:
    """A message that cannot be read is left out and told by its number."""
    first, last = ({"role": "assistant", "content": text, "ctx_tokens": 5} for text in "ab")
    [session] = load(jsonl(first, broken, last))
    assert [event.index for event in session.events] == [0, 2]
    [note] = session.mended
    assert note.startswith("message 1: ") and note.endswith(": it was left out")
