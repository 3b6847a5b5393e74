"""When a message was recorded, in milliseconds since the epoch, wherever its recorder writes it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

# Members that recorders keep the time in: ISO 8601, seconds or milliseconds.
PLACES = (
    ("timestamp",),  # Claude Code, Codex, OpenHands
    ("ts",),
    ("time", "created"),
    ("info", "time", "created"),  # opencode
    ("extra", "timestamp"),  # mini-swe-agent
    ("message", "timestamp"),
    ("created_at",),
    ("createdAt",),
    ("created",),
)
FIRST, LAST = 946_684_800_000, 4_102_444_800_000  # of 2000 and 2100: no other number is a time
SECONDS = 100_000_000_000  # what is less is in seconds


def recorded_at(value: dict[str, Any]) -> int:
    """When a message was recorded, 0 where it does not say."""
    return next(filter(None, (_at(value, place) for place in PLACES)), 0)


def _at(value: Any, place: tuple[str, ...]) -> int:
    for name in place:
        value = value.get(name) if isinstance(value, dict) else None
    at = 0.0
    if isinstance(value, str):
        try:
            at = datetime.fromisoformat(value).timestamp() * 1_000  # of no zone: this machine's
        except (ValueError, OverflowError, OSError):
            return 0
    elif isinstance(value, int | float) and not isinstance(value, bool):
        at = value * 1_000 if value < SECONDS else value
    return round(at) if FIRST <= at <= LAST else 0
