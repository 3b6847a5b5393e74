"""Where recorded sessions rest: a file of JSON, a database, an archive, a folder of events.

Which it is, the first bytes say, never the name.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from loom.disk import plain_descriptor
from loom.replay.importers import event_folder, inspect_archive, opencode_database, rows
from loom.replay.importers.rows import JsonRow

# The first bytes of what is no text, and who reads it as rows.
READERS: dict[bytes, Callable[[Path], list[JsonRow]]] = {
    opencode_database.MAGIC: opencode_database.rows,
    inspect_archive.MAGIC: inspect_archive.rows,
}


def stored(path: Path) -> list[JsonRow]:
    """Return the rows of a file, of a folder of events, or of a session inside a database.

    Raises BadSession when it cannot be read.
    """
    if event_folder.holds_events(path):
        return event_folder.rows(path)
    if opencode_database.inside(path):
        return opencode_database.rows(path.parent, path.name)
    return READERS.get(_magic(path), rows.read)(path)


def _magic(path: Path) -> bytes:
    """The one of READERS a file begins with, b"" for any other and for what is no file."""
    try:
        with os.fdopen(plain_descriptor(path), "rb") as file:
            head = file.read(max(map(len, READERS)))
    except OSError:
        return b""  # the reader of text says why
    return next((magic for magic in READERS if head.startswith(magic)), b"")
