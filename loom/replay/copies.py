"""Sessions that were gone on with in a file of their own, into which the client copied them.

Such a file begins with all of the earlier session: of the two the longer one is read, so that what
was said and sent once counts once.
"""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path

from msgspec import json
from msgspec.structs import replace

from loom.errors import BadSession
from loom.inputs import Event, Reply, Session

Place = tuple[Path, int]  # a file, and the number of a session in it


class SessionFronts:
    """Hashes of how each session begins; the sessions themselves are not kept."""

    def __init__(self) -> None:
        self._whole: dict[Place, bytes] = {}
        self._names: dict[bytes, str] = {}  # of a front that is not all of its session

    def add(self, path: Path, at: int, session: Session) -> None:
        """Know one more session."""
        front, replied = b"", False
        for number, event in enumerate(session.events, 1):
            front = blake2b(front + json.encode(_event_content(event)), digest_size=16).digest()
            replied |= isinstance(event, Reply)
            if number < len(session.events):
                self._names[front] = f"{session.name} in {path}"
        if replied:
            self._whole[path, at] = front

    def copied(self, path: Path, at: int) -> BadSession | None:
        """Why a session is not read by itself; None for one that is."""
        name = self._names.get(self._whole.get((path, at), b""))
        if name is None:
            return None
        return BadSession(path, 0, f"all of it stands in {name}, which goes on: it counts there")


def _event_content(event: Event) -> Event:
    """The words of an event, wherever it was recorded."""
    if isinstance(event, Reply):
        return replace(event, index=-1, model="", prompt_tokens=0)
    return replace(event, index=-1)
