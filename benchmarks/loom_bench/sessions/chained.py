"""Sessions one after another as one long life, over and over: events without end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path

from msgspec.structs import replace

from loom.inputs import Event, Reply, Result, Session, System, ToolCall
from loom.replay.importers import find, load
from loom.replay.importers.unreadable import BadSession
from loom_bench.sessions.generate import session as generated

CHAINED = 400  # steps of a generated session


def recorded(paths: Sequence[Path] | None) -> list[Session]:
    """The sessions of files and folders; none where none are named. Raises BadSession, for places
    without a session too."""
    given = [session for path in find(paths or ()) for session in _readable(path)]
    if paths and not given:
        raise BadSession(paths[0], 0, "there is no session there")
    return given


def _readable(path: Path) -> list[Session]:
    try:
        return load(path)
    except BadSession:
        return []


def chained(given: Sequence[Session], flavour: str) -> Iterator[Event]:
    """Events without end, of generated sessions of a `flavour` where none is given; the calls of
    each session have ids of their own."""
    for turn in count():
        session = given[turn % len(given)] if given else generated(turn, CHAINED, flavour=flavour)
        for event in session.events:
            if isinstance(event, System) and turn:
                continue
            if isinstance(event, Reply):
                parts = tuple(
                    replace(part, id=f"{turn}-{part.id}") if isinstance(part, ToolCall) else part
                    for part in event.parts
                )
                yield replace(event, parts=parts)
            elif isinstance(event, Result):
                yield replace(event, call_id=f"{turn}-{event.call_id}")
            else:
                yield event
