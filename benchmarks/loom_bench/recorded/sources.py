"""Recorded and generated sessions as histories with labels: a file's own, or derived ones.

A call needs what it names and did not come up with: the old text of an edit, and each path and name
of code in its other arguments that an earlier message holds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from loom.inputs import Event, Reply, Session, Speech, ToolCall
from loom.replay.importers import find, load
from loom.replay.importers.unreadable import BadSession
from loom_bench.recorded.labels import UNKNOWN, Label, labels_of, recorded
from loom_bench.sessions.generate import session
from loom_bench.sessions.needle import arguments_of, event_texts, held_by_any

CHARACTERS = 4  # of a token, by the labels' own measure
OLD = frozenset({"old_string", "oldText", "old_str"})
NAME = re.compile(r"[\w./-]*\w[/_]\w[\w./-]*\w")  # with a slash or an underscore within


class MadeUp(Struct, frozen=True):
    """The generated coding session of a seed, of so many replies."""

    seed: int
    steps: int

    def load(self) -> tuple[Session, list[Label]]:
        """The session, and the labels of its needs."""
        made = session(self.seed, self.steps)
        return made, derived(made.events)


def derived(events: Sequence[Event], most: int = 0) -> list[Label]:
    """The labels of numbered events: a label for each text that a call needs and had been shown.

    With `most`, of at most so many replies, spread evenly over the session.
    """
    replies = [at for at, event in enumerate(events) if isinstance(event, Reply) and event.calls]
    step = -(-len(replies) // most) if most else 1  # rounded up
    asking = set(replies[::step] if replies else ())
    return [
        label
        for at, event in enumerate(events)
        if isinstance(event, Reply) and at in asking
        for call in event.calls
        for kind, needle in dict.fromkeys(needed(call))
        if (label := _label(events, at, call, kind, needle)) is not None
    ]


def size(event: Event) -> int:
    """Tokens of an event by the labels' own measure."""
    if not isinstance(event, Reply):
        return len(event.text) // CHARACTERS
    spoken = (part.text for part in event.parts if isinstance(part, Speech))
    asked = (
        json.dumps({"id": call.id, "name": call.name, "arguments": arguments_of(call)})
        for call in event.calls
    )
    return sum(map(len, (*spoken, *asked))) // CHARACTERS


def needed(call: ToolCall) -> Iterator[tuple[str, str]]:
    """(kind, text) of all that a call names."""
    for key, value in arguments_of(call).items():
        if isinstance(value, str) and value and key in OLD:
            yield "edit_old", value
        elif isinstance(value, str) and key not in UNKNOWN:
            yield from (("ident", name) for name in NAME.findall(value))


def _label(
    events: Sequence[Event], at: int, call: ToolCall, kind: str, needle: str
) -> Label | None:
    """The label of a needed text, None where no earlier message holds it."""
    tokens = 0
    for seen in reversed(range(at)):
        if held_by_any(needle, event_texts(events[seen])):
            index = events[seen].index
            return Label(events[at].index, kind, needle, call.name, index, tokens)
        tokens += size(events[seen])
    return None


REPLIES = 250  # of a session that are looked at for needs, where no file labels them


class RecordedSource(Struct, frozen=True):
    """The session number `at` of a file."""

    path: Path
    at: int

    def load(self) -> tuple[Session, list[Label]]:
        """The session and the labels beside it; those its calls give where there are none.

        Raises BadSession.
        """
        if labels_of(self.path).is_file():
            return recorded(self.path)
        sessions = load(self.path)
        if self.at >= len(sessions):
            raise BadSession(self.path, 0, "it changed while it was replayed")
        session = sessions[self.at]
        events = tuple(replace(event, index=at) for at, event in enumerate(session.events))
        return replace(session, events=events), derived(events, REPLIES)


def sources_of(
    places: Iterable[Path], limit: int = 0
) -> tuple[list[RecordedSource], list[BadSession]]:
    """Every session of files and folders, the longest first, at most `limit`; 0 is all.

    Also why other files cannot be read.
    """
    found: list[tuple[int, RecordedSource]] = []
    skipped: list[BadSession] = []
    for path in find(places):
        try:
            sessions = load(path)
        except BadSession as error:
            skipped.append(error)
            continue
        found += [(len(one.events), RecordedSource(path, at)) for at, one in enumerate(sessions)]
    found.sort(key=lambda one: (-one[0], one[1].path, one[1].at))
    return [source for _, source in found[: limit or None]], skipped
