"""A folder that is there whole, or not at all: made beside its place, synced, and then named; what
writing a workspace anew refuses, with nothing changed or made then."""

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
    """A new folder beside a place; when the block ends all of it is there, or the file in it that
    has a `name`; else it is gone.

    Raises BadInput where there is anything at the place, but for an empty folder in that of one.
    """
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
    """True where something is at a place, but for an empty folder in that of a folder."""
    if not os.path.lexists(place) or name:
        return os.path.lexists(place)
    return not place.is_dir() or place.is_symlink() or any(place.iterdir())


def create_file(path: Path) -> BinaryIO:
    """A new file for its owner alone, and the folders above it, open to be written."""
    make_private_folders(path.parent)
    return os.fdopen(open_private_file(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | BINARY), "wb")


def place_taken_error(path: Path | str, why: str = "there is something already") -> BadInput:
    """The error where something is at the place of an archive or a workspace to be made."""
    return BadInput(f"{path}: {why}; nothing was changed: name another place")


def bad_archive_error(path: Path, why: str) -> BadInput:
    """The error for a file that is no archive that `loom export` makes."""
    return BadInput(f"{path} is no archive of a workspace: {why}; nothing was made of it")


def damaged_workspace_error(path: Path, problems: Sequence[Problem]) -> CorruptJournal:
    """The error for a workspace that is to be moved and is not whole."""
    first = problems[0]
    said = (
        f"{path} has {plural(len(problems), 'problem')}, the first in {first.where}:"
        f" {first.what}; nothing was made: mend it (`loom check` tells all), or take it as it"
        " is with --as-is"
    )
    return CorruptJournal(str(path), 0, first.what, said)
