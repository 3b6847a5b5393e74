"""Make a folder that appears whole or not at all: it is filled under another name, synced, and then
renamed. Here are also errors of `export`, `import` and `repair`, each raised before anything is
changed."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from loom.disk import make_private_folders, open_private_file
from loom.errors import BadInput, CorruptJournal
from loom.reduce.lines import plural
from loom_paging import Problem
from loom_paging.folders import flush, sync_folder, sync_tree
from loom_paging.names import TEMPORARY
from loom_paging.plain import BINARY


@contextmanager
def new_folder_at(place: Path, name: str = "", *, durable: bool = True) -> Iterator[Path]:
    """Yield a new folder for the block to fill, then rename it to `place`. With a `name`, move only
    the file `name` in the folder to `place`. If the block raises, nothing is left.

    Raises BadInput if there is anything at `place`, except an empty folder that a new folder
    replaces."""
    if _is_taken(place, name):
        raise place_taken_error(place)
    make_private_folders(place.parent)
    making = place.parent / f"{TEMPORARY}new-{secrets.token_hex(8)}"
    try:
        make_private_folders(making)
        yield making
        if name:
            with (making / name).open("rb") as file:
                flush(file.fileno())
        elif durable:
            sync_tree(making)
        if place.is_dir() and os.name == "nt":  # elsewhere an empty folder gives way at once
            place.rmdir()
        try:
            if name:
                place.hardlink_to(making / name)
            else:
                making.rename(place)
        except OSError:
            if _is_taken(place, name):
                raise place_taken_error(place) from None
            if not name:
                raise
            (making / name).rename(place)  # no hard links here, and a rename would replace
        sync_folder(place.parent)
    finally:
        with suppress(FileNotFoundError):
            shutil.rmtree(making)


def _is_taken(place: Path, name: str) -> bool:
    """Return True if there is anything at `place`. If `name` is "", an empty folder does not
    count."""
    if not os.path.lexists(place) or name:
        return os.path.lexists(place)
    return not place.is_dir() or place.is_symlink() or any(place.iterdir())


def create_file(path: Path) -> BinaryIO:
    """Create a file that only its owner may read, and the folders above it. Return the file, open
    for writing."""
    make_private_folders(path.parent)
    return os.fdopen(open_private_file(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | BINARY), "wb")


def place_taken_error(path: Path | str, why: str = "there is something already") -> BadInput:
    """Return the error that nothing can be made at `path`. `why` is the reason to print."""
    return BadInput(f"{path}: {why}; nothing was changed: name another place")


def bad_archive_error(path: Path, why: str) -> BadInput:
    """Return the error that `path` is no archive of `loom export`, with the reason `why`."""
    return BadInput(f"{path} is no archive of a workspace: {why}; nothing was made of it")


def damaged_workspace_error(path: Path, problems: Sequence[Problem]) -> CorruptJournal:
    """Return the error that a damaged workspace cannot be exported or imported."""
    first = problems[0]
    said = (
        f"{path} has {plural(len(problems), 'problem')}, the first in {first.where}:"
        f" {first.what}; nothing was made: mend it (`loom check` tells all), or take it as it"
        " is with --as-is"
    )
    return CorruptJournal(str(path), 0, first.what, said)
