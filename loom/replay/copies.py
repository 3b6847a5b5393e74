"""Finds sessions that a client continued in a second file.

The second file begins with a copy of the whole first session. Only the longer session is then read,
so that each message and request counts once."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path

from msgspec import json
from msgspec.structs import replace

from loom.errors import BadSession
from loom.inputs import Event, Reply, Session

Place = tuple[Path, int]  # a file, and the number of a session in it


class SessionFronts:
    """Finds sessions whose events are the beginning of a longer session. Only hashes of events are
    kept."""

    def __init__(self) -> None:
        self._whole: dict[Place, bytes] = {}
        self._names: dict[bytes, str] = {}  # of a front that is not all of its session

    def add(self, path: Path, at: int, session: Session) -> None:
        """Add session number `at` of the file `path`."""
        front, replied = b"", False
        for number, event in enumerate(session.events, 1):
            front = blake2b(front + json.encode(_event_content(event)), digest_size=16).digest()
            replied |= isinstance(event, Reply)
            if number < len(session.events):
                self._names[front] = f"{session.name} in {path}"
        if replied:
            self._whole[path, at] = front

    def copied(self, path: Path, at: int) -> BadSession | None:
        """Return an error that names a longer added session that begins with all events of this
        session. Return None if no added session does."""
        name = self._names.get(self._whole.get((path, at), b""))
        if name is None:
            return None
        return BadSession(path, 0, f"all of it stands in {name}, which goes on: it counts there")


def _event_content(event: Event) -> Event:
    """Return a copy of the event with default values in fields such as `index`, which may differ
    between two recordings of it."""
    if isinstance(event, Reply):
        return replace(event, index=-1, model="", prompt_tokens=0)
    return replace(event, index=-1)
