"""A folder with a file for each event, as OpenHands keeps a conversation.

The files are `event-00000-ID.json`, in older releases `0.json`; their numbers are their order.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from loom.errors import BadSession
from loom.replay.importers.rows import LARGEST, JsonRow, each_row, read

NAME = "events"
_EVENT = re.compile(r"(?:event-)?(\d{1,18})(?:-[0-9a-fA-F-]+)?\.json")


def holds_events(folder: Path) -> bool:
    """Tell whether a path is a folder of events, by its name and that of a file in it."""
    try:
        return folder.name == NAME and folder.is_dir() and any(_numbered(folder))
    except OSError:
        return False


def rows(folder: Path) -> list[JsonRow]:
    """Return the events of a folder in order; `line` is the place of each, from 1.

    An event that cannot be read is noted, and left out. Raises BadSession when none can be, and
    when they are larger together than a file may be.
    """
    notes: list[str] = []
    events = sorted(_numbered(folder))
    if sum(size for *_, size in events) > LARGEST:
        raise BadSession(folder, 0, f"its events are more than {LARGEST:,} bytes together")
    named = (
        (path.name, partial(_event, line, path)) for line, (_, path, _) in enumerate(events, 1)
    )
    try:
        found = [*each_row(named, notes)]
    except BadSession as error:
        raise BadSession(folder, 0, f"none of its events can be read: {error.why}") from error
    first = found[0]
    return [JsonRow(first.line, first.value, (*notes, *first.notes)), *found[1:]]


def _event(line: int, path: Path) -> JsonRow:
    first, *more = read(path)
    if more:
        raise BadSession(path, 0, "it holds more than one event")
    return JsonRow(line, first.value, first.notes)


def _numbered(folder: Path) -> Iterator[tuple[int, Path, int]]:
    """(number, path, bytes) of the events of a folder; reading one says why it cannot be read."""
    with os.scandir(folder) as entries:
        for entry in entries:
            match = _EVENT.fullmatch(entry.name)
            if match and not entry.is_symlink():
                yield int(match[1]), Path(entry.path), entry.stat(follow_symlinks=False).st_size
