"""The nearest guess at a shape nobody reads: what its values have in common with a known one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import Struct


class ShapeGuess(Struct, frozen=True):
    """A recorded shape by its marks: values of `type`, or names of members; and what it lacks."""

    shape: str
    lacks: str
    types: frozenset[str] = frozenset()
    members: frozenset[str] = frozenset()


GUESSES = (
    ShapeGuess(
        "a Codex rollout",
        "no line is a response_item",
        frozenset({"session_meta", "event_msg", "turn_context", "compacted", "world_state"}),
        frozenset({"record_type", "rollout_path"}),
    ),
    ShapeGuess(
        "a session of Claude Code",
        "no line is one of the user or the assistant",
        frozenset(
            {"summary", "file-history-snapshot", "progress", "queue-operation", "last-prompt",
             "attachment"}
        ),
        frozenset({"sessionId", "leafUuid", "parentUuid"}),
    ),
    ShapeGuess(
        "a message or a part of opencode",
        "a session is read from opencode.db, or from what `opencode export` writes",
        frozenset({"step-start", "step-finish"}),
        frozenset({"sessionID", "messageID", "modelID", "providerID", "projectID"}),
    ),
    ShapeGuess(
        "an inspect log",
        "it holds no samples with messages",
        members=frozenset({"eval", "plan", "stats", "samples"}),
    ),
    ShapeGuess(
        "a trajectory of SWE-agent",
        "it has no `history`",
        members=frozenset({"trajectory", "environment", "replay_config"}),
    ),
    ShapeGuess(
        "OpenHands events",
        "no event is a message, an action or an observation",
        members=frozenset({"kind", "llm_message", "llm_response_id", "cause", "extras"}),
    ),
    ShapeGuess(
        "labels of a session",
        "they are no messages: give the session itself",
        members=frozenset({"needle", "last_seen", "first_seen", "evidence"}),
    ),
)  # fmt: skip


def nearest(values: Iterable[Any]) -> str:
    """Say which shape values look like, and what is missing; "" when they look like none."""
    objects = [value for value in values if isinstance(value, dict)]
    marks = [(_shared(guess, objects), guess) for guess in GUESSES]
    most, guess = max(marks, key=lambda pair: pair[0])
    return f"it looks like {guess.shape}, but {guess.lacks}" if most else ""


def _shared(guess: ShapeGuess, objects: list[dict[str, Any]]) -> int:
    types = sum(str(value.get("type")) in guess.types for value in objects)
    members = {name for value in objects for name in value if name in guess.members}
    return types + len(members)
