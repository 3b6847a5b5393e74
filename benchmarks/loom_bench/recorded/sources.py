"""Anybody's recorded sessions as histories with labels: a file's own, or derived on the way."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from loom.inputs import Session
from loom.replay.importers import find, load
from loom.replay.importers.unreadable import BadSession
from loom_bench.recorded.derived import derived
from loom_bench.recorded.labels import Label, labels_of, recorded

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
