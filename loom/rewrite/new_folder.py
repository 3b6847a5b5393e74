"""A folder that is there whole, or not at all: made beside its place, synced, and then named."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from loom.disk import private_folders
from loom.rewrite.errors import place_taken
from loom_paging.folders import sync_folder, sync_tree
from loom_paging.names import TEMPORARY


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
