"""The nearest guess at a shape nobody reads: what its values have in common with a known one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

# What a value looks like, and what it lacks → values of `type` and names of members that tell.
GUESSES = {
    "a Codex rollout, but no line is a response_item": frozenset(
        {"session_meta", "event_msg", "turn_context", "compacted", "world_state", "record_type",
         "rollout_path"}
    ),
    "a session of Claude Code, but no line is one of the user or the assistant": frozenset(
        {"summary", "file-history-snapshot", "progress", "queue-operation", "last-prompt",
         "attachment", "sessionId", "leafUuid", "parentUuid"}
    ),
    "a message or a part of opencode, but a session is read from opencode.db, or from what"
    " `opencode export` writes": frozenset(
        {"step-start", "step-finish", "sessionID", "messageID", "modelID", "providerID",
         "projectID"}
    ),
    "an inspect log, but it holds no samples with messages": frozenset(
        {"eval", "plan", "stats", "samples"}
    ),
    "a trajectory of SWE-agent, but it has no `history`": frozenset(
        {"trajectory", "environment", "replay_config"}
    ),
    "OpenHands events, but no event is a message, an action or an observation": frozenset(
        {"kind", "llm_message", "llm_response_id", "cause", "extras"}
    ),
    "labels of a session, but they are no messages: give the session itself": frozenset(
        {"needle", "last_seen", "first_seen", "evidence"}
    ),
}  # fmt: skip


def nearest(values: Iterable[Any]) -> str:
    """Say which shape values look like, and what is missing; "" when they look like none."""
    objects = [value for value in values if isinstance(value, dict)]
    found = {name for value in objects for name in (*value, str(value.get("type")))}
    most, guess = max((len(marks & found), guess) for guess, marks in GUESSES.items())
    return f"it looks like {guess}" if most else ""
