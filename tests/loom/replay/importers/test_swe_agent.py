"""Trajectories of SWE-agent."""

from typing import Any

from loom.inputs import RecordedUsage, Reply, Result, Speech, System, ToolCall, User
from loom.replay.importers import load

OWN = {"agent": "main", "message_type": "x"}


def call(id: str) -> dict[str, Any]:
    """A call as SWE-agent keeps it."""
    return {"id": id, "type": "function", "function": {"name": "bash", "arguments": "{}"}}


def written(history: list[dict[str, Any]]) -> dict[str, Any]:
    """A trajectory with that history."""
    stats = {"tokens_sent": 900, "tokens_received": 40}
    return {"trajectory": [], "history": history, "info": {"model_stats": stats}}


def test_tool_calls(document: Any) -> None:
    """Calls and observations by their ids; one observation of two calls answers both."""
    history = [
        {"role": "system", "content": "You mend.", **OWN},
        {"role": "user", "content": [{"type": "text", "text": "Mend it."}], **OWN},
        {"role": "assistant", "content": "Look.", "thought": "Look.", "action": "ls",
         "tool_calls": [call("c1"), call("c2")], **OWN},
        {"role": "tool", "content": "seen", "tool_call_ids": ["c1", "c2"], **OWN},
    ]  # fmt: skip
    [session] = load(document(written(history)))
    calls = (ToolCall("c1", "bash", "{}"), ToolCall("c2", "bash", "{}"))
    assert session.events == (
        System("You mend.", 0),
        User("Mend it.", 1),
        Reply((Speech("Look."), *calls), index=2),
        Result("c1", "seen", index=3),
        Result("c2", "[see the result of c1]", index=3),
    )
    assert session.usage == RecordedUsage(900, 0, 40)
