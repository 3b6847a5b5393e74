"""A folder with a file for each event, as OpenHands keeps a conversation.

The files are `event-00000-ID.json`, in older releases `0.json`; their numbers are their order.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from loom.replay.importers.rows import LARGEST, JsonRow, read
from loom.replay.importers.unreadable import BadSession

NAME = "events"
_EVENT = re.compile(r"(?:event-)?(\d{1,18})(?:-[0-9a-fA-F-]+)?\.json")


def holds_events(folder: Path) -> bool:
    """Tell whether a path is a folder of events, by its name and that of a file in it."""
    try:
        return folder.name == NAME and folder.is_dir() and bool(_numbered(folder))
    except OSError:
        return False


def rows(folder: Path) -> list[JsonRow]:
    """Return the events of a folder in order; `line` is the place of each, from 1.

    An event that cannot be read is noted, and left out. Raises BadSession when none can be, and
    when they are larger together than a file may be.
    """
    found: list[JsonRow] = []
    notes: list[str] = []
    bad: list[BadSession] = []
    paths = [path for _, path in sorted(_numbered(folder))]
    if sum(_size(path) for path in paths) > LARGEST:
        raise BadSession(folder, 0, f"its events are more than {LARGEST:,} bytes together")
    for line, path in enumerate(paths, 1):
        try:
            [row] = read(path)
            found.append(JsonRow(line, row.value, row.notes))
        except BadSession as error:
            bad.append(error)
            notes.append(f"{path.name}: {error.why}: it was left out")
        except ValueError:
            notes.append(f"{path.name}: it holds more than one event: it was left out")
    if not found:
        why = bad[0].why if bad else notes[0]
        raise BadSession(folder, 0, f"none of its events can be read: {why}")
    first = found[0]
    return [JsonRow(first.line, first.value, (*notes, *first.notes)), *found[1:]]


def _numbered(folder: Path) -> list[tuple[int, Path]]:
    with os.scandir(folder) as entries:
        named = ((_EVENT.fullmatch(entry.name), entry) for entry in entries)
        return [
            (int(match[1]), Path(entry.path))
            for match, entry in named
            if match and not entry.is_symlink()
        ]


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0  # reading it says why
