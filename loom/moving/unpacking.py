"""`loom import`: a workspace made of an archive, of a recorded session, all of it or nothing.

It is made in a folder beside its place, checked, synced, and then given its name by one rename: an
interrupt leaves at most a folder under a name that begins with `.tmp-`, and no workspace.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO

from msgspec.structs import replace

import loom
from loom import opening
from loom.disk import plain_descriptor, private_file, private_folders
from loom.inputs import Session
from loom.moving.archive import ArchivePlace, opened
from loom.moving.errors import BadArchive, DamagedWorkspace
from loom.moving.new_folder import made_at
from loom.moving.packing import MovedFiles, checked
from loom.replay.feed import RecordedClock, replay
from loom_paging.plain import BINARY

CHUNK = 1 << 20  # bytes copied at a time


def unpacked(archive: Path, folder: Path, *, as_is: bool = False) -> MovedFiles:
    """Make the workspace of an archive at `folder`, every file byte for byte.

    Raises BadArchive, PlaceTaken where the folder has anything in it, and DamagedWorkspace unless
    it is wanted `as_is`.
    """
    with os.fdopen(plain_descriptor(archive), "rb") as file:
        store = opened(archive, file)
        if not store.names("journal/"):
            raise BadArchive(archive, "it has no journal")
        size = sum(place.size for place in store.places.values())
        made = checked(store, MovedFiles(len(store.places), size))
        if made.problems and not as_is:
            raise DamagedWorkspace(archive, made.problems)
        with made_at(folder) as making:
            for name, place in store.places.items():
                _copy(file, place, making / name)
        return made


def fed(session: Session, folder: Path, window: int) -> int:
    """Make a workspace of a recorded session by feeding it to a window; how many requests it made.

    Raises PlaceTaken, and what the session's events raise, OverCapacity for a small window.
    """
    with made_at(folder) as making:
        policy = replace(loom.Policy(), own_tools=False)  # their calls are answered as recorded
        now = RecordedClock(session)
        with opening.opened(making, window=window, policy=policy, durable=False, clock=now) as ctx:
            return sum(1 for _ in replay(ctx, session, now))


def _copy(file: BinaryIO, place: ArchivePlace, path: Path) -> None:
    """Copy a file of the archive to a path that is free."""
    private_folders(path.parent)
    descriptor = private_file(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | BINARY)
    with os.fdopen(descriptor, "wb") as made:
        file.seek(place.offset)
        left = place.size
        while left:
            data = file.read(min(left, CHUNK))
            if not data:
                raise BadArchive(path, "it was cut off while it was read")
            made.write(data)
            left -= len(data)
