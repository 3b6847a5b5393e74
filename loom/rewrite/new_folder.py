"""A folder that is there whole, or not at all: made beside its place, synced, and then named; what
writing a workspace anew refuses, with nothing changed or made then."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from loom.disk import private_folders
from loom.errors import BadInput, CorruptJournal
from loom.reduce.lines import counted
from loom_paging import Problem
from loom_paging.folders import sync_folder, sync_tree
from loom_paging.names import TEMPORARY

TAKEN = "taken"  # the `kind` of an error


@contextmanager
def made_at(folder: Path, *, durable: bool = True) -> Iterator[Path]:
    """A new folder beside a place; when the block ends it is there, else it is gone.

    Raises BadInput where the place has anything in it.
    """
    if os.path.lexists(folder) and not _is_empty(folder):
        raise place_taken(folder)
    private_folders(folder.parent)
    making = folder.parent / f"{TEMPORARY}new-{secrets.token_hex(8)}"
    try:
        private_folders(making)
        yield making
        if durable:
            sync_tree(making)
        if folder.is_dir() and os.name == "nt":  # elsewhere an empty folder gives way at once
            folder.rmdir()
        try:
            making.rename(folder)
        except OSError:
            if not os.path.lexists(folder) or _is_empty(folder):
                raise
            raise place_taken(folder) from None
        sync_folder(folder.parent)
    finally:
        with suppress(FileNotFoundError):
            shutil.rmtree(making)


def _is_empty(folder: Path) -> bool:
    return folder.is_dir() and not folder.is_symlink() and not any(folder.iterdir())


def place_taken(path: Path | str, why: str = "there is something already") -> BadInput:
    """The error where something is at the place of an archive or a workspace to be made."""
    return BadInput(f"{path}: {why}; nothing was changed: name another place", TAKEN)


def bad_archive(path: Path, why: str) -> BadInput:
    """The error for a file that is no archive that `loom export` makes."""
    return BadInput(f"{path} is no archive of a workspace: {why}; nothing was made of it")


def damaged_workspace(path: Path, problems: Sequence[Problem]) -> CorruptJournal:
    """The error for a workspace that is to be moved and is not whole."""
    first = problems[0]
    said = (
        f"{path} has {counted(len(problems), 'problem')}, the first in {first.where}:"
        f" {first.what}; nothing was made: mend it (`loom check` tells all), or take it as it"
        " is with --as-is"
    )
    return CorruptJournal(str(path), 0, first.what, said)
