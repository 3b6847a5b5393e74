"""Files and folders for their owner alone, under any umask.

They are made with their mode, so there is no moment at which another could open one. A umask can
only take from it, which would lock the owner out: that is given back at once. The umask itself is
the process's, and stays.
"""

from __future__ import annotations

import os
from contextlib import suppress
from errno import ENODEV
from pathlib import Path
from stat import S_ISREG

from loom_paging.plain import NO_WAIT

FILE, FOLDER = 0o600, 0o700


def private_file(path: str | Path, flags: int) -> int:
    """The descriptor of a file opened with these flags, to be written; one that is made is 0600.

    Raises OSError for what is no plain file, without waiting for it.
    """
    descriptor = os.open(path, flags | NO_WAIT, FILE)
    held = os.fstat(descriptor).st_mode
    if not S_ISREG(held):
        os.close(descriptor)
        raise OSError(ENODEV, "no plain file", str(path))
    if held & FILE != FILE and hasattr(os, "fchmod"):
        with suppress(OSError):  # not the owner's, or a file system without modes
            os.fchmod(descriptor, held & 0o777 | FILE)
    return descriptor


def private_folder(folder: Path) -> bool:
    """Make one folder, 0700; False where there is one already."""
    try:
        folder.mkdir(mode=FOLDER)
    except FileExistsError:
        if not folder.is_dir():
            raise
        return False
    if os.name != "nt" and folder.stat().st_mode & FOLDER != FOLDER:
        folder.chmod(FOLDER)
    return True


def private_folders(folder: Path) -> None:
    """Make a folder and those that are missing above it, each 0700."""
    for each in reversed([folder, *folder.parents]):
        if not each.is_dir():
            private_folder(each)
